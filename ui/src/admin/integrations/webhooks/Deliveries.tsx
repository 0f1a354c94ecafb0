/** What was sent to one receiver lately, what it answered, and what is tried again. */
import { createEffect, createSignal, For, type JSX, Match, on, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { dateTime, logTime, number } from '../../../i18n/format.ts';
import { createPolled } from '../../polled.ts';
import { retryDelivery } from '../requests.ts';
import type { Delivery } from '../wire.ts';
import { eventName } from './events.ts';

/** Somebody who has just pressed "send test" is looking. */
const INTERVAL_MS = 2_000;
const SHOWN = 20;

export function Deliveries(props: {
  webhookId: number;
  /** Changes when something was sent from here. */
  changes: number;
}): JSX.Element {
  const path = `/api/admin/webhooks/deliveries?webhookId=${props.webhookId}&limit=${SHOWN}`;
  const deliveries = createPolled<Delivery[]>(path, INTERVAL_MS);
  createEffect(
    on(
      () => props.changes,
      () => void deliveries.refresh(),
      { defer: true },
    ),
  );

  return (
    <Switch fallback={<Skeleton lines={3} />}>
      <Match when={deliveries.value()?.length}>
        <div class="table-frame">
          <table class="table people-table deliveries" aria-label={ta('deliveries.title')}>
            <thead>
              <tr>
                <th scope="col">{ta('logs.time')}</th>
                <th scope="col">{ta('deliveries.event')}</th>
                <th scope="col">{ta('deliveries.state')}</th>
                <th scope="col">{ta('deliveries.attempts')}</th>
                <th scope="col">{ta('deliveries.answer')}</th>
                <th scope="col">
                  <span class="visually-hidden">{ta('people.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              <For each={deliveries.value()}>
                {(delivery) => <Row delivery={delivery} now={deliveries.at()} onRetried={deliveries.refresh} />}
              </For>
            </tbody>
          </table>
        </div>
      </Match>
      <Match when={deliveries.value()}>
        <EmptyState icon="clock" title={ta('deliveries.empty.title')}>
          <p>{ta('deliveries.empty.text')}</p>
        </EmptyState>
      </Match>
      <Match when={deliveries.failing()}>
        <LoadError title={ta('error.load')} onRetry={() => void deliveries.refresh()} />
      </Match>
    </Switch>
  );
}

const TONES = { waiting: 'warning', delivered: undefined, failed: 'error' } as const;

function Row(props: { delivery: Delivery; now: string; onRetried: () => Promise<void> }): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const retry = async () => {
    setBusy(true);
    try {
      await retryDelivery(props.delivery.id);
      await props.onRetried();
    } catch (problem) {
      toast(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <tr data-id={props.delivery.id} data-state={props.delivery.state}>
      <td data-label={ta('logs.time')}>
        <time datetime={props.delivery.createdAt} title={dateTime(props.delivery.createdAt)}>
          {logTime(props.delivery.createdAt)}
        </time>
      </td>
      <td data-label={ta('deliveries.event')} title={props.delivery.deliveryKey}>
        <span>
          {eventName(props.delivery.type)}{' '}
          <Show when={props.delivery.isTest}>
            <span class="badge">{ta('deliveries.test')}</span>
          </Show>
        </span>
      </td>
      <td data-label={ta('deliveries.state')}>
        <span class="badge" data-tone={TONES[props.delivery.state]}>
          {ta(`deliveries.state.${props.delivery.state}` as AdminKey)}
        </span>
      </td>
      <td data-label={ta('deliveries.attempts')}>{number(props.delivery.attempts)}</td>
      <td class="people-wide" data-label={ta('deliveries.answer')}>
        <Answer delivery={props.delivery} now={props.now} />
      </td>
      <td class="people-actions">
        <Show when={props.delivery.state !== 'delivered'}>
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={busy()}
            aria-label={`${ta('deliveries.retry')}: ${eventName(props.delivery.type)}, ${logTime(props.delivery.createdAt)}`}
            onClick={() => void retry()}
          >
            {ta('deliveries.retry')}
          </button>
        </Show>
      </td>
    </tr>
  );
}

/** The status and the time it took, what went wrong, what was answered, and when it is tried again. */
function Answer(props: { delivery: Delivery; now: string }): JSX.Element {
  const outcome = () =>
    [
      props.delivery.status === undefined ? '' : ta('deliveries.status', { status: String(props.delivery.status) }),
      props.delivery.durationMs === undefined ? '' : ta('deliveries.took', { count: props.delivery.durationMs }),
    ]
      .filter(Boolean)
      .join(', ');
  const next = () => (props.delivery.state === 'waiting' ? props.delivery.nextAttemptAt : undefined);
  return (
    <div class="delivery-answer">
      <Show when={outcome()}>
        <span>{outcome()}</span>
      </Show>
      <Show when={props.delivery.error}>
        <span class="field-error">{props.delivery.error}</span>
      </Show>
      <Show when={next()}>
        {(at) => (
          <time class="muted" datetime={at()} title={dateTime(at())}>
            {ta('deliveries.next', { when: timeUntil(at(), props.now) })}
          </time>
        )}
      </Show>
      <Show when={props.delivery.response}>
        <details>
          <summary>{ta('deliveries.response')}</summary>
          <pre class="delivery-response">{props.delivery.response}</pre>
        </details>
      </Show>
    </div>
  );
}
