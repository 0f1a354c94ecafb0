/** The picture of the stream. Checked here for a fast answer; the server checks again. */
import { createSignal, createUniqueId, type JSX } from 'solid-js';
import { api } from '../api.ts';
import { Icon } from '../design/Icon.tsx';
import { Logo } from '../design/Logo.tsx';
import { SaveMark } from '../design/setting/SettingField.tsx';
import { createSaver } from '../design/setting/saver.ts';
import { ta } from '../i18n/admin.ts';
import { checkPicture, PICTURE_TYPES, readAsDataUrl } from './pictures.ts';
import { explain } from './session.ts';

export function LogoUpload(): JSX.Element {
  const id = createUniqueId();
  const [version, setVersion] = createSignal(0);

  const saver = createSaver(async (value) => {
    const file = value as File;
    checkPicture(file);
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
            accept={PICTURE_TYPES.join(',')}
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
