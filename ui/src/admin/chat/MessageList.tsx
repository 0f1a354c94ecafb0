/** Every message the server keeps, newest first: searched, filtered, hidden and shown. */
import { createEffect, createMemo, createSignal, For, type JSX, Match, onCleanup, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { dateTime, logTime } from '../../i18n/format.ts';
import { AdminIcon } from '../icons.tsx';
import type { PolledValue } from '../polled.ts';
import { announced, setPinned, setVisibility } from './actions.ts';
import { MessageBody } from './MessageBody.tsx';
import { Author, Badges } from './Name.tsx';
import { VisibilityButton } from './PersonParts.tsx';
import { SearchField } from './SearchField.tsx';
import { select, type VisibilityFilter } from './text.ts';
import type { ChatUser, StoredMessage } from './wire.ts';

const FILTERS: VisibilityFilter[] = ['all', 'visible', 'hidden'];
/** Rows drawn at first, and with every press of "more". */
const STEP = 200;
/** How long after the last movement over the list it may move again. */
const STILL_MS = 4_000;

export interface MessageListProps {
  messages: PolledValue<StoredMessage[]>;
  onOpen: (user: ChatUser) => void;
}

export function MessageList(props: MessageListProps): JSX.Element {
  const [query, setQuery] = createSignal('');
  const [shown, setShown] = createSignal<VisibilityFilter>('all');
  const [limit, setLimit] = createSignal(STEP);
  const [chosen, setChosen] = createSignal<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = createSignal(false);
  const steady = createSteady(() => props.messages.raw() ?? []);

  const found = createMemo(() => select(steady.list(), query(), shown()));
  const positions = createMemo(
    () => new Map((props.messages.raw() ?? []).map((message, place) => [message.id, place])),
  );
  /** Only what is drawn is watched for changes. */
  const rows = () => {
    const all = props.messages.value() ?? [];
    return found()
      .slice(0, limit())
      .flatMap((message) => all[positions().get(message.id) ?? -1] ?? []);
  };
  const selected = () => found().filter((message) => chosen().has(message.id));
  const allChosen = () => found().length > 0 && selected().length === found().length;

  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen());
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const change = async (ids: string[], visible: boolean) => {
    setBusy(true);
    const done = ta(visible ? 'messages.shown' : 'messages.hidden', { count: ids.length });
    if (await announced(setVisibility(ids, visible), done)) {
      setChosen(new Set([...chosen()].filter((id) => !ids.includes(id))));
    }
    await props.messages.refresh();
    setBusy(false);
  };
  const pin = async (message: StoredMessage) => {
    await announced(setPinned(message.id, !message.pinnedAt));
    await props.messages.refresh();
  };
  const changeSelected = (visible: boolean) =>
    change(
      selected().map((message) => message.id),
      visible,
    );

  return (
    <section class="card">
      <div class="toolbar">
        <SearchField label={ta('messages.search')} value={query()} onInput={setQuery} />
        <fieldset class="segments" aria-label={ta('messages.filter')}>
          <For each={FILTERS}>
            {(one) => (
              <button type="button" aria-pressed={shown() === one} onClick={() => setShown(one)}>
                {ta(`messages.filter.${one}` as AdminKey)}
              </button>
            )}
          </For>
        </fieldset>
      </div>
      <Show when={found().length > 0}>
        <div class="selection-bar" data-active={selected().length > 0 ? 'true' : undefined}>
          <label class="row">
            <input
              type="checkbox"
              checked={allChosen()}
              ref={(input) =>
                createEffect(() => {
                  input.indeterminate = selected().length > 0 && !allChosen();
                })
              }
              onChange={(event) =>
                setChosen(new Set(event.currentTarget.checked ? found().map((message) => message.id) : []))
              }
            />
            <Show when={selected().length > 0} fallback={ta('messages.count', { count: found().length })}>
              {ta('messages.selected', { count: selected().length })}
            </Show>
          </label>
          <Show when={selected().length > 0}>
            <div class="row">
              <button
                type="button"
                class="button"
                data-size="small"
                disabled={busy()}
                onClick={() => void changeSelected(false)}
              >
                <Icon name="eye-off" />
                {ta('messages.hideSelected')}
              </button>
              <button
                type="button"
                class="button"
                data-size="small"
                disabled={busy()}
                onClick={() => void changeSelected(true)}
              >
                <Icon name="eye" />
                {ta('messages.showSelected')}
              </button>
            </div>
          </Show>
        </div>
      </Show>
      <div class="new-note" role="status">
        <Show when={steady.waiting() > 0}>
          <button type="button" class="button new-pill" data-size="small" onClick={() => steady.release()}>
            {ta('messages.new', { count: steady.waiting() })}
          </button>
        </Show>
      </div>
      <Switch fallback={<Skeleton lines={8} />}>
        <Match when={found().length > 0}>
          <ul class="message-list" onPointerMove={() => steady.hold()}>
            <For each={rows()}>
              {(message) => (
                <Row
                  message={message}
                  now={props.messages.at()}
                  chosen={chosen().has(message.id)}
                  onChoose={(on) => choose(message.id, on)}
                  onOpen={props.onOpen}
                  onToggle={() => void change([message.id], Boolean(message.hiddenAt))}
                  onPin={() => void pin(message)}
                />
              )}
            </For>
          </ul>
          <Show when={found().length > limit()}>
            <button type="button" class="button" onClick={() => setLimit(limit() + STEP)}>
              {ta('messages.more')}
            </button>
          </Show>
        </Match>
        <Match when={props.messages.value()?.length}>
          <EmptyState icon="search" title={ta('messages.nothing.title')}>
            <p>{ta('messages.nothing.text')}</p>
          </EmptyState>
        </Match>
        <Match when={props.messages.value()}>
          <EmptyState icon="chat" title={ta('messages.empty.title')}>
            <p>{ta('messages.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={props.messages.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void props.messages.refresh()} />
        </Match>
      </Switch>
    </section>
  );
}

/**
 * The list as it was while somebody is pointing at it: a row that moves away under the pointer is how the wrong
 * message gets hidden. New ones are counted and wait.
 */
function createSteady(messages: () => StoredMessage[]) {
  const [held, setHeld] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const visibleIds = createMemo<ReadonlySet<string>>(
    (before) => (held() && before.size > 0 ? before : new Set(messages().map((message) => message.id))),
    new Set<string>(),
  );
  const list = createMemo(() => messages().filter((message) => visibleIds().has(message.id)));
  const release = () => {
    clearTimeout(timer);
    setHeld(false);
  };
  return {
    list,
    waiting: () => messages().length - list().length,
    hold: () => {
      setHeld(true);
      clearTimeout(timer);
      timer = setTimeout(release, STILL_MS);
    },
    release,
  };
}

function PinButton(props: { pinned: boolean; onToggle: () => void }): JSX.Element {
  const label = () => ta(props.pinned ? 'messages.unpin' : 'messages.pin');
  return (
    <button type="button" class="icon-button" aria-label={label()} title={label()} onClick={() => props.onToggle()}>
      <AdminIcon name={props.pinned ? 'pin-off' : 'pin'} />
    </button>
  );
}

interface RowProps {
  message: StoredMessage;
  now: string;
  chosen: boolean;
  onChoose: (on: boolean) => void;
  onOpen: (user: ChatUser) => void;
  onToggle: () => void;
  /** Pins it, or takes it from above the chat. */
  onPin: () => void;
}

function Row(props: RowProps): JSX.Element {
  return (
    <li class="message-row" data-id={props.message.id} data-hidden={props.message.hiddenAt ? 'true' : undefined}>
      <input
        type="checkbox"
        checked={props.chosen}
        aria-label={ta('messages.select', { name: props.message.user?.displayName ?? ta('person.unknown') })}
        onChange={(event) => props.onChoose(event.currentTarget.checked)}
      />
      <div class="message-head">
        <Author user={props.message.user} onOpen={props.onOpen} />
        <Show when={props.message.user}>{(user) => <Badges user={user()} now={props.now} />}</Show>
        <time class="muted small" datetime={props.message.timestamp} title={dateTime(props.message.timestamp)}>
          {logTime(props.message.timestamp)}
        </time>
        <Show when={props.message.pinnedAt}>
          <span class="badge">{ta('messages.isPinned')}</span>
        </Show>
        <Show when={props.message.hiddenAt}>
          <span class="badge" data-tone="warning">
            {ta(props.message.deletedAt ? 'messages.isDeleted' : 'messages.isHidden')}
          </span>
        </Show>
      </div>
      <MessageBody html={props.message.body} />
      <div class="message-tools">
        <Show when={!props.message.hiddenAt}>
          <PinButton pinned={Boolean(props.message.pinnedAt)} onToggle={props.onPin} />
        </Show>
        <Show when={!props.message.deletedAt}>
          <VisibilityButton hidden={Boolean(props.message.hiddenAt)} onToggle={props.onToggle} />
        </Show>
      </div>
    </li>
  );
}
