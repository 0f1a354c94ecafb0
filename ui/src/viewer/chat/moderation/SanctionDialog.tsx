/** The questions before a timeout or a ban: for how long, and why. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { toast } from '../../../design/toasts.tsx';
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
/** No end. */
export const FOR_EVER = 0;
export const BAN_LENGTHS = [
  { seconds: 10 * 60, words: 'sanction.ten' },
  { seconds: 3600, words: 'sanction.hour' },
  { seconds: 24 * 3600, words: 'sanction.day' },
  { seconds: 7 * 24 * 3600, words: 'sanction.week' },
  { seconds: FOR_EVER, words: 'sanction.ever' },
] as const;

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
  const [seconds, setSeconds] = createSignal<number>(kind === 'ban' ? FOR_EVER : USUAL_SECONDS);
  const [hidesToo, setHidesToo] = createSignal(false);
  const [reason, setReason] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const isTooLong = () => [...reason().trim()].length > MAX_REASON_CHARS;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isTooLong() || busy()) return;
    setBusy(true);
    const why = reason().trim() || undefined;
    const { moderation } = room;
    const isBan = kind === 'ban';
    // What was visible until now comes back with an undo, and nothing else.
    const ids = isBan || hidesToo() ? await visibleLines(room, user.id) : [];
    const done = await attempt(
      isBan ? moderation.ban(user.id, why, seconds() || undefined) : moderation.timeOut(user.id, seconds(), why),
    );
    if (done && !isBan && ids.length > 0) await attempt(moderation.hide(ids));
    setBusy(false);
    if (!done) return;
    const undo = async () => {
      const back = isBan ? moderation.unban(user.id) : moderation.timeOut(user.id, 0);
      if ((await attempt(back)) && ids.length > 0) await attempt(moderation.show(ids));
    };
    const text = isBan ? tm('chat.ban.done', { name }) : tm('sanction.timeout.done', { name });
    toast(text, { label: tm('chat.undo'), onSelect: () => void undo() });
    props.onClose();
  };

  return (
    <Dialog
      open
      title={tm(kind === 'ban' ? 'chat.ban.title' : 'sanction.timeout.title', { name })}
      onClose={props.onClose}
    >
      <form class="stack" novalidate onSubmit={(event) => void submit(event)}>
        <Show when={kind === 'ban'}>
          <p>{tm('sanction.ban.text')}</p>
        </Show>
        <fieldset class="segments" aria-label={tm('sanction.length')}>
          <For each={kind === 'ban' ? BAN_LENGTHS : LENGTHS}>
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
        <Show when={kind === 'timeout'}>
          <label class="row">
            <input
              type="checkbox"
              checked={hidesToo()}
              onChange={(event) => setHidesToo(event.currentTarget.checked)}
            />
            {tm('sanction.hideToo')}
          </label>
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

/** The lines of somebody that others can see now; none when the server does not say. */
async function visibleLines(room: Room, userId: string): Promise<string[]> {
  const known = await room.moderation.details(userId).catch(() => undefined);
  return known?.messages.filter(({ hiddenAt }) => !hiddenAt).map(({ id }) => id) ?? [];
}
