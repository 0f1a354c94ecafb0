/** Makes this browser the operator in the chat of the viewer page, who is a stranger there otherwise. */
import { createSignal, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { writePreference } from '../../storage.ts';
import { TOKEN } from '../../viewer/chat/environment.ts';
import type { ChatRegistration } from '../../wire.ts';
import { explain } from '../session.ts';

export function ChatAsOperator(): JSX.Element {
  const [name, setName] = createSignal('');
  const [busy, setBusy] = createSignal(false);

  const start = async () => {
    setBusy(true);
    try {
      const operator = await api.post<ChatRegistration>('/api/admin/chat/operator', {});
      writePreference(TOKEN, operator.accessToken);
      setName(operator.displayName);
    } catch (problem) {
      toast(explain(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <section class="card chat-as-operator">
      <div class="card-head">
        <h2>{ta('asOperator.title')}</h2>
        <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void start()}>
          {ta('asOperator.start')}
        </button>
      </div>
      <p class="muted small">{ta('asOperator.text')}</p>
      <div role="status">
        <Show when={name()}>
          <p>
            {ta('asOperator.done', { name: name() })}{' '}
            <a href="/" target="_blank" rel="noopener">
              {ta('asOperator.open')}
            </a>
          </p>
        </Show>
      </div>
    </section>
  );
}
