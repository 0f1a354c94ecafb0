/** What every page about the Fediverse begins with while it is off, and how a list of it waits and fails. */
import '../integrations/integrations.css';
import './federation.css';
import { type JSX, Match, Show, Switch } from 'solid-js';
import { Banner, EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import type { IconName } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { Pager } from '../Pager.tsx';
import { useSettings } from '../settings.tsx';
import { PAGE_SIZE, type Paged } from './paged.ts';

export function useIsOff(): () => boolean {
  const settings = useSettings();
  return () => settings.find('federation/enable')?.value === false;
}

export function Frame(props: { children: JSX.Element }): JSX.Element {
  const isOff = useIsOff();
  return (
    <>
      <Show when={isOff()}>
        <Banner>
          <p>{ta('fedi.off')}</p>
          <div class="row">
            <Link class="button" data-size="small" href="/admin/config-federation">
              {ta('fedi.off.open')}
            </Link>
          </div>
        </Banner>
      </Show>
      {props.children}
    </>
  );
}

export interface ListedProps {
  /** Undefined until there is an answer. */
  length: number | undefined;
  failing: boolean;
  /** Why, where that is known. */
  reason?: string;
  empty: { icon: IconName; title: string; text: string };
  onRetry: () => void;
  children: JSX.Element;
}

/** Once there is something to show, a failed refresh does not take it away. */
export function Listed(props: ListedProps): JSX.Element {
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={props.length}>{props.children}</Match>
      <Match when={props.length === 0}>
        <EmptyState icon={props.empty.icon} title={props.empty.title}>
          <p>{props.empty.text}</p>
        </EmptyState>
      </Match>
      <Match when={props.failing}>
        <LoadError title={ta('error.load')} text={props.reason} onRetry={props.onRetry} />
      </Match>
    </Switch>
  );
}

export function PagedList<Entry>(props: {
  list: Paged<Entry>;
  empty: ListedProps['empty'];
  children: (entries: Entry[]) => JSX.Element;
}): JSX.Element {
  return (
    <Listed
      length={props.list.entries()?.length}
      failing={props.list.failure() !== undefined}
      reason={props.list.failure()}
      empty={props.empty}
      onRetry={() => void props.list.refresh()}
    >
      {props.children(props.list.entries() ?? [])}
      <Pager
        page={props.list.page()}
        total={props.list.total()}
        size={PAGE_SIZE}
        onPage={(page) => props.list.setPage(page)}
      />
    </Listed>
  );
}
