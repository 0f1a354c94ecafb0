/** What people do with their own lines: delete them, for a while. */
import { api } from '../../api.ts';
import type { ChatUser, SiteConfig } from '../../wire.ts';
import type { Line } from './lines.ts';

/** The server decides; this only says where it is worth asking. `now` is the server's time. */
export function isDeletable(line: Line, me: ChatUser | undefined, config: SiteConfig, now: number): boolean {
  const isOwn = line.kind === 'user' && me !== undefined && line.user?.id === me.id;
  return isOwn && now - line.at < (config.chatOwnDeletionSeconds ?? 0) * 1000;
}

export function deletionWith(token: () => string | null) {
  return (id: string): Promise<unknown> =>
    api.post(`/api/chat/messages/delete?${new URLSearchParams({ accessToken: token() ?? '' })}`, { id });
}
