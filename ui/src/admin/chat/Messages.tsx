/** The page for looking after the chat while it is going on. */
import { createSignal, type JSX } from 'solid-js';
import { Tabs } from '../../design/Tabs.tsx';
import { ta } from '../../i18n/admin.ts';
import { createPolled } from '../polled.ts';
import { AuditLog } from './AuditLog.tsx';
import { ChatAsOperator } from './ChatAsOperator.tsx';
import { HeldMessages } from './HeldMessages.tsx';
import { MessageList } from './MessageList.tsx';
import { PanicSwitch } from './PanicSwitch.tsx';
import { PersonDialog } from './Person.tsx';
import type { ChatUser, HeldMessage, StoredMessage } from './wire.ts';

/** Close enough to follow a conversation. */
const INTERVAL_MS = 3_000;

export function Messages(): JSX.Element {
  const messages = createPolled<StoredMessage[]>('/api/admin/chat/messages', INTERVAL_MS);
  const held = createPolled<HeldMessage[]>('/api/admin/chat/held', INTERVAL_MS);
  const [person, setPerson] = createSignal<ChatUser>();

  const tabs = [
    {
      id: 'messages',
      get label() {
        return ta('messages.tab');
      },
      content: () => <MessageList messages={messages} onOpen={setPerson} />,
    },
    {
      id: 'waiting',
      get label() {
        return ta('waiting.tab');
      },
      get count() {
        return held.value()?.length;
      },
      content: () => <HeldMessages held={held} onOpen={setPerson} />,
    },
    {
      id: 'log',
      get label() {
        return ta('audit.tab');
      },
      content: () => <AuditLog />,
    },
  ];

  return (
    <>
      <PanicSwitch />
      <Tabs label={ta('nav.messages')} tabs={tabs} />
      <ChatAsOperator />
      <PersonDialog
        user={person()}
        onClose={() => setPerson(undefined)}
        onChanged={() => {
          void messages.refresh();
          void held.refresh();
        }}
      />
    </>
  );
}
