/** Who is in the chat right now, one row for each connection. */
import { For, type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, duration, number } from '../../../i18n/format.ts';
import type { Polled } from '../../polled.ts';
import { banAddress } from '../actions.ts';
import { agentName } from '../addresses.ts';
import type { Question } from '../Confirm.tsx';
import { Badges, Name } from '../Name.tsx';
import type { ChatUser, Client } from '../wire.ts';

export interface ConnectedProps {
  clients: Polled<Client[]>;
  onOpen: (user: ChatUser) => void;
  onAsk: (question: Question) => void;
}

export function Connected(props: ConnectedProps): JSX.Element {
  const askBan = (client: Client) =>
    props.onAsk({
      title: ta('addresses.ban.title', { address: client.ipAddress }),
      text: ta('addresses.ban.text'),
      action: ta('addresses.ban'),
      run: async () => {
        await banAddress(client.ipAddress, ta('addresses.ban.note', { name: client.user.displayName }));
        await props.clients.refresh();
      },
    });
  return (
    <section class="card">
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={props.clients.value()?.length}>
          <div class="table-frame">
            <table class="table people-table">
              <thead>
                <tr>
                  <th scope="col">{ta('people.name')}</th>
                  <th scope="col">{ta('people.connectedFor')}</th>
                  <th scope="col">{ta('people.messages')}</th>
                  <th scope="col">{ta('people.transport')}</th>
                  <th scope="col">{ta('people.address')}</th>
                  <th scope="col">{ta('people.agent')}</th>
                  <th scope="col">
                    <span class="visually-hidden">{ta('people.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <For each={props.clients.value()}>
                  {(client) => (
                    <tr data-id={client.id}>
                      <td>
                        <span class="row">
                          <Name user={client.user} onOpen={props.onOpen} />
                          <Badges user={client.user} now={props.clients.at()} />
                        </span>
                      </td>
                      <td data-label={ta('people.connectedFor')}>
                        <time datetime={client.connectedAt} title={dateTime(client.connectedAt)}>
                          {duration(client.connectedAt, props.clients.at())}
                        </time>
                      </td>
                      <td data-label={ta('people.messages')}>{number(client.messageCount)}</td>
                      <td data-label={ta('people.transport')}>
                        {ta(client.transport === 'sse' ? 'people.transport.sse' : 'people.transport.websocket')}
                      </td>
                      <td data-label={ta('people.address')}>
                        <code>{client.ipAddress}</code>
                      </td>
                      <td class="people-wide" data-label={ta('people.agent')} title={client.userAgent}>
                        {agentName(client.userAgent) || '–'}
                      </td>
                      <td class="people-actions">
                        <button
                          type="button"
                          class="icon-button"
                          aria-label={`${ta('addresses.ban')}: ${client.ipAddress}`}
                          title={ta('addresses.ban')}
                          onClick={() => askBan(client)}
                        >
                          <Icon name="ban" />
                        </button>
                      </td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </div>
        </Match>
        <Match when={props.clients.value()}>
          <EmptyState icon="people" title={ta('people.connected.empty.title')}>
            <p>{ta('people.connected.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={props.clients.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void props.clients.refresh()} />
        </Match>
      </Switch>
    </section>
  );
}
