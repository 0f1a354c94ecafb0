/** One's name and its colour. */
import { createSignal, createUniqueId, For, type JSX } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/TextField.tsx';
import { t } from '../../i18n/index.ts';
import type { Room } from './room.ts';

/** As the server cuts it. */
const NAME_CHARS = 30;
const COLOURS = [0, 1, 2, 3, 4, 5, 6, 7];

export function NameDialog(props: { room: Room; onClose: () => void }): JSX.Element {
  const { room } = props;
  const group = createUniqueId();
  const before = room.me();
  const [name, setName] = createSignal(before?.displayName ?? '');
  const [colour, setColour] = createSignal(before?.displayColor ?? 0);
  const [error, setError] = createSignal<string>();
  const [saving, setSaving] = createSignal(false);

  const save = async () => {
    const wanted = name().trim();
    if (!wanted) return setError(t('chat.name.empty'));
    if ([...wanted].length > NAME_CHARS) return setError(t('chat.name.long', { count: NAME_CHARS }));
    setError(undefined);
    setSaving(true);
    const refusal = wanted === before?.displayName ? undefined : await room.rename(wanted);
    const isRecoloured = refusal || colour() === before?.displayColor || (await room.recolour(colour()));
    setSaving(false);
    const problem = refusal ?? (isRecoloured ? undefined : t('chat.lost'));
    if (problem) setError(problem);
    else props.onClose();
  };

  return (
    <Dialog open title={t('chat.name.title')} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label={t('chat.name.label')} value={name()} onInput={setName} error={error()} autofocus />
        <fieldset class="chat-colours">
          <legend>{t('chat.name.colour')}</legend>
          <For each={COLOURS}>
            {(number) => (
              <label class="chat-colour" data-color={number}>
                <input
                  type="radio"
                  name={group}
                  checked={colour() === number}
                  aria-label={t('chat.name.colour.number', { count: number + 1 })}
                  onChange={() => setColour(number)}
                />
              </label>
            )}
          </For>
        </fieldset>
        <p class="chat-name-preview">
          <span class="chat-name" data-color={colour()}>
            {name() || '…'}
          </span>{' '}
          {t('chat.name.preview')}
        </p>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t('chat.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={saving()} aria-busy={saving()}>
            {t('chat.name.save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
