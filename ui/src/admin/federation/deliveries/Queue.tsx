/** Deliveries one by one: to whom, what became of them, again or not at all. */
import { type JSX, Show } from 'solid-js';
import { Time } from '../../../design/Time.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { timeUntil } from '../../../i18n/format.admin.ts';
import { logTime, number } from '../../../i18n/format.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { DataTable } from '../../lists/DataTable.tsx';
import { PagedList } from '../../lists/ListView.tsx';
import type { PagedSource } from '../../lists/paged.ts';
import { RowTool } from '../../lists/RowTool.tsx';
import { ActionButton } from '../ActionButton.tsx';
import { dropDeliveries, retryDeliveries } from '../requests.ts';
import type { Delivery } from '../wire.ts';

export interface QueueProps {
  list: PagedSource<Delivery>;
  now: string;
  onAsk: (question: Question) => void;
  onChanged: () => Promise<void>;
}

const isOpen = ({ state }: Delivery) => state === 'pending' || state === 'failed';

/** In the words of the catalogue; a kind this page does not know keeps the server's name for it. */
export function kindName(kind: string): string {
  const key = `queue.kind.${kind}`;
  const text = ta(key as AdminKey);
  return text === key ? kind : text;
}

export function Queue(props: QueueProps): JSX.Element {
  const open = () => (props.list.entries() ?? []).filter(isOpen);
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
          <DataTable
            label={ta('queue.title')}
            multiline
            rows={entries}
            data={({ id, state }) => ({ 'data-id': id, 'data-state': state })}
            columns={[
              {
                label: ta('logs.time'),
                cell: ({ createdAt }) => <Time at={createdAt} text={logTime(createdAt)} />,
              },
              { label: ta('queue.to'), title: ({ inbox }) => inbox, cell: ({ host }) => host },
              { label: ta('queue.what'), cell: ({ kind }) => kindName(kind) },
              { label: ta('deliveries.attempts'), cell: ({ attempts }) => number(attempts) },
              {
                label: ta('queue.outcome'),
                wide: true,
                cell: (delivery) => <Outcome delivery={delivery} now={props.now} />,
              },
            ]}
            actions={(delivery) => (
              <Show when={isOpen(delivery)}>
                <span class="row account-tools">
                  <ActionButton
                    label={ta('deliveries.retry')}
                    of={delivery.host}
                    done={ta('queue.retried')}
                    run={() => retryDeliveries([delivery.id])}
                    onDone={props.onChanged}
                  />
                  <RowTool
                    icon="trash"
                    label={ta('queue.drop')}
                    of={delivery.host}
                    onPress={() => askDrop([delivery])}
                  />
                </span>
              </Show>
            )}
          />
        </>
      )}
    </PagedList>
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
        <Time
          class="muted"
          at={props.delivery.nextAt}
          text={ta('deliveries.next', { when: timeUntil(props.delivery.nextAt, props.now) })}
        />
      </Show>
      <Show when={props.delivery.state === 'in_flight'}>
        <span class="muted">{ta('queue.state.in_flight')}</span>
      </Show>
    </div>
  );
}
