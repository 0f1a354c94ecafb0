/** The keys of bots and overlays: who has one, what it opens, and when it was last used. */
import '../integrations.css';
import { createSignal, For, type JSX, Show } from 'solid-js';
import { CopyBlock } from '../../../design/CopyField.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { Time } from '../../../design/Time.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { relativeTime } from '../../../i18n/format.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { DataTable } from '../../lists/DataTable.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { RowTool } from '../../lists/RowTool.tsx';
import { createList } from '../../lists/source.ts';
import { useSettings } from '../../settings.tsx';
import { revokeToken } from '../requests.ts';
import { SecretCard } from '../SecretCard.tsx';
import type { AccessToken } from '../wire.ts';
import { exampleCall, scopeName, scopeOptions, scopeText } from './scopes.ts';
import { TokenDialog } from './TokenDialog.tsx';

export function AccessTokens(): JSX.Element {
  const tokens = createList<AccessToken>('/api/admin/accesstokens');
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
        await tokens.refresh();
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
        <ListView
          list={tokens}
          empty={{ icon: 'lock', title: ta('tokens.empty.title'), text: ta('tokens.empty.text') }}
        >
          <TokenTable tokens={tokens.entries() ?? []} onRevoke={askRevoke} />
          <Meanings />
        </ListView>
      </section>
      <Show when={creating()}>
        <TokenDialog
          onCreated={(token) => {
            setCreating(false);
            setMade(token);
            void tokens.refresh();
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
    <DataTable
      rows={props.tokens}
      data={({ id }) => ({ 'data-id': id })}
      columns={[
        {
          label: ta('tokens.name'),
          heading: true,
          cell: (token) => (
            <strong>
              <bdi>{token.displayName}</bdi>
            </strong>
          ),
        },
        {
          label: ta('tokens.scopes'),
          wide: true,
          cell: (token) => (
            <ul class="word-list">
              <For each={token.scopes}>{(scope) => <li title={scopeText(scope)}>{scopeName(scope)}</li>}</For>
            </ul>
          ),
        },
        { label: ta('tokens.token'), cell: (token) => <code>{token.accessToken}</code> },
        { label: ta('tokens.created'), cell: (token) => <Time at={token.createdAt} /> },
        {
          label: ta('tokens.used'),
          cell: (token) => (
            <Show when={token.lastUsedAt} fallback={<span class="muted">{ta('tokens.used.never')}</span>}>
              {(used) => <Time at={used()} text={relativeTime(used(), now)} />}
            </Show>
          ),
        },
      ]}
      actions={(token) => (
        <RowTool
          icon="trash"
          label={ta('tokens.revoke')}
          of={token.displayName}
          onPress={() => props.onRevoke(token)}
        />
      )}
    />
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
