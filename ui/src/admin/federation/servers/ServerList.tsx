/** The featured servers in their order, with how each of them is doing. */
import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { StateTag } from '../../../design/StateTag.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import { hostOf } from '../../../viewer/fediverse/account.ts';
import { announced } from '../../chat/actions.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { focusMove } from '../../lists/ReorderList.tsx';
import { RowTool } from '../../lists/RowTool.tsx';
import { Account } from '../Account.tsx';
import { moveServer, unfeatureServer } from '../requests.ts';
import type { FederatedServer } from '../wire.ts';
import { type ServerState, stateOf } from './state.ts';

export interface ServerListProps {
  servers: FederatedServer[];
  now: string;
  onAsk: (question: Question) => void;
  onChanged: () => Promise<void>;
}

export const nameOf = (server: FederatedServer): string => server.displayName || hostOf(server.iri);

export function ServerList(props: ServerListProps): JSX.Element {
  const [announcement, setAnnouncement] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  let list: HTMLUListElement | undefined;
  /** Only those that said yes are shown to viewers, and have an order. */
  const ordered = () => props.servers.filter((server) => server.followStatus === 'accepted');

  const move = async (server: FederatedServer, direction: 'up' | 'down') => {
    const { id } = server;
    const name = nameOf(server);
    setBusy(true);
    const moved = await announced(moveServer(id, direction));
    await props.onChanged();
    setBusy(false);
    if (!moved) return;
    const place = ordered().findIndex((one) => one.id === id) + 1;
    setAnnouncement(ta('actions.moved', { title: name, place, count: ordered().length }));
    focusMove(list?.querySelector(`[data-id="${id}"]`), direction);
  };
  const askRemove = (server: FederatedServer) => {
    const { id } = server;
    props.onAsk({
      title: ta('servers.remove.title', { name: nameOf(server) }),
      text: ta('servers.remove.text'),
      action: ta('editor.remove'),
      run: async () => {
        await unfeatureServer(id);
        await props.onChanged();
      },
    });
  };
  const mover = (server: FederatedServer, direction: 'up' | 'down', isLast: () => boolean) => (
    <RowTool
      icon={direction}
      label={ta(`actions.${direction}`)}
      of={nameOf(server)}
      disabled={busy() || isLast()}
      onPress={() => void move(server, direction)}
    />
  );

  return (
    <>
      <ul
        class="account-rows"
        aria-label={ta('servers.featured')}
        ref={(element) => {
          list = element;
        }}
      >
        <For each={props.servers}>
          {(server) => (
            <li data-id={server.id}>
              <div class="server-about">
                <Account name={nameOf(server)} handle={hostOf(server.iri)} link={server.iri} image={server.logoUrl} />
                <Show when={server.isOnline && server.streamTitle}>
                  {(title) => (
                    <p class="small">
                      <bdi>{title()}</bdi>
                    </p>
                  )}
                </Show>
                <Show when={server.movedTo}>
                  {(target) => <p class="small muted">{ta('servers.moved', { target: target() })}</p>}
                </Show>
              </div>
              <State server={server} now={props.now} />
              <div class="row account-tools">
                <Show when={server.followStatus === 'accepted' && ordered().length > 1}>
                  {mover(server, 'up', () => ordered()[0]?.id === server.id)}
                  {mover(server, 'down', () => ordered().at(-1)?.id === server.id)}
                </Show>
                <RowTool
                  icon="trash"
                  label={ta('editor.remove')}
                  of={nameOf(server)}
                  onPress={() => askRemove(server)}
                />
              </div>
            </li>
          )}
        </For>
      </ul>
      <span class="visually-hidden" role="status">
        {announcement()}
      </span>
    </>
  );
}

const TONES: Partial<Record<ServerState, string>> = { silent: 'warning', rejected: 'error' };

function State(props: { server: FederatedServer; now: string }): JSX.Element {
  const state = () => stateOf(props.server);
  /** What the state is about: since when it waits, or when it was last on. */
  const at = () => (props.server.followStatus === 'accepted' ? props.server.lastSeenOnline : props.server.addedAt);
  return (
    <span class="server-state">
      <Switch
        fallback={
          <span class="badge" data-tone={TONES[state()]}>
            {ta(`servers.state.${state()}` as AdminKey)}
          </span>
        }
      >
        <Match when={state() === 'live'}>
          <StateTag state="live" />
        </Match>
        <Match when={state() === 'offline'}>
          <StateTag state="offline" />
        </Match>
      </Switch>
      <Show when={state() !== 'live' && at()}>
        {(time) => (
          <time class="muted small" datetime={time()} title={dateTime(time())}>
            {ta(props.server.followStatus === 'accepted' ? 'servers.seen' : 'servers.asked', {
              when: relativeTime(time(), props.now),
            })}
          </time>
        )}
      </Show>
    </span>
  );
}
