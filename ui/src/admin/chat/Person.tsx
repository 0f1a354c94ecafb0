/** Everything about one person in one place: who they are, what they wrote, and what can be done. */
import { createResource, createSignal, For, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { deleteUser, setEnabled, setModerator, setTimeOut, setVisibility } from './actions.ts';
import { Confirm, type Question } from './Confirm.tsx';
import { Badges } from './Name.tsx';
import { Facts, RecentMessages } from './PersonParts.tsx';
import { usersPath } from './users/search.ts';
import { type ChatUser, type Client, isBanned, isModerator, type StoredMessage, type UserPage } from './wire.ts';

/** Offered lengths of a time-out. */
const TIME_OUTS = [
  { seconds: 60, label: () => ta('person.mute.minute') },
  { seconds: 600, label: () => ta('person.mute.ten') },
  { seconds: 3600, label: () => ta('person.mute.hour') },
];

export interface PersonProps {
  /** Nobody: the dialog is closed. */
  user?: ChatUser;
  onClose: () => void;
  /** Something was done; what the page shows may be old. */
  onChanged: () => void;
}

export function PersonDialog(props: PersonProps): JSX.Element {
  return (
    <Dialog
      wide
      open={props.user !== undefined}
      title={props.user ? ta('person.title', { name: props.user.displayName }) : ''}
      onClose={props.onClose}
    >
      {/* Keyed by the person, so that an answer about one is never shown for another. */}
      <Show when={props.user?.id} keyed>
        {(_id) => <Person user={props.user as ChatUser} onClose={props.onClose} onChanged={props.onChanged} />}
      </Show>
    </Dialog>
  );
}

function Person(props: PersonProps & { user: ChatUser }): JSX.Element {
  /** What was changed here, until the page around has heard of it. */
  const [changed, setChanged] = createSignal<Partial<ChatUser>>({});
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const [question, setQuestion] = createSignal<Question>();
  const [now, setNow] = createSignal(new Date().toISOString());
  const [messages, { refetch }] = createResource(() => messagesOf(props.user.id));
  const [clients] = createResource(() => clientsOf(props.user.id));
  const [full] = createResource(() => inFull(props.user));
  const user = (): ChatUser => ({ ...props.user, ...(full.error ? {} : full()), ...changed() });

  const carryOut = async (action: () => Promise<void>, change: Partial<ChatUser> = {}) => {
    await action();
    setNow(new Date().toISOString());
    setChanged({ ...changed(), ...change });
    void refetch();
    props.onChanged();
  };
  const act = async (action: () => Promise<void>, change?: Partial<ChatUser>) => {
    setBusy(true);
    setError('');
    try {
      await carryOut(action, change);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  const timeOut = (seconds: number) =>
    act(() => setTimeOut(user().id, seconds), {
      mutedUntil: seconds === 0 ? undefined : new Date(Date.now() + seconds * 1000).toISOString(),
    });
  const promote = (moderator: boolean) =>
    act(() => setModerator(user().id, moderator), {
      scopes: moderator
        ? [...(user().scopes ?? []), 'MODERATOR']
        : (user().scopes ?? []).filter((scope) => scope !== 'MODERATOR'),
    });
  const unban = () => act(() => setEnabled(user().id, true), { disabledAt: undefined, disabledUntil: undefined });
  const askBan = () =>
    setQuestion({
      title: ta('person.ban.title', { name: user().displayName }),
      text: ta('person.ban.text'),
      action: ta('person.ban'),
      run: () =>
        carryOut(() => setEnabled(user().id, false), {
          disabledAt: new Date().toISOString(),
          disabledUntil: undefined,
        }),
    });
  const askDelete = () =>
    setQuestion({
      title: ta('person.delete.title', { name: user().displayName }),
      text: ta('person.delete.text'),
      action: ta('person.delete'),
      run: async () => {
        await deleteUser(user().id);
        props.onChanged();
        props.onClose();
      },
    });
  const isMuted = () => Date.parse(user().mutedUntil ?? '') > Date.parse(now());

  return (
    <>
      <div class="row person-badges">
        <Badges user={user()} now={now()} />
      </div>
      <Facts user={user()} now={now()} clients={clients.error ? [] : (clients() ?? [])} />
      <Show when={error()}>
        <Banner tone="error">{error()}</Banner>
      </Show>
      <div class="person-actions">
        <div class="row">
          <span class="muted small">{ta('person.mute')}</span>
          <For each={TIME_OUTS}>
            {(choice) => (
              <button
                type="button"
                class="button"
                data-size="small"
                disabled={busy()}
                aria-label={`${ta('person.mute')} ${choice.label()}`}
                onClick={() => void timeOut(choice.seconds)}
              >
                {choice.label()}
              </button>
            )}
          </For>
          <Show when={isMuted()}>
            <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void timeOut(0)}>
              {ta('person.unmute')}
            </button>
          </Show>
        </div>
        <div class="row">
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={busy()}
            onClick={() => void promote(!isModerator(user()))}
          >
            <Icon name="shield" />
            {isModerator(user()) ? ta('person.demote') : ta('person.promote')}
          </button>
          <Show
            when={isBanned(user())}
            fallback={
              <button type="button" class="button" data-size="small" data-look="danger" onClick={askBan}>
                <Icon name="ban" />
                {ta('person.ban')}
              </button>
            }
          >
            <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void unban()}>
              {ta('person.unban')}
            </button>
          </Show>
          <button type="button" class="button" data-size="small" data-look="danger" onClick={askDelete}>
            <Icon name="trash" />
            {ta('person.delete')}
          </button>
        </div>
      </div>
      <RecentMessages
        messages={messages.error ? [] : messages.latest}
        busy={busy()}
        onVisibility={(ids, visible) => void act(() => setVisibility(ids, visible))}
      />
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {ta('common.close')}
        </button>
      </div>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}

async function messagesOf(userId: string): Promise<StoredMessage[]> {
  const all = await api.get<StoredMessage[]>('/api/admin/chat/messages');
  return all.filter((message) => message.user?.id === userId);
}

/** Lists of messages and connections know less about a person than the list of everybody. */
async function inFull(user: ChatUser): Promise<ChatUser | undefined> {
  const path = usersPath({ search: user.displayName, status: 'all', sort: 'desc', page: 0 });
  const { results } = await api.get<UserPage>(path);
  return results.find((one) => one.id === user.id);
}

async function clientsOf(userId: string): Promise<Client[]> {
  const all = await api.get<Client[]>('/api/admin/chat/clients');
  return all.filter((client) => client.user.id === userId);
}
