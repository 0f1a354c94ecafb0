/** Who follows, who would like to, who may not, and which directories list the stream. */
import { createSignal, type JSX } from 'solid-js';
import { Tabs } from '../../../design/Tabs.tsx';
import { ta } from '../../../i18n/admin.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { createPolled } from '../../polled.ts';
import { Frame } from '../Frame.tsx';
import type { Follower } from '../wire.ts';
import { All } from './All.tsx';
import { Blocked, Directories, Waiting } from './Lists.tsx';

const INTERVAL_MS = 10_000;

export function Followers(): JSX.Element {
  const waiting = createPolled<Follower[]>('/api/admin/followers/pending', INTERVAL_MS);
  const [question, setQuestion] = createSignal<Question>();

  const tabs = [
    {
      id: 'all',
      get label() {
        return ta('followers.all');
      },
      content: () => <All onAsk={setQuestion} />,
    },
    {
      id: 'waiting',
      get label() {
        return ta('followers.waiting');
      },
      get count() {
        return waiting.value()?.length;
      },
      content: () => <Waiting followers={waiting} />,
    },
    {
      id: 'blocked',
      get label() {
        return ta('followers.blocked');
      },
      content: () => <Blocked />,
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
      <Tabs label={ta('nav.followers')} tabs={tabs} />
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </Frame>
  );
}
