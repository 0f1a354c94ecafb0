/** What moderators did, newest first: who, what, to whom, and why. */
import { type JSX, Show } from 'solid-js';
import { dateTime } from '../../../i18n/format.ts';
import type { ModerationEntry } from '../../../wire.ts';
import type { Room } from '../room.ts';
import { actionText } from './action-text.ts';
import { PagedList } from './PagedList.tsx';
import { createPaged } from './paged.ts';
import { tm } from './texts.ts';

/** As many as the server sends at once. */
const PART = 50;

export function ActionLog(props: { room: Room }): JSX.Element {
  const { moderation } = props.room;
  const list = createPaged<ModerationEntry>(async (before) => {
    const entries = await moderation.log(before.at(-1)?.seq);
    return { entries, hasMore: entries.length === PART };
  });
  return (
    <PagedList list={list} empty={tm('panel.log.none')}>
      {(entry) => (
        <div class="moderation-facts">
          <time class="muted small" datetime={entry.at}>
            {dateTime(entry.at)}
          </time>
          <span>{actionText(entry)}</span>
          <Show when={entry.reason}>
            <span class="small">{tm('panel.reason', { reason: entry.reason })}</span>
          </Show>
        </div>
      )}
    </PagedList>
  );
}
