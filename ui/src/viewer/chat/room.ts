/** The room as the page sees it: its lines, who one is, what one may do, and what one is writing. */
import { type Accessor, batch, createEffect, createMemo, createSignal, onCleanup, untrack } from 'solid-js';
import { api } from '../../api.ts';
import type { ChatEvent, ChatReply, ChatUser, Emoji, SiteConfig } from '../../wire.ts';
import { Connection, type ConnectionEnvironment, type ConnectionState, type DisabledReason } from './connection.ts';
import { chatDocument } from './counter.ts';
import { keepHiddenLines } from './hidden-lines.ts';
import { createInbox } from './inbox.ts';
import { type Line, LineLog, lineFrom } from './lines.ts';
import { moderationWith } from './moderation.ts';
import { People } from './people.ts';
import { isModerator, obstacleOf } from './rules.ts';
import { createSendQueue } from './send-queue.ts';
import { createSlowMode } from './slow-mode.ts';

/** What is open above the page. */
export type RoomDialog =
  | { kind: 'name' }
  | { kind: 'sign-in' }
  | { kind: 'ban'; user: ChatUser }
  | { kind: 'timeout'; user: ChatUser }
  | { kind: 'moderation' }
  | { kind: 'invitation' }
  | { kind: 'user'; user: ChatUser }
  | { kind: 'held' };

/** How long the server takes nothing from whoever was too fast. */
const FLOOD_SECONDS = 10;

export interface RoomOptions {
  config: Accessor<SiteConfig>;
  /** Whether the stream's state lets people talk. */
  isOpen: Accessor<boolean>;
  environment: ConnectionEnvironment;
  /** An overlay, which everybody may see: hidden lines stay out of it whoever is behind it. */
  isOverlay?: boolean;
}

export function createRoom(options: RoomOptions) {
  const log = new LineLog();
  const people = new People();
  const [version, setVersion] = createSignal(0);
  const [latest, setLatest] = createSignal<Line[]>([]);
  const [state, setState] = createSignal<ConnectionState>('connecting');
  const [reason, setReason] = createSignal<DisabledReason>();
  const [me, setMe] = createSignal<ChatUser>();
  const [draft, setDraft] = createSignal('');
  const [replyTo, setReplyTo] = createSignal<ChatReply>();
  const [dialog, setDialog] = createSignal<RoomDialog>();
  /** What the moderator wrote about a ban. */
  const [banReason, setBanReason] = createSignal<string>();
  const [emoji, setEmoji] = createSignal<Emoji[]>([]);
  const slowMode = createSlowMode();
  const sendQueue = createSendQueue();
  let unheard: string | undefined;
  let emojiAsked = false;

  /** A line the server did not take, or may not have got, goes back to where it was written. */
  const giveBack = () => {
    if (unheard && !untrack(draft)) setDraft(unheard);
    unheard = undefined;
  };

  const handle = (events: ChatEvent[]) =>
    batch(() => {
      const added: Line[] = [];
      for (const event of events) {
        take(event);
        const line = lineFrom(event, Date.now());
        if (line) added.push(...log.append([line]));
      }
      people.hear(added);
      setLatest(added);
      setVersion((count) => count + 1);
    });

  const take = (event: ChatEvent) => {
    if (event.type === 'CONNECTED_USER_INFO' && event.user?.id) setMe(event.user as ChatUser);
    if (event.type === 'ERROR_USER_DISABLED') setBanReason(event.reason);
    const isMine = event.type === 'CHAT' && event.user?.id === untrack(me)?.id;
    if (isMine) unheard = undefined;
    if (isMine || event.notice || event.type === 'CONNECTED_USER_INFO') sendQueue.answered();
    if (event.type === 'VISIBILITY-UPDATE' && Array.isArray(event.ids)) {
      if (event.visible) log.show(event.ids);
      else log.hide(event.ids);
    }
    if (event.notice === 'slow-mode') {
      slowMode.start(event.retryAfterSeconds ?? options.config().chatSlowModeSeconds ?? 0);
      giveBack();
    }
    if (event.notice === 'flood') {
      slowMode.start(FLOOD_SECONDS);
      giveBack();
    }
    if (event.notice === 'muted' || event.notice === 'refused') giveBack();
    if (event.notice === 'held') unheard = undefined;
  };

  const inbox = createInbox(handle);
  const connection = new Connection(options.environment, {
    onEvents: inbox.push,
    onHistory: (entries) => {
      const lines = entries.flatMap((entry) => lineFrom(entry, Date.now()) ?? []);
      log.merge(lines);
      people.hear(lines);
      setVersion((count) => count + 1);
    },
    onState: (next, why) =>
      batch(() => {
        if (next === 'lost') giveBack();
        setState(next);
        setReason(why);
      }),
  });

  createEffect(() => {
    if (options.isOpen()) connection.start(untrack(options.config).chatDisabled !== false);
    else connection.stop();
  });

  const retry = () => {
    if (!document.hidden) connection.retryNow();
  };
  window.addEventListener('online', retry);
  document.addEventListener('visibilitychange', retry);
  onCleanup(() => {
    connection.stop();
    inbox.stop();
    window.removeEventListener('online', retry);
    document.removeEventListener('visibilitychange', retry);
  });

  const obstacle = createMemo(() =>
    obstacleOf({ isOpen: options.isOpen(), config: options.config(), state: state(), reason: reason(), me: me() }),
  );
  const isModerating = createMemo(() => isModerator(me()));
  const moderation = moderationWith(() => connection.token);
  const hidden = keepHiddenLines({
    log,
    moderation,
    isKept: () => isModerating() && !options.isOverlay,
    isConnected: () => state() === 'open' || state() === 'fallback',
    onChange: () => setVersion((count) => count + 1),
  });

  const send = async (document: object): Promise<boolean> => {
    if (!isModerating() && options.config().chatSpamProtectionEnabled !== false) await sendQueue.turn();
    return connection.send(document);
  };

  let isSaying = false;
  /** False when it could not be sent; the text is then left alone. */
  const say = async (text: string): Promise<boolean> => {
    const body = text.trim();
    if (!body || isSaying) return false;
    isSaying = true;
    const isSent = await send(chatDocument(body, replyTo()?.id));
    isSaying = false;
    if (!isSent) return false;
    unheard = body;
    batch(() => {
      setDraft('');
      setReplyTo(undefined);
      if (!isModerating()) slowMode.start(options.config().chatSlowModeSeconds ?? 0);
    });
    return true;
  };

  /** Asked for once, when somebody starts to write. */
  const loadEmoji = async () => {
    if (emojiAsked) return;
    emojiAsked = true;
    try {
      const list = await api.get<Emoji[]>('/api/emoji');
      setEmoji(Array.isArray(list) ? list : []);
    } catch {
      emojiAsked = false;
    }
  };

  return {
    log,
    version,
    /** The lines that came with the last update, history excepted. */
    latest,
    config: options.config,
    state: () => (options.isOpen() ? state() : 'disabled'),
    obstacle,
    me,
    isModerating,
    draft,
    setDraft,
    replyTo,
    setReplyTo,
    dialog,
    setDialog,
    emoji,
    loadEmoji,
    slowSeconds: slowMode.seconds,
    people: () => people.names(untrack(me)?.id),
    say,
    rename: (newName: string) => send({ type: 'NAME_CHANGE', newName }),
    recolour: (newColor: number) => send({ type: 'COLOR_CHANGE', newColor }),
    /** Comes in anew, as after showing who one is. */
    reconnect: () => {
      connection.stop();
      connection.start();
    },
    token: () => connection.token,
    /** Asks for a token without coming in: the room may be closed. */
    register: () => connection.register(),
    banReason,
    moderation,
    isHidden: (id: string) => {
      version();
      return log.isHidden(id);
    },
    showAgain: hidden.showAgain,
  };
}

export type Room = ReturnType<typeof createRoom>;
