/** The keys a broadcaster may use. Shown only on demand, made here at random, removed only after a question. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import type { StreamKey } from '../../wire.ts';
import { CopyField } from '../CopyField.tsx';
import { Dialog } from '../Dialog.tsx';
import { Icon } from '../Icon.tsx';
import { TextField } from '../TextField.tsx';
import type { EditorProps } from './editors.tsx';

/** No characters that look alike, none that a broadcasting program or a URL would mangle. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
/** 30 of 54 characters are 172 bits. */
const KEY_LENGTH = 30;

export function randomKey(): string {
  let key = '';
  while (key.length < KEY_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(KEY_LENGTH))) {
      // Values past the last whole multiple would make some letters likelier than others.
      if (byte < 256 - (256 % ALPHABET.length) && key.length < KEY_LENGTH) key += ALPHABET[byte % ALPHABET.length];
    }
  }
  return key;
}

export function StreamKeysEditor(props: EditorProps<StreamKey[]>): JSX.Element {
  const [removing, setRemoving] = createSignal<StreamKey>();
  const [adding, setAdding] = createSignal(false);
  const [draft, setDraft] = createSignal<StreamKey>({ key: '', comment: '', takeOver: false, record: false });

  const open = () => {
    setDraft({ key: randomKey(), comment: '', takeOver: false, record: false });
    setAdding(true);
  };
  const add = (event: Event) => {
    event.preventDefault();
    setAdding(false);
    props.onCommit([...props.value, { ...draft(), key: draft().key.trim(), comment: draft().comment.trim() }]);
  };
  const change = (changed: StreamKey, change: Partial<StreamKey>) =>
    props.onCommit(props.value.map((key) => (key === changed ? { ...key, ...change } : key)));
  const remove = () => {
    const gone = removing();
    setRemoving(undefined);
    props.onCommit(props.value.filter((other) => other !== gone));
  };

  return (
    <fieldset class="stream-keys" aria-label={ta('setting.streamkeys.label')}>
      <For each={props.value} fallback={<p class="muted small">{ta('editor.keys.empty')}</p>}>
        {(key) => (
          <div class="stream-key">
            <span class="stream-key-comment">{key.comment || ta('editor.keys.unnamed')}</span>
            <CopyField
              label={key.comment || ta('home.key')}
              value={key.key}
              secret={{ show: ta('editor.keys.show'), hide: ta('editor.keys.hide') }}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={`${ta('editor.remove')}: ${key.comment || ta('home.key')}`}
              title={ta('editor.remove')}
              disabled={props.disabled}
              onClick={() => setRemoving(key)}
            >
              <Icon name="trash" />
            </button>
            <KeySwitch
              label={ta('editor.keys.takeOver')}
              of={key.comment || ta('home.key')}
              value={key.takeOver === true}
              disabled={props.disabled}
              onChange={(takeOver) => change(key, { takeOver })}
            />
            <KeySwitch
              label={ta('editor.keys.record')}
              of={key.comment || ta('home.key')}
              value={key.record === true}
              disabled={props.disabled}
              onChange={(record) => change(key, { record })}
            />
          </div>
        )}
      </For>
      <Show when={!props.disabled}>
        <button type="button" class="button" data-size="small" onClick={open}>
          <Icon name="plus" />
          {ta('editor.keys.add')}
        </button>
      </Show>

      <Dialog open={adding()} title={ta('editor.keys.add')} onClose={() => setAdding(false)}>
        <form class="stack" onSubmit={add}>
          <TextField
            label={ta('home.key')}
            value={draft().key}
            help={ta('editor.keys.help')}
            required
            onInput={(key) => setDraft({ ...draft(), key })}
          />
          <TextField
            label={ta('editor.keys.comment')}
            value={draft().comment}
            help={ta('editor.keys.comment.help')}
            onInput={(comment) => setDraft({ ...draft(), comment })}
          />
          <div class="stack-tight">
            <KeySwitch
              label={ta('editor.keys.takeOver')}
              of={ta('editor.keys.add')}
              value={draft().takeOver}
              onChange={(takeOver) => setDraft({ ...draft(), takeOver })}
            />
            <p class="field-help">{ta('editor.keys.takeOver.help')}</p>
          </div>
          <div class="stack-tight">
            <KeySwitch
              label={ta('editor.keys.record')}
              of={ta('editor.keys.add')}
              value={draft().record}
              onChange={(record) => setDraft({ ...draft(), record })}
            />
            <p class="field-help">{ta('editor.keys.record.help')}</p>
          </div>
          <div class="dialog-actions">
            <button type="button" class="button" data-look="quiet" onClick={() => setAdding(false)}>
              {ta('common.cancel')}
            </button>
            <button type="submit" class="button" data-look="primary">
              {ta('editor.keys.save')}
            </button>
          </div>
        </form>
      </Dialog>

      <Dialog open={removing() !== undefined} title={ta('editor.keys.remove')} onClose={() => setRemoving(undefined)}>
        <p>{ta('editor.keys.remove.text')}</p>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => setRemoving(undefined)}>
            {ta('common.cancel')}
          </button>
          <button type="button" class="button" data-look="danger" onClick={remove}>
            {ta('editor.remove')}
          </button>
        </div>
      </Dialog>
    </fieldset>
  );
}

/** Something that is so for streams with this key. */
function KeySwitch(props: {
  label: string;
  /** Of which key, for those who do not see what is beside it. */
  of: string;
  value: boolean;
  disabled?: boolean;
  onChange: (value: boolean) => void;
}): JSX.Element {
  return (
    <label class="key-switch">
      <input
        class="switch"
        type="checkbox"
        role="switch"
        checked={props.value}
        aria-checked={props.value}
        aria-label={`${props.label}: ${props.of}`}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}
