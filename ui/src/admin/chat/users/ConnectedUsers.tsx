/** Who is in the chat right now, one row for each connection. */
import type { JSX } from 'solid-js';
import { Time } from '../../../design/Time.tsx';
import { ta } from '../../../i18n/admin.ts';
import { duration, number } from '../../../i18n/format.ts';
import { DataTable } from '../../lists/DataTable.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { RowTool } from '../../lists/RowTool.tsx';
import { listOfPolled } from '../../lists/source.ts';
import type { PolledValue } from '../../polled.ts';
import { banAddress } from '../actions.ts';
import { agentName } from '../addresses.ts';
import type { Question } from '../Confirm.tsx';
import { Badges, Name } from '../Name.tsx';
import type { ChatUser, Client } from '../wire.ts';

export interface ConnectedUsersProps {
  clients: PolledValue<Client[]>;
  onOpen: (user: ChatUser) => void;
  onAsk: (question: Question) => void;
}

export function ConnectedUsers(props: ConnectedUsersProps): JSX.Element {
  const list = listOfPolled(props.clients, (clients) => clients);
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
      <ListView
        list={list}
        lines={6}
        empty={{ icon: 'people', title: ta('people.connected.empty.title'), text: ta('people.connected.empty.text') }}
      >
        <DataTable
          rows={list.entries() ?? []}
          data={({ id }) => ({ 'data-id': id })}
          columns={[
            {
              label: ta('people.name'),
              heading: true,
              cell: (client) => (
                <span class="row">
                  <Name user={client.user} onOpen={props.onOpen} />
                  <Badges user={client.user} now={props.clients.at()} />
                </span>
              ),
            },
            {
              label: ta('people.connectedFor'),
              cell: ({ connectedAt }) => <Time at={connectedAt} text={duration(connectedAt, props.clients.at())} />,
            },
            { label: ta('people.messages'), cell: (client) => number(client.messageCount) },
            {
              label: ta('people.transport'),
              cell: (client) => ta(client.transport === 'sse' ? 'people.transport.sse' : 'people.transport.websocket'),
            },
            { label: ta('people.address'), cell: (client) => <code>{client.ipAddress}</code> },
            {
              label: ta('people.agent'),
              wide: true,
              title: (client) => client.userAgent,
              cell: (client) => agentName(client.userAgent) || '–',
            },
          ]}
          actions={(client) => (
            <RowTool icon="ban" label={ta('addresses.ban')} of={client.ipAddress} onPress={() => askBan(client)} />
          )}
        />
      </ListView>
    </section>
  );
}
