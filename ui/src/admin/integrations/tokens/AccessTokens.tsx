/** The keys of bots and overlays: who has one, what it opens, and when it was last used. */
import '../integrations.css';
import { createResource, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../../api.ts';
import { CopyBlock } from '../../../design/CopyField.tsx';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { explain } from '../../session.ts';
import { useSettings } from '../../settings.tsx';
import { revokeToken } from '../requests.ts';
import { SecretCard } from '../SecretCard.tsx';
import type { AccessToken } from '../wire.ts';
import { exampleCall, scopeName, scopeOptions, scopeText } from './scopes.ts';
import { TokenDialog } from './TokenDialog.tsx';

export function AccessTokens(): JSX.Element {
  const [tokens, { refetch }] = createResource(() => api.get<AccessToken[]>('/api/admin/accesstokens'));
  const [creating, setCreating] = createSignal(false);
  const [made, setMade] = createSignal<AccessToken>();
  const [question, setQuestion] = createSignal<Question>();

  const askRevoke = (token: AccessToken) =>
    setQuestion({
      title: ta('tokens.revoke.title', { name: token.displayName }),
      text: ta('tokens.revoke.text'),
      action: ta('tokens.revoke'),
      run: async () => {
        await revokeToken(token.id);
        if (made()?.id === token.id) setMade(undefined);
        toast(ta('tokens.revoked', { name: token.displayName }));
        await refetch();
      },
    });

  return (
    <>
      <Show when={made()} keyed>
        {(token) => <NewToken token={token} onDone={() => setMade(undefined)} />}
      </Show>
      <section class="card">
        <div class="card-head">
          <p class="muted small card-lead">{ta('tokens.text')}</p>
          <button type="button" class="button" data-look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            {ta('tokens.create')}
          </button>
        </div>
        <Switch fallback={<Skeleton />}>
          <Match when={tokens.error}>
            <LoadError title={ta('error.load')} text={explain(tokens.error)} onRetry={() => void refetch()} />
          </Match>
          <Match when={tokens.latest?.length}>
            <TokenTable tokens={tokens.latest ?? []} onRevoke={askRevoke} />
            <Meanings />
          </Match>
          <Match when={tokens.latest}>
            <EmptyState icon="lock" title={ta('tokens.empty.title')}>
              <p>{ta('tokens.empty.text')}</p>
            </EmptyState>
          </Match>
        </Switch>
      </section>
      <Show when={creating()}>
        <TokenDialog
          onCreated={(token) => {
            setCreating(false);
            setMade(token);
            void refetch();
          }}
          onClose={() => setCreating(false)}
        />
      </Show>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}

function NewToken(props: { token: AccessToken; onDone: () => void }): JSX.Element {
  const settings = useSettings();
  const server = () => String(settings.find('serverurl')?.value || location.origin);
  const example = () => exampleCall(server(), props.token.accessToken, props.token.scopes);
  return (
    <SecretCard
      title={ta('tokens.new', { name: props.token.displayName })}
      label={ta('tokens.token')}
      secret={props.token.accessToken}
      onDone={props.onDone}
    >
      <Show when={example()}>
        {(call) => (
          <div class="field">
            <span class="field-label">{ta('tokens.example')}</span>
            <CopyBlock label={ta('tokens.example')} value={call()} />
          </div>
        )}
      </Show>
    </SecretCard>
  );
}

function TokenTable(props: { tokens: AccessToken[]; onRevoke: (token: AccessToken) => void }): JSX.Element {
  const now = new Date().toISOString();
  return (
    <div class="table-frame">
      <table class="table people-table">
        <thead>
          <tr>
            <th scope="col">{ta('tokens.name')}</th>
            <th scope="col">{ta('tokens.scopes')}</th>
            <th scope="col">{ta('tokens.token')}</th>
            <th scope="col">{ta('tokens.created')}</th>
            <th scope="col">{ta('tokens.used')}</th>
            <th scope="col">
              <span class="visually-hidden">{ta('people.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.tokens}>
            {(token) => (
              <tr data-id={token.id}>
                <td class="token-name">
                  <strong>
                    <bdi>{token.displayName}</bdi>
                  </strong>
                </td>
                <td class="people-wide" data-label={ta('tokens.scopes')}>
                  <ul class="word-list">
                    <For each={token.scopes}>{(scope) => <li title={scopeText(scope)}>{scopeName(scope)}</li>}</For>
                  </ul>
                </td>
                <td data-label={ta('tokens.token')}>
                  <code>{token.accessToken}</code>
                </td>
                <td data-label={ta('tokens.created')}>
                  <time datetime={token.createdAt}>{dateTime(token.createdAt)}</time>
                </td>
                <td data-label={ta('tokens.used')}>
                  <Show when={token.lastUsedAt} fallback={<span class="muted">{ta('tokens.used.never')}</span>}>
                    {(used) => (
                      <time datetime={used()} title={dateTime(used())}>
                        {relativeTime(used(), now)}
                      </time>
                    )}
                  </Show>
                </td>
                <td class="people-actions">
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={`${ta('tokens.revoke')}: ${token.displayName}`}
                    title={ta('tokens.revoke')}
                    onClick={() => props.onRevoke(token)}
                  >
                    <Icon name="trash" />
                  </button>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

/** The words in the table are short; here is the rest of each. */
function Meanings(): JSX.Element {
  return (
    <details class="meanings small">
      <summary>{ta('tokens.meanings')}</summary>
      <dl>
        <For each={scopeOptions()}>
          {(scope) => (
            <div>
              <dt>
                {scope.label} <code>{scope.value}</code>
              </dt>
              <dd>{scope.text}</dd>
            </div>
          )}
        </For>
      </dl>
    </details>
  );
}
