/** What is on its way to other servers, which of them are in trouble, and what can be done about it. */
import { createEffect, createSignal, For, type JSX, Match, on, Show, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime, number, relativeTime } from '../../../i18n/format.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { createPaged } from '../../lists/paged.ts';
import { createPolled } from '../../polled.ts';
import { Frame } from '../Frame.tsx';
import type { Delivery, QueueSummary } from '../wire.ts';
import { Hosts } from './Hosts.tsx';
import { Queue } from './Queue.tsx';

const INTERVAL_MS = 5_000;
const STATES = ['pending', 'failed', 'delivered'] as const;

export function Deliveries(): JSX.Element {
  const summary = createPolled<QueueSummary>('/api/admin/federation/deliveries/summary', INTERVAL_MS);
  const [state, setState] = createSignal<(typeof STATES)[number]>('pending');
  const [host, setHost] = createSignal('');
  const [question, setQuestion] = createSignal<Question>();
  const deliveries = createPaged<Delivery>(() => {
    const query = new URLSearchParams({ state: state(), ...(host() && { host: host() }) });
    return `/api/admin/federation/deliveries?${query}`;
  });
  // Another question begins at its first page.
  createEffect(on([state, host], () => deliveries.setPage(0), { defer: true }));
  const refresh = async () => {
    await Promise.all([deliveries.refresh(), summary.refresh()]);
  };

  return (
    <Frame>
      <section class="card">
        <Switch fallback={<Skeleton lines={2} />}>
          <Match when={summary.value()}>{(found) => <Summary summary={found()} now={summary.at()} />}</Match>
          <Match when={summary.failing()}>
            <LoadError title={ta('error.load')} onRetry={() => void summary.refresh()} />
          </Match>
        </Switch>
      </section>
      <Hosts chosen={host()} onChoose={setHost} />
      <section class="card">
        <div class="card-head">
          <h2>{ta('queue.title')}</h2>
          <fieldset class="segments" aria-label={ta('queue.show')}>
            <For each={STATES}>
              {(one) => (
                <button type="button" aria-pressed={state() === one} onClick={() => setState(one)}>
                  {ta(`queue.state.${one}` as AdminKey)}
                </button>
              )}
            </For>
          </fieldset>
        </div>
        <Show when={host()}>
          <p class="row">
            {ta('queue.only', { host: host() })}
            <button type="button" class="button" data-size="small" data-look="quiet" onClick={() => setHost('')}>
              {ta('queue.all')}
            </button>
          </p>
        </Show>
        <Queue list={deliveries} now={summary.at()} onAsk={setQuestion} onChanged={refresh} />
      </section>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </Frame>
  );
}

function Summary(props: { summary: QueueSummary; now: string }): JSX.Element {
  return (
    <dl class="facts">
      <Fact name={ta('queue.waiting')}>{number(props.summary.waiting)}</Fact>
      <Fact name={ta('queue.retrying')}>{number(props.summary.retrying)}</Fact>
      <Fact name={ta('queue.oldest')}>
        <Show when={props.summary.oldest} fallback="–">
          {(at) => (
            <time datetime={at()} title={dateTime(at())}>
              {relativeTime(at(), props.now)}
            </time>
          )}
        </Show>
      </Fact>
      <Fact name={ta('queue.held')}>{number(props.summary.heldHosts)}</Fact>
      <Fact name={ta('queue.failed')}>{number(props.summary.failed)}</Fact>
    </dl>
  );
}

function Fact(props: { name: string; children: JSX.Element }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
