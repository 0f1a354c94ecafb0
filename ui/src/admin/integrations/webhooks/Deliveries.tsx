/** What was sent to one receiver lately, what it answered, and what is tried again. */
import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import { Time } from '../../../design/Time.tsx';
import { toast } from '../../../design/toasts.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { logTime, number } from '../../../i18n/format.ts';
import { DataTable } from '../../lists/DataTable.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { listOfPolled } from '../../lists/source.ts';
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
  const list = listOfPolled(deliveries, (found) => found);
  createEffect(
    on(
      () => props.changes,
      () => void deliveries.refresh(),
      { defer: true },
    ),
  );

  return (
    <ListView
      list={list}
      lines={3}
      empty={{ icon: 'clock', title: ta('deliveries.empty.title'), text: ta('deliveries.empty.text') }}
    >
      <DataTable
        label={ta('deliveries.title')}
        multiline
        rows={list.entries() ?? []}
        data={({ id, state }) => ({ 'data-id': id, 'data-state': state })}
        columns={[
          { label: ta('logs.time'), cell: ({ createdAt }) => <Time at={createdAt} text={logTime(createdAt)} /> },
          {
            label: ta('deliveries.event'),
            title: ({ deliveryKey }) => deliveryKey,
            cell: (delivery) => (
              <span>
                {eventName(delivery.type)}{' '}
                <Show when={delivery.isTest}>
                  <span class="badge">{ta('deliveries.test')}</span>
                </Show>
              </span>
            ),
          },
          {
            label: ta('deliveries.state'),
            cell: ({ state }) => (
              <span class="badge" data-tone={TONES[state]}>
                {ta(`deliveries.state.${state}` as AdminKey)}
              </span>
            ),
          },
          { label: ta('deliveries.attempts'), cell: ({ attempts }) => number(attempts) },
          {
            label: ta('deliveries.answer'),
            wide: true,
            cell: (delivery) => <Answer delivery={delivery} now={deliveries.at()} />,
          },
        ]}
        actions={(delivery) => <RetryButton delivery={delivery} onRetried={deliveries.refresh} />}
      />
    </ListView>
  );
}

const TONES = { waiting: 'warning', delivered: undefined, failed: 'error' } as const;

function RetryButton(props: { delivery: Delivery; onRetried: () => Promise<void> }): JSX.Element {
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
        {(at) => <Time class="muted" at={at()} text={ta('deliveries.next', { when: timeUntil(at(), props.now) })} />}
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
