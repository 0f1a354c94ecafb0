/** Deliveries one by one: to whom, what became of them, again or not at all. */
import { For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { dateTime, logTime, number } from '../../../i18n/format.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { ActionButton } from '../ActionButton.tsx';
import { PagedList } from '../Frame.tsx';
import type { Paged } from '../paged.ts';
import { dropDeliveries, retryDeliveries } from '../requests.ts';
import type { Delivery } from '../wire.ts';

export interface QueueProps {
  list: Paged<Delivery>;
  now: string;
  onAsk: (question: Question) => void;
  onChanged: () => Promise<void>;
}

/** In the words of the catalogue; a kind this page does not know keeps the server's name for it. */
export function kindName(kind: string): string {
  const key = `queue.kind.${kind}`;
  const text = ta(key as AdminKey);
  return text === key ? kind : text;
}

export function Queue(props: QueueProps): JSX.Element {
  const open = () => (props.list.entries() ?? []).filter(({ state }) => state === 'pending' || state === 'failed');
  const ids = () => open().map(({ id }) => id);
  const askDrop = (deliveries: Delivery[]) =>
    props.onAsk({
      title: ta('queue.drop.title', { count: deliveries.length }),
      text: ta('queue.drop.text'),
      action: ta('queue.drop'),
      run: async () => {
        await dropDeliveries(deliveries.map(({ id }) => id));
        await props.onChanged();
      },
    });
  return (
    <PagedList list={props.list} empty={{ icon: 'check', title: ta('queue.empty'), text: ta('queue.empty.text') }}>
      {(entries) => (
        <>
          <Show when={open().length > 1}>
            <div class="row">
              <ActionButton
                label={ta('queue.retry.page')}
                icon="refresh"
                of={ta('queue.title')}
                done={ta('queue.retried')}
                run={() => retryDeliveries(ids())}
                onDone={props.onChanged}
              />
              <button type="button" class="button" data-size="small" onClick={() => askDrop(open())}>
                <AdminIcon name="trash" />
                {ta('queue.drop.page')}
              </button>
            </div>
          </Show>
          <div class="table-frame">
            <table class="table people-table deliveries" aria-label={ta('queue.title')}>
              <thead>
                <tr>
                  <th scope="col">{ta('logs.time')}</th>
                  <th scope="col">{ta('queue.to')}</th>
                  <th scope="col">{ta('queue.what')}</th>
                  <th scope="col">{ta('deliveries.attempts')}</th>
                  <th scope="col">{ta('queue.outcome')}</th>
                  <th scope="col">
                    <span class="visually-hidden">{ta('people.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <For each={entries}>
                  {(delivery) => (
                    <Row
                      delivery={delivery}
                      now={props.now}
                      onDrop={() => askDrop([delivery])}
                      onChanged={props.onChanged}
                    />
                  )}
                </For>
              </tbody>
            </table>
          </div>
        </>
      )}
    </PagedList>
  );
}

function Row(props: {
  delivery: Delivery;
  now: string;
  onDrop: () => void;
  onChanged: () => Promise<void>;
}): JSX.Element {
  const isOpen = () => props.delivery.state === 'pending' || props.delivery.state === 'failed';
  return (
    <tr data-id={props.delivery.id} data-state={props.delivery.state}>
      <td data-label={ta('logs.time')}>
        <time datetime={props.delivery.createdAt} title={dateTime(props.delivery.createdAt)}>
          {logTime(props.delivery.createdAt)}
        </time>
      </td>
      <td data-label={ta('queue.to')} title={props.delivery.inbox}>
        {props.delivery.host}
      </td>
      <td data-label={ta('queue.what')}>{kindName(props.delivery.kind)}</td>
      <td data-label={ta('deliveries.attempts')}>{number(props.delivery.attempts)}</td>
      <td class="people-wide" data-label={ta('queue.outcome')}>
        <Outcome delivery={props.delivery} now={props.now} />
      </td>
      <td class="people-actions">
        <Show when={isOpen()}>
          <span class="row account-tools">
            <ActionButton
              label={ta('deliveries.retry')}
              of={props.delivery.host}
              done={ta('queue.retried')}
              run={() => retryDeliveries([props.delivery.id])}
              onDone={props.onChanged}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={`${ta('queue.drop')}: ${props.delivery.host}`}
              title={ta('queue.drop')}
              onClick={() => props.onDrop()}
            >
              <AdminIcon name="trash" />
            </button>
          </span>
        </Show>
      </td>
    </tr>
  );
}

function Outcome(props: { delivery: Delivery; now: string }): JSX.Element {
  return (
    <div class="delivery-answer">
      <Show when={props.delivery.status}>
        {(status) => <span>{ta('deliveries.status', { status: String(status()) })}</span>}
      </Show>
      <Show when={props.delivery.error}>
        <span class="field-error">{props.delivery.error}</span>
      </Show>
      <Show when={props.delivery.state === 'pending'}>
        <time class="muted" datetime={props.delivery.nextAt} title={dateTime(props.delivery.nextAt)}>
          {ta('deliveries.next', { when: timeUntil(props.delivery.nextAt, props.now) })}
        </time>
      </Show>
      <Show when={props.delivery.state === 'in_flight'}>
        <span class="muted">{ta('queue.state.in_flight')}</span>
      </Show>
    </div>
  );
}
