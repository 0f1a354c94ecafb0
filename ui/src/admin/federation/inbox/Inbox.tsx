/** What others wrote to the stream, did with its posts, and complained about. Only the operator sees it. */
import { createSignal, type JSX } from 'solid-js';
import { Tabs } from '../../../design/Tabs.tsx';
import { ta } from '../../../i18n/admin.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { Frame } from '../Frame.tsx';
import { Activity } from './Activity.tsx';
import { Quotes } from './Quotes.tsx';
import { ReceivedPosts } from './ReceivedPosts.tsx';
import { Reports } from './Reports.tsx';

export function Inbox(): JSX.Element {
  const [question, setQuestion] = createSignal<Question>();
  const tabs = [
    {
      id: 'posts',
      get label() {
        return ta('inbox.posts');
      },
      content: () => <ReceivedPosts />,
    },
    {
      id: 'activity',
      get label() {
        return ta('inbox.activity');
      },
      content: () => <Activity />,
    },
    {
      id: 'quotes',
      get label() {
        return ta('inbox.quotes');
      },
      content: () => <Quotes onAsk={setQuestion} />,
    },
    {
      id: 'reports',
      get label() {
        return ta('inbox.reports');
      },
      content: () => <Reports />,
    },
  ];
  return (
    <Frame>
      <Tabs label={ta('nav.inbox')} tabs={tabs} />
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </Frame>
  );
}
