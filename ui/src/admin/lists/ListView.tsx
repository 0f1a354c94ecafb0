/** How every list waits, fails and is empty; and a long one with the way to its other pages. */
import { type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import type { IconName } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { Pager } from './Pager.tsx';
import { PAGE_SIZE, type PagedSource } from './paged.ts';
import type { ListSource } from './source.ts';

export interface ListViewProps {
  list: ListSource<unknown>;
  empty: { icon: IconName; title: string; text: string };
  /** Lines of the placeholder while the first answer is on its way. */
  lines?: number;
  children: JSX.Element;
}

/** Once there is something to show, a failed refresh does not take it away. */
export function ListView(props: ListViewProps): JSX.Element {
  const length = () => props.list.entries()?.length;
  return (
    <Switch fallback={<Skeleton lines={props.lines} />}>
      <Match when={length()}>{props.children}</Match>
      <Match when={length() === 0}>
        <EmptyState icon={props.empty.icon} title={props.empty.title}>
          <p>{props.empty.text}</p>
        </EmptyState>
      </Match>
      <Match when={props.list.failure() !== undefined}>
        <LoadError title={ta('error.load')} text={props.list.failure()} onRetry={() => void props.list.refresh()} />
      </Match>
    </Switch>
  );
}

export function PagedList<Entry>(props: {
  list: PagedSource<Entry>;
  empty: ListViewProps['empty'];
  children: (entries: Entry[]) => JSX.Element;
}): JSX.Element {
  return (
    <ListView list={props.list} empty={props.empty}>
      {props.children(props.list.entries() ?? [])}
      <Pager
        page={props.list.page()}
        total={props.list.total()}
        size={PAGE_SIZE}
        onPage={(page) => props.list.setPage(page)}
      />
    </ListView>
  );
}
