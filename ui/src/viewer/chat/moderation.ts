/** What a moderator can do, as requests. */
import { api } from '../../api.ts';
import type { ChatUserDetails, HeldMessage } from '../../wire.ts';

export interface Moderation {
  hide(ids: string[]): Promise<unknown>;
  /** Zero seconds lifts it. */
  timeOut(userId: string, seconds: number): Promise<unknown>;
  ban(userId: string): Promise<unknown>;
  details(userId: string): Promise<ChatUserDetails>;
  held(): Promise<HeldMessage[]>;
  decide(id: string, decision: 'approve' | 'reject'): Promise<unknown>;
}

export function moderationWith(token: () => string | null): Moderation {
  const at = (path: string) => `${path}?${new URLSearchParams({ accessToken: token() ?? '' })}`;
  return {
    hide: (idArray) => api.post(at('/api/chat/messagevisibility'), { idArray, visible: false }),
    timeOut: (userId, seconds) => api.post(at('/api/chat/users/timeout'), { userId, seconds }),
    ban: (userId) => api.post(at('/api/chat/users/setenabled'), { userId, enabled: false }),
    details: (userId) => api.get(at(`/api/moderation/chat/user/${encodeURIComponent(userId)}`)),
    held: () => api.get(at('/api/chat/held')),
    decide: (id, decision) => api.post(at('/api/chat/held'), { id, approve: decision === 'approve' }),
  };
}
