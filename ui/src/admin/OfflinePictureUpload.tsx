/** The picture behind the offline message. Checked here for a fast answer; the server checks again. */
import './offline-picture.css';
import { createResource, createUniqueId, type JSX, Show } from 'solid-js';
import { api } from '../api.ts';
import { Icon } from '../design/Icon.tsx';
import { SaveMark } from '../design/setting/SettingField.tsx';
import { createSaver } from '../design/setting/saver.ts';
import { ta } from '../i18n/admin.ts';
import type { SiteConfig } from '../wire.ts';
import { checkPicture, PICTURE_TYPES, readAsDataUrl } from './pictures.ts';
import { withReason } from './session.ts';

const PATH = '/api/admin/config/offlinepicture';

export function OfflinePictureUpload(): JSX.Element {
  const id = createUniqueId();
  const [picture, { refetch }] = createResource(async () => {
    const config = await api.get<SiteConfig>('/api/config').catch(() => undefined);
    return config?.offlinePicture;
  });

  /** A file, or nothing to remove the picture. */
  const saver = createSaver(async (value) => {
    const file = value as File | null;
    if (file) checkPicture(file);
    await withReason(file ? api.post(PATH, { value: await readAsDataUrl(file) }) : api.delete(PATH));
    await refetch();
  });

  const onPick = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    // Picking the same file again must count as a change.
    input.value = '';
    if (file) void saver.save(file);
  };

  return (
    <div class="setting" data-key="offlinepicture" data-state={saver.state()}>
      <div class="setting-head">
        <span class="field-label">{ta('offlinePicture.label')}</span>
        <SaveMark state={saver.state()} />
      </div>
      <p class="field-help" id={`${id}-help`}>
        {ta('offlinePicture.help')}
      </p>
      <div class="logo-upload">
        <Show when={picture.latest}>
          {(address) => <img class="offline-picture-preview" src={address()} width="128" height="72" alt="" />}
        </Show>
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
        <Show when={picture.latest}>
          <button type="button" class="button" data-look="quiet" onClick={() => void saver.save(null)}>
            <Icon name="trash" />
            {ta('offlinePicture.remove')}
          </button>
        </Show>
      </div>
      <div class="field-error" role="alert">
        {saver.state() === 'error' ? saver.error() : ''}
      </div>
    </div>
  );
}
