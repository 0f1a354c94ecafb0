/** Streams the operator recommends, and which of them are on. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Avatar } from '../../design/Avatar.tsx';
import { StateTag } from '../../design/StateTag.tsx';
import { usePolling } from '../../poll.ts';
import type { FeaturedServer } from '../../wire.ts';
import { hostOf, webAddress } from './account.ts';
import { tf } from './texts.ts';

/** As often as servers tell each other about themselves, or nearly. */
const INTERVAL_MS = 60_000;

export function Featured(props: { servers: FeaturedServer[] }): JSX.Element {
  const [servers, setServers] = createSignal(props.servers);
  usePolling({
    ask: () => api.get<{ servers: FeaturedServer[] }>('/api/federation/servers'),
    onAnswer: (answer) => setServers(answer.servers),
    onTrouble: () => {},
    intervalMs: INTERVAL_MS,
    immediately: true,
  });
  return (
    <ul class="featured" aria-label={tf('viewer.featured')}>
      <For each={servers()}>{(server) => <Server server={server} />}</For>
    </ul>
  );
}

function Server(props: { server: FeaturedServer }): JSX.Element {
  const name = () => props.server.displayName || hostOf(props.server.iri);
  const text = () =>
    (props.server.isOnline && (props.server.streamTitle || props.server.streamDescription)) || props.server.summary;
  return (
    <li class="featured-server" data-online={props.server.isOnline}>
      <Avatar name={name()} image={props.server.logoUrl} />
      <div class="person-text">
        <span class="featured-head">
          <a class="person-name" href={webAddress(props.server.iri)} target="_blank" rel="noopener noreferrer">
            <bdi>{name()}</bdi>
          </a>
          <StateTag state={props.server.isOnline ? 'live' : 'offline'} />
        </span>
        <span class="person-account">{hostOf(props.server.iri)}</span>
        <Show when={text()}>
          {(words) => (
            <p class="featured-text">
              <bdi>{words()}</bdi>
            </p>
          )}
        </Show>
        <Show when={props.server.isOnline && props.server.tags?.length}>
          <ul class="identity-list" aria-label={tf('viewer.tags')}>
            <For each={props.server.tags}>{(tag) => <li class="tag">#{tag}</li>}</For>
          </ul>
        </Show>
      </div>
    </li>
  );
}
