/** The picture of the stream. Checked here for a fast answer; the server checks again. */
import { createSignal, createUniqueId, type JSX } from 'solid-js';
import { api } from '../api.ts';
import { Icon } from '../design/Icon.tsx';
import { Logo } from '../design/Logo.tsx';
import { SaveMark } from '../design/setting/SettingField.tsx';
import { createSaver } from '../design/setting/saver.ts';
import { ta } from '../i18n/admin.ts';
import { explain } from './session.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_BYTES = 2 * 1024 * 1024;

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(ta('logo.unreadable')));
    reader.readAsDataURL(file);
  });
}

export function LogoUpload(): JSX.Element {
  const id = createUniqueId();
  const [version, setVersion] = createSignal(0);

  const saver = createSaver(async (value) => {
    const file = value as File;
    if (!TYPES.includes(file.type)) throw new Error(ta('logo.type'));
    if (file.size > MAX_BYTES) throw new Error(ta('logo.size'));
    const data = await readAsDataUrl(file);
    try {
      await api.post('/api/admin/config/logo', { value: data });
    } catch (problem) {
      throw new Error(explain(problem));
    }
    setVersion((now) => now + 1);
  });

  const onPick = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    // Picking the same file again must count as a change.
    input.value = '';
    if (file) void saver.save(file);
  };

  return (
    <div class="setting" data-key="logo" data-state={saver.state()}>
      <div class="setting-head">
        <span class="field-label">{ta('logo.label')}</span>
        <SaveMark state={saver.state()} />
      </div>
      <p class="field-help" id={`${id}-help`}>
        {ta('logo.help')}
      </p>
      <div class="logo-upload">
        <Logo src={`/logo?edit=${version()}`} size={72} />
        <label class="button" for={id}>
          <Icon name="upload" />
          {ta('logo.choose')}
          <input
            id={id}
            class="visually-hidden"
            type="file"
            accept={TYPES.join(',')}
            aria-describedby={`${id}-help`}
            onChange={(event) => onPick(event.currentTarget)}
          />
        </label>
      </div>
      <div class="field-error" role="alert">
        {saver.state() === 'error' ? saver.error() : ''}
      </div>
    </div>
  );
}
