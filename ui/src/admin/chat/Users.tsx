/** The page about people: who is here, who ever was, who helps, and who may not come back. */
import { createSignal, type JSX } from 'solid-js';
import { Tabs } from '../../design/Tabs.tsx';
import { ta } from '../../i18n/admin.ts';
import { createPolled } from '../polled.ts';
import { Confirm, type Question } from './Confirm.tsx';
import { PersonDialog } from './Person.tsx';
import { AddressBans } from './users/AddressBans.tsx';
import { AllUsers } from './users/AllUsers.tsx';
import { BannedUsers } from './users/BannedUsers.tsx';
import { ConnectedUsers } from './users/ConnectedUsers.tsx';
import { Moderators } from './users/Moderators.tsx';
import type { ChatUser, Client } from './wire.ts';

const CLIENTS_INTERVAL_MS = 5_000;

export function Users(): JSX.Element {
  const clients = createPolled<Client[]>('/api/admin/chat/clients', CLIENTS_INTERVAL_MS);
  const [person, setPerson] = createSignal<ChatUser>();
  const [question, setQuestion] = createSignal<Question>();
  const [changes, setChanges] = createSignal(0);

  const tabs = [
    {
      id: 'connected',
      get label() {
        return ta('people.connected');
      },
      get count() {
        return clients.value()?.length;
      },
      content: () => <ConnectedUsers clients={clients} onOpen={setPerson} onAsk={setQuestion} />,
    },
    {
      id: 'all',
      get label() {
        return ta('people.all');
      },
      content: () => <AllUsers changes={changes()} onOpen={setPerson} />,
    },
    {
      id: 'banned',
      get label() {
        return ta('banned.tab');
      },
      content: () => <BannedUsers changes={changes()} onOpen={setPerson} />,
    },
    {
      id: 'moderators',
      get label() {
        return ta('moderators.tab');
      },
      content: () => <Moderators changes={changes()} onOpen={setPerson} />,
    },
    {
      id: 'addresses',
      get label() {
        return ta('addresses.tab');
      },
      content: () => <AddressBans />,
    },
  ];

  return (
    <>
      <Tabs label={ta('nav.users')} tabs={tabs} />
      <PersonDialog
        user={person()}
        onClose={() => setPerson(undefined)}
        onChanged={() => {
          setChanges(changes() + 1);
          void clients.refresh();
        }}
      />
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}
