/** Who is banned or timed out, since when or until when and why, and the way to lift it. */
import { type JSX, Show } from 'solid-js';
import { dateTime } from '../../../i18n/format.ts';
import type { SanctionedUser } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import { Badges, Name } from '../Lines.tsx';
import type { Room } from '../room.ts';
import { PagedList } from './PagedList.tsx';
import { createPaged } from './paged.ts';
import { tm } from './texts.ts';

export function SanctionedList(props: { room: Room }): JSX.Element {
  const { moderation } = props.room;
  const list = createPaged<SanctionedUser>(async (before) => {
    const { total, results } = await moderation.sanctioned(before.length);
    // Whoever moved up a place in the meantime is there already.
    const known = new Set(before.map(({ id }) => id));
    const entries = results.filter(({ id }) => !known.has(id));
    return { entries, hasMore: entries.length > 0 && before.length + entries.length < total };
  });
  const lift = async ({ id, displayName: name, disabledAt }: SanctionedUser) => {
    const done = disabledAt
      ? await attempt(moderation.unban(id), tm('chat.unban.done', { name }))
      : await attempt(moderation.timeOut(id, 0), tm('chat.timeout.lifted', { name }));
    if (done) list.remove((user) => user.id === id);
  };
  return (
    <PagedList list={list} empty={tm('panel.sanctioned.none')}>
      {(user) => (
        <div class="moderation-entry">
          <div class="moderation-facts">
            <span class="row">
              <Name user={user} />
              <Badges user={user} />
            </span>
            <span class="muted small">{stateOf(user)}</span>
            <Show when={user.disabledAt ? user.disabledReason : user.mutedReason}>
              {(reason) => <span class="small">{tm('panel.reason', { reason: reason() })}</span>}
            </Show>
          </div>
          <button
            type="button"
            class="button"
            data-size="small"
            aria-label={tm(user.disabledAt ? 'panel.unban' : 'panel.lift', { name: user.displayName })}
            onClick={() => void lift(user)}
          >
            {tm(user.disabledAt ? 'chat.unban' : 'chat.timeout.lift')}
          </button>
        </div>
      )}
    </PagedList>
  );
}

function stateOf({ disabledAt, disabledUntil, mutedUntil }: SanctionedUser): string {
  if (disabledUntil) return tm('panel.bannedUntil', { when: dateTime(disabledUntil) });
  if (disabledAt) return tm('panel.banned', { when: dateTime(disabledAt) });
  return tm('panel.timedOut', { when: dateTime(mutedUntil ?? '') });
}
