/** Shapes of the JSON about the chat, by the names the admin pages use. */
import type * as api from '../../api-types.d.ts';

export type ChatUser = api.User;

export type StoredMessage = api.ChatLine;

export type HeldMessage = api.ChatLine;

export type LogEntry = api.ModerationEntry;
export type Invitation = api.ModeratorInvitation;
export type NewInvitation = api.NewModeratorInvitation;

export type Client = api.LocatedChatClient;

export type UserPage = api.UsersPage;

export type AddressBan = api.AddressBan;

export type ChatConnection = api.ConnectionReport;

export type Emoji = api.Emoji;

export const isModerator = (user: ChatUser): boolean => user.scopes?.includes('MODERATOR') === true;
export const isBanned = (user: ChatUser): boolean => Boolean(user.disabledAt);
/** Names from before, newest first. */
export function formerNames(user: ChatUser): string[] {
  return [...new Set(user.previousNames)].filter((name) => name !== user.displayName).toReversed();
}
