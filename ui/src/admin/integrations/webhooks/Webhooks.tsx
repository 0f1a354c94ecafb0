/** Who is told when something happens here, and whether they heard it. */
import '../integrations.css';
import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { createPolled } from '../../polled.ts';
import { SettingByKey } from '../../settings.tsx';
import { createWebhook, deleteWebhook, updateWebhook, type WebhookDraft } from '../requests.ts';
import { SecretCard } from '../SecretCard.tsx';
import type { NewWebhook, Webhook } from '../wire.ts';
import { WebhookCard } from './WebhookCard.tsx';
import { ALLOW_INTERNAL, WebhookDialog } from './WebhookDialog.tsx';

const INTERVAL_MS = 5_000;

export function Webhooks(): JSX.Element {
  const webhooks = createPolled<Webhook[]>('/api/admin/webhooks', INTERVAL_MS);
  const [form, setForm] = createSignal<{ webhook?: Webhook }>();
  const [made, setMade] = createSignal<NewWebhook>();
  const [question, setQuestion] = createSignal<Question>();

  const save = async (draft: WebhookDraft) => {
    const before = form()?.webhook;
    if (before) {
      await updateWebhook(before.id, draft);
      toast(ta('webhooks.saved'));
    } else {
      setMade(await createWebhook(draft));
    }
    setForm(undefined);
    await webhooks.refresh();
  };
  const askDelete = (webhook: Webhook) => {
    const { id, url } = webhook;
    setQuestion({
      title: ta('webhooks.delete.title'),
      text: ta('webhooks.delete.text', { url }),
      action: ta('webhooks.delete'),
      run: async () => {
        await deleteWebhook(id);
        if (made()?.id === id) setMade(undefined);
        await webhooks.refresh();
      },
    });
  };

  return (
    <>
      <Show when={made()} keyed>
        {(webhook) => (
          <SecretCard
            title={ta('webhooks.new')}
            label={ta('webhooks.secret')}
            secret={webhook.secret}
            onDone={() => setMade(undefined)}
          >
            <p class="muted small">{ta('webhooks.secret.text')}</p>
          </SecretCard>
        )}
      </Show>
      <section class="card">
        <div class="card-head">
          <p class="muted small card-lead">{ta('webhooks.text')}</p>
          <button type="button" class="button" data-look="primary" onClick={() => setForm({})}>
            <Icon name="plus" />
            {ta('webhooks.create')}
          </button>
        </div>
        <Switch fallback={<Skeleton />}>
          <Match when={webhooks.value()?.length}>
            <ul class="webhooks">
              <For each={webhooks.value()}>
                {(webhook) => (
                  <WebhookCard
                    webhook={webhook}
                    now={webhooks.at()}
                    onEdit={() => setForm({ webhook })}
                    onDelete={() => askDelete(webhook)}
                    onChanged={() => webhooks.refresh()}
                  />
                )}
              </For>
            </ul>
          </Match>
          <Match when={webhooks.value()}>
            <EmptyState icon="external" title={ta('webhooks.empty.title')}>
              <p>{ta('webhooks.empty.text')}</p>
            </EmptyState>
          </Match>
          <Match when={webhooks.failing()}>
            <LoadError title={ta('error.load')} onRetry={() => void webhooks.refresh()} />
          </Match>
        </Switch>
      </section>
      <section class="card">
        <SettingByKey key={ALLOW_INTERNAL} />
      </section>
      <Show when={form()} keyed>
        {(open) => <WebhookDialog webhook={open.webhook} save={save} onClose={() => setForm(undefined)} />}
      </Show>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}
