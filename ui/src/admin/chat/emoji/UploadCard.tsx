/** Adds emoji: pick or drop pictures, look at them and their names, send them. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { fileSize } from '../../../i18n/format.admin.ts';
import { DropZone } from '../../DropZone.tsx';
import { PICTURE_TYPES } from '../../pictures.ts';
import { emojiName } from './files.ts';
import { createQueue, type Queue, type Upload } from './queue.ts';

export function UploadCard(props: { packs: string[]; onAdded: () => void }): JSX.Element {
  const queue = createQueue();
  return (
    <section class="card">
      <header>
        <h2>{ta('emojis.add.title')}</h2>
        <p class="muted small">{ta('emojis.add.text')}</p>
      </header>
      <DropZone
        choose={ta('emojis.choose')}
        hint={ta('emojis.drop')}
        accept={PICTURE_TYPES.join(',')}
        onFiles={(files) => void queue.add(files)}
      />
      <Show when={queue.uploads().length > 0}>
        <Staged queue={queue} packs={props.packs} onAdded={props.onAdded} />
      </Show>
    </section>
  );
}

function Staged(props: { queue: Queue; packs: string[]; onAdded: () => void }): JSX.Element {
  const id = createUniqueId();
  const [pack, setPack] = createSignal('');

  const send = async (event: Event) => {
    event.preventDefault();
    const added = await props.queue.send(emojiName(pack()));
    if (added > 0) {
      toast(ta('emojis.added', { count: added }));
      props.onAdded();
    }
  };

  return (
    <form class="stack" onSubmit={(event) => void send(event)}>
      <ul class="upload-list">
        <For each={props.queue.uploads()}>{(upload) => <UploadRow upload={upload} queue={props.queue} />}</For>
      </ul>
      <div class="field">
        <label class="field-label" for={id}>
          {ta('emojis.pack')}
        </label>
        <input
          id={id}
          class="input input-pack"
          list={`${id}-packs`}
          autocomplete="off"
          aria-describedby={`${id}-help`}
          value={pack()}
          onInput={(event) => setPack(event.currentTarget.value)}
        />
        <datalist id={`${id}-packs`}>
          <For each={props.packs}>{(name) => <option value={name} />}</For>
        </datalist>
        <p class="field-help" id={`${id}-help`}>
          {ta('emojis.pack.help')}
        </p>
      </div>
      <Show
        when={props.queue.progress()}
        fallback={
          <div class="row">
            <button type="submit" class="button" data-look="primary" disabled={props.queue.sendable() === 0}>
              <Icon name="upload" />
              {ta('emojis.upload', { count: props.queue.sendable() })}
            </button>
            <button type="button" class="button" data-look="quiet" onClick={() => props.queue.clear()}>
              {ta('common.cancel')}
            </button>
          </div>
        }
      >
        {(progress) => (
          <div class="upload-progress" role="status">
            <progress
              max={progress().total}
              value={progress().done}
              aria-label={ta('emojis.uploading', { done: progress().done + 1, total: progress().total })}
            />
            {ta('emojis.uploading', { done: progress().done + 1, total: progress().total })}
          </div>
        )}
      </Show>
    </form>
  );
}

function UploadRow(props: { upload: Upload; queue: Queue }): JSX.Element {
  const id = createUniqueId();
  const [pixels, setPixels] = createSignal('');
  return (
    <li data-state={props.upload.state}>
      <Show when={props.upload.data} fallback={<Icon name="alert" />}>
        <img
          src={props.upload.data}
          alt=""
          onLoad={(event) => setPixels(`${event.currentTarget.naturalWidth} × ${event.currentTarget.naturalHeight}`)}
        />
      </Show>
      <div class="upload-text">
        <div class="upload-name">
          <span aria-hidden="true">:</span>
          <input
            class="input"
            aria-label={ta('emojis.name')}
            aria-invalid={props.upload.error ? 'true' : undefined}
            aria-describedby={`${id}-error`}
            disabled={props.upload.data === '' || props.upload.state === 'sending'}
            value={props.upload.name}
            onInput={(event) => props.queue.rename(props.upload.id, event.currentTarget.value)}
            onBlur={(event) => props.queue.rename(props.upload.id, emojiName(event.currentTarget.value) || 'emoji')}
          />
          <span aria-hidden="true">:</span>
        </div>
        <span class="muted small">{[fileSize(props.upload.bytes), pixels()].filter(Boolean).join(', ')}</span>
        <div class="field-error" id={`${id}-error`} role="alert">
          {props.upload.error}
        </div>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={`${ta('editor.remove')}: ${props.upload.name}`}
        title={ta('editor.remove')}
        disabled={props.upload.state === 'sending'}
        onClick={() => props.queue.remove(props.upload.id)}
      >
        <Icon name="cross" />
      </button>
    </li>
  );
}
