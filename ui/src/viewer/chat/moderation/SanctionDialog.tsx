/** The questions before a timeout or a ban: for how long, and why. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { TextField } from '../../../design/TextField.tsx';
import type { ChatUser } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import type { Room } from '../room.ts';
import { tm } from './texts.ts';

/** As the server takes them. */
export const MAX_REASON_CHARS = 200;

export const LENGTHS = [
  { seconds: 60, words: 'sanction.minute' },
  { seconds: 5 * 60, words: 'sanction.five' },
  { seconds: 10 * 60, words: 'sanction.ten' },
  { seconds: 3600, words: 'sanction.hour' },
  { seconds: 24 * 3600, words: 'sanction.day' },
] as const;
const USUAL_SECONDS = 10 * 60;

export interface SanctionDialogProps {
  room: Room;
  kind: 'ban' | 'timeout';
  user: ChatUser;
  onClose: () => void;
}

export function SanctionDialog(props: SanctionDialogProps): JSX.Element {
  // Both stay what they are while the dialog is open.
  const { room, kind, user } = props;
  const name = user.displayName;
  const [seconds, setSeconds] = createSignal(USUAL_SECONDS);
  const [reason, setReason] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const isTooLong = () => [...reason().trim()].length > MAX_REASON_CHARS;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isTooLong() || busy()) return;
    setBusy(true);
    const why = reason().trim() || undefined;
    const { moderation } = room;
    const done =
      kind === 'ban'
        ? await attempt(moderation.ban(user.id, why), tm('chat.ban.done', { name }))
        : await attempt(moderation.timeOut(user.id, seconds(), why), tm('sanction.timeout.done', { name }));
    setBusy(false);
    if (done) props.onClose();
  };

  return (
    <Dialog
      open
      title={tm(kind === 'ban' ? 'chat.ban.title' : 'sanction.timeout.title', { name })}
      onClose={props.onClose}
    >
      <form class="stack" novalidate onSubmit={(event) => void submit(event)}>
        <Show when={kind === 'timeout'} fallback={<p>{tm('chat.ban.text')}</p>}>
          <fieldset class="segments" aria-label={tm('sanction.length')}>
            <For each={LENGTHS}>
              {(length) => (
                <button
                  type="button"
                  aria-pressed={seconds() === length.seconds}
                  onClick={() => setSeconds(length.seconds)}
                >
                  {tm(length.words)}
                </button>
              )}
            </For>
          </fieldset>
        </Show>
        <TextField
          label={tm('sanction.reason')}
          value={reason()}
          onInput={setReason}
          help={tm('sanction.reason.help')}
          error={isTooLong() ? tm('sanction.reason.long', { count: MAX_REASON_CHARS }) : undefined}
        />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {tm('chat.cancel')}
          </button>
          <button type="submit" class="button" data-look="danger" disabled={busy()} aria-busy={busy()}>
            {tm(kind === 'ban' ? 'chat.ban' : 'sanction.timeout.go')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
