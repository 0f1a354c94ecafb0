/** The icon in the browser's tab, made from the logo: drawn here, because the server draws no pictures. */
import { createSignal, type JSX } from 'solid-js';
import { api } from '../../api.ts';
import { SaveMark } from '../../design/setting/SettingField.tsx';
import { createSaver } from '../../design/setting/saver.ts';
import { ta } from '../../i18n/admin.ts';
import { withReason } from '../session.ts';

/** Sharp on dense screens, and far below what the server takes. */
const SIDE = 64;

/** The logo as a square PNG: cut in the middle, as it is shown everywhere. */
export async function iconFrom(address: string): Promise<Blob> {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  // A drawing without a size of its own has none here either.
  const [width, height] = [picture.naturalWidth || SIDE, picture.naturalHeight || SIDE];
  const side = Math.min(width, height);
  const context = canvas.getContext('2d');
  context?.drawImage(picture, (width - side) / 2, (height - side) / 2, side, side, 0, 0, SIDE, SIDE);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(ta('logo.unreadable')))), 'image/png');
  });
}

export function Favicon(): JSX.Element {
  const [version, setVersion] = createSignal(0);
  const saver = createSaver(async (value) => {
    if (value === 'logo') {
      const form = new FormData();
      const icon = await iconFrom(`/logo?icon=${Date.now()}`).catch(() => {
        throw new Error(ta('logo.unreadable'));
      });
      form.append('favicon', icon, 'favicon.png');
      await withReason(api.upload('/api/admin/config/favicon', form, () => {}));
    } else {
      await withReason(api.delete('/api/admin/config/favicon'));
    }
    setVersion((now) => now + 1);
  });
  return (
    <div class="setting" data-key="favicon" data-state={saver.state()}>
      <div class="setting-head">
        <span class="field-label">{ta('look.favicon')}</span>
        <SaveMark state={saver.state()} />
      </div>
      <p class="field-help">{ta('look.favicon.help')}</p>
      <div class="row">
        <img src={`/favicon.ico?edit=${version()}`} width="32" height="32" alt={ta('look.favicon.now')} />
        <button type="button" class="button" data-size="small" onClick={() => void saver.save('logo')}>
          {ta('look.favicon.fromLogo')}
        </button>
        <button type="button" class="button" data-size="small" data-look="quiet" onClick={() => void saver.save('own')}>
          {ta('look.favicon.builtIn')}
        </button>
      </div>
      <div class="field-error" role="alert">
        {saver.state() === 'error' ? saver.error() : ''}
      </div>
    </div>
  );
}
