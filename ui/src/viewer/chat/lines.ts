/** The lines of the room: made from events, in order, each once, without those a moderator hid; moderators keep them. Pure. */
import { ownPicture } from '../../pictures.ts';
import type { ChatEvent, ChatReply, ChatUser } from '../../wire.ts';
import { joinedBy, openJoinsAt } from './joins.ts';

export type LineKind = 'user' | 'system' | 'action' | 'notice' | 'social' | 'joined' | 'renamed';

export interface Line {
  id: string;
  /** Grows with every line; says where a line belongs even after others were taken out. */
  seq: number;
  kind: LineKind;
  at: number;
  user: ChatUser | undefined;
  /** HTML as the server sent it. */
  body: string;
  reply: ChatReply | undefined;
  oldName: string;
  /** The ids of those who joined after `user`, in the same line. */
  others: readonly string[];
  social: Social | undefined;
  /** The same person goes on: the name is not shown again. */
  continues: boolean;
}

export interface Social {
  kind: 'follow' | 'like' | 'repost';
  handle: string;
  image: string | undefined;
  link: string | undefined;
}

/** Who leaves is not shown: nobody has a use for it. */
const KINDS: Record<string, LineKind> = {
  CHAT: 'user',
  SYSTEM: 'system',
  CHAT_ACTION: 'action',
  USER_JOINED: 'joined',
  NAME_CHANGE: 'renamed',
  FEDIVERSE_ENGAGEMENT_FOLLOW: 'social',
  FEDIVERSE_ENGAGEMENT_LIKE: 'social',
  FEDIVERSE_ENGAGEMENT_REPOST: 'social',
};
const SOCIAL: Record<string, Social['kind']> = {
  FEDIVERSE_ENGAGEMENT_FOLLOW: 'follow',
  FEDIVERSE_ENGAGEMENT_LIKE: 'like',
  FEDIVERSE_ENGAGEMENT_REPOST: 'repost',
};

let unnamed = 0;

/** Undefined for events that are no lines, and for those without what a line needs. */
export function lineFrom(event: ChatEvent, now: number): Line | undefined {
  const kind = event.notice === undefined ? KINDS[event.type] : 'notice';
  if (!kind || event.visible === false) return undefined;
  const user = userFrom(event.user);
  const needsUser = kind === 'user' || kind === 'joined' || kind === 'renamed';
  if (needsUser && !user) return undefined;
  if (typeof event.id !== 'string') unnamed += 1;
  const at = Date.parse(event.timestamp ?? '');
  return {
    id: typeof event.id === 'string' ? event.id : `local-${unnamed}`,
    seq: 0,
    kind,
    at: Number.isNaN(at) ? now : at,
    user,
    body: typeof event.body === 'string' ? event.body : '',
    reply: event.inReplyTo ?? undefined,
    oldName: event.oldName ?? '',
    others: [],
    social: socialFrom(event),
    continues: false,
  };
}

function userFrom(user: Partial<ChatUser> | null | undefined): ChatUser | undefined {
  if (!user || typeof user.displayName !== 'string') return undefined;
  return {
    id: '',
    displayColor: 0,
    createdAt: '',
    previousNames: [],
    isBot: false,
    authenticated: false,
    ...user,
    displayName: user.displayName,
  };
}

function socialFrom(event: ChatEvent): Social | undefined {
  const kind = SOCIAL[event.type];
  if (!kind) return undefined;
  return { kind, handle: event.title ?? '', image: ownPicture(event.image), link: webAddress(event.link) };
}

/** Only what the web speaks, or the server's own paths; never a scheme that runs something. */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text, location.origin)) return undefined;
  const { protocol } = new URL(text, location.origin);
  return protocol === 'https:' || protocol === 'http:' ? text : undefined;
}

/** After a pause the name is shown again. */
const GROUP_MS = 3 * 60_000;

/** Whether `line` needs no name of its own below `before`. */
export function goesOn(before: Line | undefined, line: Line): boolean {
  if (before?.kind !== 'user' || line.kind !== 'user' || line.reply) return false;
  const one = before.user;
  const other = line.user;
  const samePerson = one?.id === other?.id && one?.displayName === other?.displayName;
  return samePerson && line.at - before.at < GROUP_MS;
}

/** Lines kept in memory. Beyond it the oldest go; nobody scrolls back that far. */
export const KEPT_LINES = 10_000;
/** They go in bunches, so that a full log is not copied for every new line. */
const DROP_SLACK = 500;

export class LineLog {
  /** In order of `seq`. */
  all: Line[] = [];
  #ids = new Set<string>();
  /** Hidden by a moderator, seen or not; with the line, to bring it back. */
  #hidden = new Map<string, Line | undefined>();
  /** Deleted by their authors: for good. */
  #deleted = new Set<string>();
  /** Moderators go on seeing what is hidden. */
  #keepsHidden = false;
  #nextSeq = 1;

  /** Whether a line is there only because moderators see what is hidden. */
  isHidden(id: string): boolean {
    return this.#keepsHidden && this.#hidden.has(id);
  }

  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  keepHidden(keeps: boolean): void {
    if (keeps === this.#keepsHidden) return;
    this.#keepsHidden = keeps;
    const ids = [...this.#hidden.keys()];
    if (keeps) this.merge([...this.#hidden.values()].filter((line) => line !== undefined));
    else for (const id of ids) this.#takeOut(id);
  }

  /** Returns those that are new. */
  append(lines: Line[]): Line[] {
    const added: Line[] = [];
    for (const line of lines) {
      if (!this.#isNew(line) || this.#joins(line)) continue;
      const next = { ...line, seq: this.#nextSeq, continues: goesOn(this.all.at(-1), line) };
      this.#nextSeq += 1;
      this.#ids.add(next.id);
      this.all.push(next);
      added.push(next);
    }
    this.#dropOldest();
    return added;
  }

  /** Lines from before: put where their time says. */
  merge(lines: Line[]): void {
    const unknown = lines.filter((line) => this.#isNew(line));
    if (unknown.length === 0) return;
    const sorted = [...unknown, ...this.all].sort((one, other) => one.at - other.at);
    this.all = [];
    this.#ids.clear();
    this.append(sorted);
  }

  hide(ids: readonly string[], isForGood = false): void {
    for (const id of ids) {
      if (isForGood) this.#deleted.add(id);
      if (!this.#hidden.has(id)) this.#hidden.set(id, undefined);
      if (!this.#keepsHidden) this.#takeOut(id);
    }
    // Answers do not go on quoting what was hidden.
    const hidden = new Set(ids);
    this.all.forEach((line, index) => {
      if (!line.reply || !hidden.has(line.reply.id)) return;
      this.all[index] = { ...line, reply: undefined };
      this.#regroup(index);
    });
  }

  show(ids: readonly string[]): void {
    for (const id of ids) {
      const line = this.#hidden.get(id);
      this.#hidden.delete(id);
      if (!line || this.#ids.has(id)) continue;
      const index = this.indexFrom(line.seq);
      this.all.splice(index, 0, line);
      this.#ids.add(id);
      this.#regroup(index);
      this.#regroup(index + 1);
    }
  }

  /** Out of the room, but not forgotten: it may be shown again. */
  #takeOut(id: string): void {
    const index = this.#ids.has(id) ? this.all.findIndex((line) => line.id === id) : -1;
    if (index === -1) return;
    this.#hidden.set(id, this.all[index]);
    this.#ids.delete(id);
    this.all.splice(index, 1);
    this.#regroup(index);
  }

  /** Index of the first line at or after `seq`. */
  indexFrom(seq: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** False for a line that is there, and for one that must not be seen. */
  #isNew(line: Line): boolean {
    if (this.#ids.has(line.id)) return false;
    if (this.#keepsHidden || !this.#hidden.has(line.id)) return true;
    if (!this.#hidden.get(line.id)) this.#hidden.set(line.id, { ...line, seq: this.#nextSeq });
    return false;
  }

  /** Whether the line is a join that went into the line of those before it. */
  #joins(line: Line): boolean {
    const index = line.kind === 'joined' ? openJoinsAt(this.all, line) : -1;
    const joins = this.all[index];
    if (!joins) return false;
    this.all[index] = joinedBy(joins, line);
    return true;
  }

  /** Its neighbour above changed. */
  #regroup(index: number): void {
    const line = this.all[index];
    if (!line) return;
    const continues = goesOn(this.all[index - 1], line);
    // A new object, so that the list shows it anew.
    if (continues !== line.continues) this.all[index] = { ...line, continues };
  }

  #dropOldest(): void {
    if (this.all.length <= KEPT_LINES + DROP_SLACK) return;
    for (const line of this.all.splice(0, this.all.length - KEPT_LINES)) this.#ids.delete(line.id);
  }
}
