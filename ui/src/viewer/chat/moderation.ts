/** What a moderator can do, as requests. */
import { api } from '../../api.ts';
import type {
  ChatRestrictions,
  ChatUserDetails,
  HeldMessage,
  HiddenMessage,
  ModerationEntry,
  SanctionedPage,
} from '../../wire.ts';

export interface Moderation {
  hide(ids: string[]): Promise<unknown>;
  show(ids: string[]): Promise<unknown>;
  /** What the history leaves out. */
  hidden(): Promise<HiddenMessage[]>;
  /** Zero seconds lifts it. */
  timeOut(userId: string, seconds: number, reason?: string): Promise<unknown>;
  /** Without a length for ever. */
  ban(userId: string, reason?: string, duration?: number): Promise<unknown>;
  unban(userId: string): Promise<unknown>;
  /** Who is banned or timed out. */
  sanctioned(offset: number): Promise<SanctionedPage>;
  /** What was done before the entry with this number, newest first. */
  log(before?: number): Promise<ModerationEntry[]>;
  details(userId: string): Promise<ChatUserDetails>;
  held(): Promise<HeldMessage[]>;
  decide(id: string, decision: 'approve' | 'reject'): Promise<unknown>;
  restrictions(): Promise<ChatRestrictions>;
  restrict(change: Partial<ChatRestrictions>): Promise<unknown>;
}

export function moderationWith(token: () => string | null): Moderation {
  const at = (path: string, query: Record<string, string> = {}) =>
    `${path}?${new URLSearchParams({ accessToken: token() ?? '', ...query })}`;
  return {
    hide: (idArray) => api.post(at('/api/chat/messagevisibility'), { idArray, visible: false }),
    show: (idArray) => api.post(at('/api/chat/messagevisibility'), { idArray, visible: true }),
    hidden: () => api.get(at('/api/chat/hidden')),
    timeOut: (userId, seconds, reason) => api.post(at('/api/chat/users/timeout'), { userId, seconds, reason }),
    ban: (userId, reason, duration) =>
      api.post(at('/api/chat/users/setenabled'), { userId, enabled: false, reason, duration }),
    unban: (userId) => api.post(at('/api/chat/users/setenabled'), { userId, enabled: true }),
    sanctioned: (offset) => api.get(at('/api/chat/users/sanctioned', { offset: String(offset) })),
    log: (before) => api.get(at('/api/chat/log', before === undefined ? {} : { before: String(before) })),
    details: (userId) => api.get(at(`/api/moderation/chat/user/${encodeURIComponent(userId)}`)),
    held: () => api.get(at('/api/chat/held')),
    decide: (id, decision) => api.post(at('/api/chat/held'), { id, approve: decision === 'approve' }),
    restrictions: () => api.get(at('/api/chat/restrictions')),
    restrict: (change) => api.post(at('/api/chat/restrictions'), change),
  };
}
