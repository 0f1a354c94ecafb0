/** Other streams that are recommended here, and directories that would like to list this one. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { StateTag } from '../../../design/StateTag.tsx';
import { Tabs } from '../../../design/Tabs.tsx';
import { ta } from '../../../i18n/admin.ts';
import { relativeTime } from '../../../i18n/format.ts';
import { hostOf } from '../../../viewer/fediverse/account.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { listOfPolled } from '../../lists/source.ts';
import { createPolled, type PolledValue } from '../../polled.ts';
import { Account } from '../Account.tsx';
import { ActionButton } from '../ActionButton.tsx';
import { Frame } from '../Frame.tsx';
import { Directories, FollowDecision } from '../followers/FollowerLists.tsx';
import { FollowerRows } from '../followers/FollowerRows.tsx';
import { featureServer } from '../requests.ts';
import type { FederatedServer, Follower } from '../wire.ts';
import { AddServer } from './AddServer.tsx';
import { nameOf, ServerList } from './ServerList.tsx';

const INTERVAL_MS = 10_000;

export function Servers(): JSX.Element {
  const servers = createPolled<{ servers: FederatedServer[] }>('/api/admin/federation/servers', INTERVAL_MS);
  const requests = createPolled<{ requests: Follower[] }>('/api/admin/federation/feature-requests', INTERVAL_MS);
  const [question, setQuestion] = createSignal<Question>();
  const featured = listOfPolled(servers, (answer) => answer.servers.filter((server) => !server.isUnsolicited));
  const discovered = () => servers.value()?.servers.filter((server) => server.isUnsolicited) ?? [];

  const tabs = [
    {
      id: 'featured',
      get label() {
        return ta('servers.featured');
      },
      content: () => (
        <div class="stack">
          <section class="card">
            <p class="muted small">{ta('servers.text')}</p>
            <AddServer onAdded={servers.refresh} />
            <ListView
              list={featured}
              empty={{ icon: 'globe', title: ta('servers.empty.title'), text: ta('servers.empty.text') }}
            >
              <ServerList
                servers={featured.entries() ?? []}
                now={servers.at()}
                onAsk={setQuestion}
                onChanged={servers.refresh}
              />
            </ListView>
          </section>
          <Show when={discovered().length > 0}>
            <DiscoveredServers servers={discovered()} onChanged={servers.refresh} />
          </Show>
        </div>
      ),
    },
    {
      id: 'requests',
      get label() {
        return ta('servers.requests');
      },
      get count() {
        return requests.value()?.requests.length;
      },
      content: () => <DirectoryRequests requests={requests} />,
    },
    {
      id: 'directories',
      get label() {
        return ta('followers.directories');
      },
      content: () => <Directories onAsk={setQuestion} />,
    },
  ];

  return (
    <Frame>
      <Tabs label={ta('nav.servers')} tabs={tabs} />
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </Frame>
  );
}

/** Servers that told of themselves; nobody sees them before they are featured. */
function DiscoveredServers(props: { servers: FederatedServer[]; onChanged: () => Promise<void> }): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{ta('servers.heard')}</h2>
        <p class="muted small">{ta('servers.heard.text')}</p>
      </header>
      <ul class="account-rows" aria-label={ta('servers.heard')}>
        <For each={props.servers}>
          {(server) => (
            <li data-id={server.id}>
              <Account name={nameOf(server)} handle={hostOf(server.iri)} link={server.iri} image={server.logoUrl} />
              <StateTag state={server.isOnline ? 'live' : 'offline'} />
              <div class="row account-tools">
                <ActionButton
                  label={ta('servers.add')}
                  icon="plus"
                  of={nameOf(server)}
                  done={ta('servers.added')}
                  run={() => featureServer(server.iri)}
                  onDone={props.onChanged}
                />
              </div>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

/** Directories that wait for a yes or a no. */
function DirectoryRequests(props: { requests: PolledValue<{ requests: Follower[] }> }): JSX.Element {
  const list = listOfPolled(props.requests, ({ requests }) => requests);
  return (
    <section class="card">
      <p class="muted small">{ta('servers.requests.text')}</p>
      <ListView
        list={list}
        empty={{ icon: 'check', title: ta('servers.requests.empty'), text: ta('servers.requests.empty.text') }}
      >
        <FollowerRows
          followers={list.entries() ?? []}
          label={ta('servers.requests')}
          detail={(follower) => ({
            text: relativeTime(follower.timestamp, props.requests.at()),
            at: follower.timestamp,
          })}
          tools={(follower) => <FollowDecision follower={follower} onDone={props.requests.refresh} />}
        />
      </ListView>
    </section>
  );
}
