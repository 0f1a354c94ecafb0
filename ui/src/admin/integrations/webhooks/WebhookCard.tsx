/** One receiver: how it is doing, what it hears, and what can be done with it. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import { AdminIcon } from '../../icons.tsx';
import { testWebhook, updateWebhook } from '../requests.ts';
import type { Webhook } from '../wire.ts';
import { Deliveries } from './Deliveries.tsx';
import { eventName } from './events.ts';

export interface WebhookCardProps {
  webhook: Webhook;
  now: string;
  onEdit: () => void;
  onDelete: () => void;
  onChanged: () => Promise<void>;
}

export function WebhookCard(props: WebhookCardProps): JSX.Element {
  const id = createUniqueId();
  const [showsDeliveries, setShowsDeliveries] = createSignal(false);
  const [tests, setTests] = createSignal(0);
  const [busy, setBusy] = createSignal(false);
  const isOff = () => props.webhook.state === 'disabled';

  const run = async (action: () => Promise<unknown>, done: string) => {
    setBusy(true);
    try {
      await action();
      toast(done);
      await props.onChanged();
    } catch (problem) {
      toast(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };
  const test = () =>
    run(async () => {
      await testWebhook(props.webhook.id);
      setShowsDeliveries(true);
      setTests(tests() + 1);
    }, ta('webhooks.tested'));
  const setEnabled = (enabled: boolean) =>
    run(
      () => updateWebhook(props.webhook.id, { enabled }),
      ta(enabled ? 'webhooks.enabled.done' : 'webhooks.disabled.done'),
    );

  return (
    <li class="webhook" data-id={props.webhook.id} data-state={props.webhook.state}>
      <div class="webhook-head">
        <h2 class="webhook-url">{props.webhook.url}</h2>
        <StateBadge webhook={props.webhook} />
      </div>
      <ul class="tag-row" aria-label={ta('webhooks.events')}>
        <For each={props.webhook.events}>{(event) => <li class="tag">{eventName(event)}</li>}</For>
      </ul>
      <Trouble webhook={props.webhook} now={props.now} />
      <p class="muted small">
        <LastUsed webhook={props.webhook} now={props.now} />
        <Show when={props.webhook.waiting > 0}> {ta('webhooks.waiting', { count: props.webhook.waiting })}</Show>
      </p>
      <div class="row">
        <Show when={isOff()}>
          <button
            type="button"
            class="button"
            data-look="primary"
            data-size="small"
            disabled={busy()}
            onClick={() => void setEnabled(true)}
          >
            <AdminIcon name="power" />
            {ta('webhooks.enable')}
          </button>
        </Show>
        <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void test()}>
          <AdminIcon name="send" />
          {ta('webhooks.test')}
        </button>
        <button
          type="button"
          class="button"
          data-size="small"
          aria-expanded={showsDeliveries()}
          aria-controls={id}
          onClick={() => setShowsDeliveries(!showsDeliveries())}
        >
          <AdminIcon name="list" />
          {ta('deliveries.title')}
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`${ta('webhooks.edit')}: ${props.webhook.url}`}
          title={ta('webhooks.edit')}
          onClick={() => props.onEdit()}
        >
          <AdminIcon name="pencil" />
        </button>
        <Show when={!isOff()}>
          <button
            type="button"
            class="icon-button"
            aria-label={`${ta('webhooks.disable')}: ${props.webhook.url}`}
            title={ta('webhooks.disable')}
            disabled={busy()}
            onClick={() => void setEnabled(false)}
          >
            <AdminIcon name="power" />
          </button>
        </Show>
        <button
          type="button"
          class="icon-button"
          aria-label={`${ta('webhooks.delete')}: ${props.webhook.url}`}
          title={ta('webhooks.delete')}
          onClick={() => props.onDelete()}
        >
          <AdminIcon name="trash" />
        </button>
      </div>
      <div id={id}>
        <Show when={showsDeliveries()}>
          <Deliveries webhookId={props.webhook.id} changes={tests()} />
        </Show>
      </div>
    </li>
  );
}

const TONES = { active: undefined, failing: 'warning', disabled: 'error' } as const;

function StateBadge(props: { webhook: Webhook }): JSX.Element {
  return (
    <span class="badge" data-tone={TONES[props.webhook.state]}>
      {ta(`webhooks.state.${props.webhook.state}` as AdminKey)}
    </span>
  );
}

function Trouble(props: { webhook: Webhook; now: string }): JSX.Element {
  const text = () => {
    if (props.webhook.warning) return props.webhook.warning;
    return props.webhook.state === 'disabled' ? ta('webhooks.disabled.text') : undefined;
  };
  return (
    <div role="status">
      <Show when={text()}>
        {(words) => (
          <Banner tone="warning">
            <p>{words()}</p>
            <Show when={props.webhook.failingSince}>
              {(since) => (
                <p class="small">
                  <time datetime={since()} title={dateTime(since())}>
                    {ta('webhooks.failingSince', { when: relativeTime(since(), props.now) })}
                  </time>
                </p>
              )}
            </Show>
          </Banner>
        )}
      </Show>
    </div>
  );
}

function LastUsed(props: { webhook: Webhook; now: string }): JSX.Element {
  return (
    <Show when={props.webhook.lastUsed} fallback={ta('webhooks.used.never')}>
      {(used) => (
        <time datetime={used()} title={dateTime(used())}>
          {ta('webhooks.used', { when: relativeTime(used(), props.now) })}
        </time>
      )}
    </Show>
  );
}
