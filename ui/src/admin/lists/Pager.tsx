/** Which part of a long list is shown, and the way to the others. */
import { type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { number } from '../../i18n/format.ts';

export interface PagerProps {
  /** From 0. */
  page: number;
  total: number;
  /** Entries on one page. */
  size: number;
  onPage: (page: number) => void;
}

export function Pager(props: PagerProps): JSX.Element {
  const last = () => Math.max(Math.ceil(props.total / props.size) - 1, 0);
  const range = () =>
    ta('people.range', {
      from: number(props.page * props.size + 1),
      to: number(Math.min((props.page + 1) * props.size, props.total)),
      total: number(props.total),
    });
  return (
    <nav class="pager" aria-label={ta('people.pages')}>
      <span class="muted small" role="status">
        {range()}
      </span>
      <Show when={last() > 0}>
        <div class="row">
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={props.page === 0}
            onClick={() => props.onPage(props.page - 1)}
          >
            {ta('people.previous')}
          </button>
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={props.page >= last()}
            onClick={() => props.onPage(props.page + 1)}
          >
            {ta('people.next')}
          </button>
        </div>
      </Show>
    </nav>
  );
}
