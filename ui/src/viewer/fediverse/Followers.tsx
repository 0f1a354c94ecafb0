/** Who follows the stream, newest first, page by page. */
import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { Avatar } from '../../design/Avatar.tsx';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import type { Follower, FollowersPage } from '../../wire.ts';
import { webAddress } from './account.ts';
import { tf } from './texts.ts';

/** Fills whole rows of two, three and four columns. */
const PAGE_SIZE = 24;

export function Followers(): JSX.Element {
  const [followers, setFollowers] = createSignal<Follower[]>();
  const [total, setTotal] = createSignal(0);
  /** Not told by the total: a private stream says how many there are and nothing else. */
  const [hasMore, setHasMore] = createSignal(false);
  const [state, setState] = createSignal<'ready' | 'busy' | 'failed'>('busy');
  let list: HTMLUListElement | undefined;

  const load = async () => {
    const offset = followers()?.length ?? 0;
    setState('busy');
    try {
      const page = await api.get<FollowersPage>(`/api/followers?offset=${offset}&limit=${PAGE_SIZE}`);
      setTotal(page.total);
      // Somebody new since the last page moves everybody by one place.
      const known = new Set(followers()?.map(({ link }) => link));
      setHasMore(page.results.length > 0 && offset + page.results.length < page.total);
      setFollowers([...(followers() ?? []), ...page.results.filter(({ link }) => !known.has(link))]);
      setState('ready');
      // The button that was pressed may be gone; those it brought begin here.
      if (offset > 0) list?.querySelectorAll<HTMLElement>('a')[offset]?.focus();
    } catch {
      setState('failed');
    }
  };
  void load();

  return (
    <div id="followers-collection" class="stack">
      <Switch>
        <Match when={followers()?.length}>
          <ul
            class="followers"
            aria-label={tf('viewer.followers')}
            ref={(element) => {
              list = element;
            }}
          >
            <For each={followers()}>{(follower) => <Person follower={follower} />}</For>
          </ul>
        </Match>
        <Match when={followers() && total() > 0}>
          <EmptyState icon="people" title={tf('followers.private.title', { count: total() })}>
            <p>{tf('followers.private.text')}</p>
          </EmptyState>
        </Match>
        <Match when={followers()}>
          <EmptyState icon="people" title={tf('followers.empty.title')}>
            <p>{tf('followers.empty.text')}</p>
          </EmptyState>
        </Match>
      </Switch>
      <Switch>
        <Match when={state() === 'failed'}>
          <LoadError title={tf('followers.failed')} onRetry={() => void load()} />
        </Match>
        <Match when={!followers()}>
          <Skeleton />
        </Match>
        <Match when={hasMore()}>
          <button type="button" class="button followers-more" disabled={state() === 'busy'} onClick={() => void load()}>
            {tf(state() === 'busy' ? 'common.loading' : 'followers.more')}
          </button>
        </Match>
      </Switch>
    </div>
  );
}

function Person(props: { follower: Follower }): JSX.Element {
  const name = () => props.follower.name || props.follower.username;
  const content = () => (
    <>
      <Avatar name={name()} image={props.follower.image} />
      <span class="person-text">
        <span class="person-name">
          <bdi>{name()}</bdi>
        </span>
        <span class="person-account">
          <bdi>@{props.follower.username.replace(/^@/, '')}</bdi>
        </span>
      </span>
    </>
  );
  return (
    <li class="followers-follower">
      <Show when={webAddress(props.follower.link)} fallback={<span class="person">{content()}</span>}>
        {(link) => (
          <a class="person" href={link()} target="_blank" rel="nofollow noopener noreferrer ugc">
            {content()}
          </a>
        )}
      </Show>
    </li>
  );
}
