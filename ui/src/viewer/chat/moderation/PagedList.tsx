/** A list that arrives in parts, with what it says while it waits, when it is empty and when it failed. */
import { For, type JSX, Show } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import type { Paged } from './paged.ts';
import { tm } from './texts.ts';

export function PagedList<T>(props: {
  list: Paged<T>;
  empty: string;
  children: (entry: T) => JSX.Element;
}): JSX.Element {
  return (
    <Show
      when={props.list.entries()}
      fallback={
        <Show when={props.list.hasFailed()} fallback={<Skeleton lines={3} />}>
          <LoadError title={tm('chat.failed')} onRetry={props.list.refresh} />
        </Show>
      }
    >
      {(entries) => (
        <>
          <ul class="moderation-list">
            <For each={entries()} fallback={<EmptyState icon="check">{props.empty}</EmptyState>}>
              {(entry) => <li>{props.children(entry)}</li>}
            </For>
          </ul>
          <Show when={props.list.hasMore()}>
            <button
              type="button"
              class="button moderation-more"
              data-size="small"
              disabled={props.list.isBusy()}
              onClick={props.list.more}
            >
              {tm('panel.more')}
            </button>
          </Show>
        </>
      )}
    </Show>
  );
}
