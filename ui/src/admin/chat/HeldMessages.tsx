/** First messages of newcomers, waiting for a yes or a no. */
import { createSignal, For, type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { relativeTime } from '../../i18n/format.ts';
import { Link } from '../../router.tsx';
import type { PolledValue } from '../polled.ts';
import { useSettings } from '../settings.tsx';
import { announced, decide } from './actions.ts';
import { MessageBody } from './MessageBody.tsx';
import { Author } from './Name.tsx';
import type { ChatUser, HeldMessage } from './wire.ts';

export function HeldMessages(props: {
  held: PolledValue<HeldMessage[]>;
  onOpen: (user: ChatUser) => void;
}): JSX.Element {
  const settings = useSettings();
  const [busy, setBusy] = createSignal('');
  const isOn = () => settings.find('chat/holdfirstmessage')?.value === true;

  const answer = async (id: string, approve: boolean) => {
    setBusy(id);
    await announced(decide(id, approve), ta(approve ? 'waiting.approved' : 'waiting.rejected'));
    await props.held.refresh();
    setBusy('');
  };

  return (
    <section class="card">
      <Switch fallback={<Skeleton />}>
        <Match when={props.held.value()?.length}>
          <ul class="message-list">
            <For each={props.held.value()}>
              {(message) => (
                <li class="held-row" data-id={message.id}>
                  <div class="message-head">
                    <Author user={message.user} onOpen={props.onOpen} />
                    <time class="muted small" datetime={message.timestamp}>
                      {relativeTime(message.timestamp, props.held.at())}
                    </time>
                  </div>
                  <MessageBody html={message.body} />
                  <div class="row">
                    <button
                      type="button"
                      class="button"
                      data-size="small"
                      data-look="primary"
                      disabled={busy() === message.id}
                      onClick={() => void answer(message.id, true)}
                    >
                      <Icon name="check" />
                      {ta('waiting.approve')}
                    </button>
                    <button
                      type="button"
                      class="button"
                      data-size="small"
                      disabled={busy() === message.id}
                      onClick={() => void answer(message.id, false)}
                    >
                      <Icon name="cross" />
                      {ta('waiting.reject')}
                    </button>
                  </div>
                </li>
              )}
            </For>
          </ul>
        </Match>
        <Match when={props.held.value() && isOn()}>
          <EmptyState icon="check" title={ta('waiting.empty.title')}>
            <p>{ta('waiting.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={props.held.value()}>
          <EmptyState icon="clock" title={ta('waiting.off.title')}>
            <p>{ta('waiting.off.text')}</p>
            <Link class="button" href="/admin/config-chat">
              {ta('chatset.open')}
            </Link>
          </EmptyState>
        </Match>
        <Match when={props.held.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void props.held.refresh()} />
        </Match>
      </Switch>
    </section>
  );
}
