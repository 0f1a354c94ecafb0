/** Who follows, who would like to, who may not, and which directories list the stream. */
import { createSignal, type JSX } from 'solid-js';
import { Tabs } from '../../../design/Tabs.tsx';
import { ta } from '../../../i18n/admin.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { createPolled } from '../../polled.ts';
import { Frame } from '../Frame.tsx';
import type { Follower } from '../wire.ts';
import { AllFollowers } from './AllFollowers.tsx';
import { BlockedFollowers, Directories, PendingFollowers } from './FollowerLists.tsx';

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
      content: () => <AllFollowers onAsk={setQuestion} />,
    },
    {
      id: 'waiting',
      get label() {
        return ta('followers.waiting');
      },
      get count() {
        return waiting.value()?.length;
      },
      content: () => <PendingFollowers followers={waiting} />,
    },
    {
      id: 'blocked',
      get label() {
        return ta('followers.blocked');
      },
      content: () => <BlockedFollowers />,
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
