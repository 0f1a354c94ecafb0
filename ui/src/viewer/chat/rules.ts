/** What the server's configuration means for chat. Pure. */
import type { ChatUser, SiteConfig, Status } from '../../wire.ts';
import type { ConnectionState, DisabledReason } from './connection.ts';
import type { Limits } from './counter.ts';

/** As the server does: lines are accepted this long after the end of the stream. */
export const OFFLINE_WINDOW_MS = 5 * 60_000;

const LINE_CHARS = 500;
const FRAME_BYTES = 2048;

export function limitsOf(config: SiteConfig): Limits {
  return { chars: config.chatMaxLineChars ?? LINE_CHARS, bytes: config.maxSocketPayloadSize ?? FRAME_BYTES };
}

/** A server that never streamed has an open room: its people are trying it out. */
export function isRoomOpen(config: SiteConfig, status: Status, now: string): boolean {
  if (config.chatAwaitsSetup) return false;
  if (status.online || status.streamState !== 'offline') return true;
  // An announced stream is about to begin, and people may gather.
  if (status.scheduledEvent?.chatOpen) return true;
  if (config.chatOpenWhenOffline === 'always' || !status.lastDisconnectTime) return true;
  return Date.parse(now) - Date.parse(status.lastDisconnectTime) < OFFLINE_WINDOW_MS;
}

/** Whether there is a way to show who one is. */
export const canSignIn = (config: SiteConfig): boolean =>
  config.authentication?.indieAuthEnabled === true || config.federation?.enabled === true;

export const isModerator = (user: ChatUser | undefined): boolean => user?.scopes?.includes('MODERATOR') ?? false;

/** Why one cannot write; undefined when one can. */
export type Obstacle = 'closed' | 'setup' | 'off' | 'removed' | 'connecting' | 'lost' | 'paused' | 'sign-in';

export interface Circumstances {
  isOpen: boolean;
  config: SiteConfig;
  state: ConnectionState;
  reason: DisabledReason | undefined;
  me: ChatUser | undefined;
}

export function obstacleOf({ isOpen, config, state, reason, me }: Circumstances): Obstacle | undefined {
  if (!isOpen) return config.chatAwaitsSetup ? 'setup' : 'closed';
  if (state === 'disabled') return reason ?? 'off';
  if (config.chatDisabled) return 'off';
  if (state === 'connecting' || state === 'lost') return state;
  if (config.chatPaused && !isModerator(me)) return 'paused';
  if (config.chatRequireAuthentication && !me?.authenticated && !isModerator(me)) return 'sign-in';
  return undefined;
}
