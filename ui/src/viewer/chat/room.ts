/** The room as the page sees it: its lines, who one is, what one may do, and what one is writing. */
import { type Accessor, batch, createEffect, createMemo, createSignal, onCleanup, untrack } from 'solid-js';
import { api } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import type { ChatEvent, ChatReply, ChatUser, Emoji, PinnedMessage, SiteConfig } from '../../wire.ts';
import { Connection, type ConnectionEnvironment, type ConnectionState, type DisabledReason } from './connection.ts';
import { chatDocument } from './counter.ts';
import { keepHiddenLines } from './hidden-lines.ts';
import { createInbox } from './inbox.ts';
import { type Line, LineLog, lineFrom } from './lines.ts';
import { moderationWith } from './moderation.ts';
import { createNaming } from './naming.ts';
import { isFromServer, pageNotice, translated } from './notices.ts';
import { deletionWith, isDeletable } from './own-lines.ts';
import { People } from './people.ts';
import { isModerator, obstacleOf } from './rules.ts';
import { plainText } from './sanitise.ts';
import { createSendQueue } from './send-queue.ts';
import { createUnheard } from './unheard.ts';
import { createWait } from './wait.ts';

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

const isSamePin = (one: PinnedMessage | undefined, other: PinnedMessage | undefined) =>
  one?.message.id === other?.message.id && one?.pinnedAt === other?.pinnedAt;

/** How long the server takes nothing from whoever was too fast. */
const FLOOD_SECONDS = 10;

export interface RoomOptions {
  config: Accessor<SiteConfig>;
  /** Whether the stream's state lets people talk. */
  isOpen: Accessor<boolean>;
  /** So many people are in the chat that joins are not shown. */
  isCrowded: Accessor<boolean>;
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
  const [pinned, setPinned] = createSignal<PinnedMessage | undefined>(undefined, { equals: isSamePin });
  /** What the moderator wrote about a ban. */
  const [banReason, setBanReason] = createSignal<string>();
  const [emoji, setEmoji] = createSignal<Emoji[]>([]);
  const wait = createWait(() => handle([pageNotice(t('chat.muted.over'))]));
  const sendQueue = createSendQueue();
  let emojiAsked = false;
  /** How far the server's clock is ahead of ours. */
  let aheadMs = 0;

  const naming = createNaming();
  const unheard = createUnheard((text, reply) => {
    // Before what was written meanwhile.
    const meanwhile = untrack(draft);
    setDraft(meanwhile.trim() ? `${text}\n${meanwhile}` : text);
    if (reply && !untrack(replyTo)) setReplyTo(reply);
  });
  /** What came back with the loss of the connection, of which nobody knows whether it had arrived. */
  let doubtful: string | undefined;

  /** What the server said about slow mode is true until one may write again. */
  let slowNotices: string[] = [];
  createEffect(() => {
    if (wait.seconds() > 0 || slowNotices.length === 0) return;
    log.forget(slowNotices);
    slowNotices = [];
    setVersion((count) => count + 1);
  });

  /** Returns the line if it is new. */
  const admit = (line: Line): Line[] => {
    people.hear([line]);
    return line.kind === 'joined' && untrack(options.isCrowded) ? [] : log.append([line]);
  };

  const handle = (events: ChatEvent[]) =>
    batch(() => {
      const added: Line[] = [];
      for (const event of events) {
        // The greeting before it has told the same.
        const isTold = event.code === 'timeout-begins' && untrack(wait.isMuted);
        for (const said of [...(isTold ? [] : [translated(event)]), ...take(event)]) {
          const line = lineFrom(said, Date.now());
          if (line) added.push(...admit(line));
          if (line && said.notice === 'slow-mode') slowNotices.push(line.id);
        }
      }
      setLatest(added);
      setVersion((count) => count + 1);
    });

  /** The server says with every greeting how long one has to wait. Returns what to say about it. */
  const takeWait = (event: ChatEvent): ChatEvent[] => {
    // None when slow mode was turned off meanwhile.
    wait.start('slow-mode', event.slowModeForSeconds ?? 0);
    const wasMuted = untrack(wait.isMuted);
    wait.start('muted', event.mutedForSeconds ?? 0);
    if (wasMuted === untrack(wait.isMuted)) return [];
    if (wasMuted) return [pageNotice(t('chat.muted.lifted'))];
    const reason = event.mutedReason;
    return [pageNotice(reason ? `${t('chat.muted')} ${t('chat.removed.reason', { reason })}` : t('chat.muted'))];
  };

  /** Returns notices of the page itself. */
  const take = (event: ChatEvent): ChatEvent[] => {
    const notices = event.type === 'CONNECTED_USER_INFO' ? takeWait(event) : [];
    // The greeting says what is pinned now, and nothing when nothing is.
    if (event.type === 'CONNECTED_USER_INFO' || event.type === 'PINNED_MESSAGE') setPinned(event.pinned ?? undefined);
    if (event.type === 'CONNECTED_USER_INFO' && event.user?.id) setMe(event.user as ChatUser);
    const sentAt = Date.parse(event.timestamp ?? '');
    if (event.type === 'CONNECTED_USER_INFO' && sentAt) aheadMs = sentAt - Date.now();
    if (event.type === 'ERROR_USER_DISABLED') setBanReason(event.reason);
    naming.hear(event, untrack(me)?.id);
    const isMine = event.type === 'CHAT' && event.user?.id === untrack(me)?.id;
    if (isMine) unheard.heard(plainText(event.body ?? ''));
    // It had: to send it once more would say it twice.
    if (isMine && doubtful === untrack(draft) && doubtful === plainText(event.body ?? '').trim()) {
      setDraft('');
      setReplyTo(undefined);
    }
    const isAnswer = isMine || event.notice || event.type === 'CONNECTED_USER_INFO';
    if (isAnswer && isFromServer(event)) sendQueue.answered();
    if (event.type === 'VISIBILITY-UPDATE' && Array.isArray(event.ids)) {
      if (event.visible) log.show(event.ids);
      else log.hide(event.ids, event.deletedByAuthor);
    }
    if (event.notice === 'slow-mode') {
      wait.start('slow-mode', event.retryAfterSeconds ?? options.config().chatSlowModeSeconds ?? 0);
      unheard.giveBack();
    }
    if (event.notice === 'flood') {
      wait.start('flood', FLOOD_SECONDS);
      unheard.giveBack();
    }
    if (event.notice === 'muted' && event.retryAfterSeconds) wait.start('muted', event.retryAfterSeconds);
    if (event.notice === 'muted' || event.notice === 'refused') unheard.giveBack();
    if (event.notice === 'held') unheard.heard();
    return notices;
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
        if (next !== 'open' && next !== 'fallback' && unheard.giveAllBack()) doubtful = untrack(draft);
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

  const turn = async () => {
    if (!isModerating() && options.config().chatSpamProtectionEnabled !== false) await sendQueue.turn();
  };

  let isSaying = false;
  /** False when it could not be sent; the text is then left alone. */
  const say = async (text: string): Promise<boolean> => {
    const body = text.trim();
    if (!body || isSaying) return false;
    isSaying = true;
    const reply = replyTo();
    await turn();
    doubtful = undefined;
    const handed = unheard.sending(body, reply);
    const isSent = handed(await connection.send(chatDocument(body, reply?.id)));
    isSaying = false;
    if (!isSent) return false;
    batch(() => {
      // It may have taken a while: what was written on stays.
      setDraft(untrack(draft).startsWith(text) ? untrack(draft).slice(text.length).trimStart() : untrack(draft));
      if (untrack(replyTo) === reply) setReplyTo(undefined);
      if (!isModerating()) wait.start('slow-mode', options.config().chatSlowModeSeconds ?? 0);
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
    /** What stands above the lines. */
    pinned,
    draft,
    setDraft,
    replyTo,
    setReplyTo,
    dialog,
    setDialog,
    emoji,
    loadEmoji,
    /** Until one may write again; zero when one may. */
    waitSeconds: wait.seconds,
    people: () => people.names(untrack(me)?.id),
    say,
    /** A message has been on its way for longer than usual. */
    isSending: unheard.isSlow,
    /** Why it could not be changed; nothing when it was, or when the server does not say. */
    rename: async (newName: string): Promise<string | undefined> => {
      await turn();
      // The answer may be here before the word that it was handed over.
      const answer = naming.answer();
      return (await connection.send({ type: 'NAME_CHANGE', newName })) ? answer : t('chat.lost');
    },
    recolour: async (newColor: number) => {
      await turn();
      return connection.send({ type: 'COLOR_CHANGE', newColor });
    },
    /** Comes in anew, as after showing who one is. */
    reconnect: () => {
      connection.stop();
      connection.start();
    },
    token: () => connection.token,
    /** Whether one may still delete this line of one's own. */
    isDeletable: (line: Line) => isDeletable(line, me(), options.config(), Date.now() + aheadMs),
    deleteOwn: deletionWith(() => connection.token),
    /** Asks for a token without coming in: the room may be closed. */
    register: () => connection.register(),
    banReason,
    moderation,
    isHidden: (id: string) => {
      version();
      return log.isHidden(id);
    },
    /** Hidden, and its author does not want it back. */
    isDeleted: (id: string) => {
      version();
      return log.isDeleted(id);
    },
    showAgain: hidden.showAgain,
  };
}

export type Room = ReturnType<typeof createRoom>;
