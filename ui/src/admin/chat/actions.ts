/** What can be done to people and messages. Each rejects with an error whose message is for the operator. */
import { api } from '../../api.ts';
import { toast } from '../../design/toasts.tsx';
import { explain } from '../session.ts';

async function post(path: string, body: unknown): Promise<void> {
  try {
    await api.post(`/api/admin/${path}`, body);
  } catch (problem) {
    throw new Error(explain(problem));
  }
}

export const setVisibility = (idArray: string[], visible: boolean) =>
  post('chat/messagevisibility', { idArray, visible });
export const setPinned = (id: string, pinned: boolean) => post('chat/pin', { id, pinned });
export const decide = (id: string, approve: boolean) => post('chat/held', { id, approve });
/** Bans without a length are for ever. */
export const setEnabled = (userId: string, enabled: boolean, duration?: number) =>
  post('chat/users/setenabled', { userId, enabled, duration });
export const setModerator = (userId: string, isModerator: boolean) =>
  post('chat/users/setmoderator', { userId, isModerator });
export const revokeInvitation = (id: string) => post('chat/invitations/revoke', { id });
/** 0 lifts it. */
export const setTimeOut = (userId: string, seconds: number) => post('chat/users/timeout', { userId, seconds });
export const deleteUser = (userId: string) => post('users/delete', { userId });
export const banAddress = (value: string, notes: string) =>
  post('chat/users/ipbans/create', notes ? { value, notes } : { value });
export const unbanAddress = (value: string) => post('chat/users/ipbans/remove', { value });
export const uploadEmoji = (emoji: { name: string; data: string; pack?: string }) => post('emoji/upload', emoji);
export const deleteEmoji = (name: string) => post('emoji/delete', { name });

/** Runs it and tells how it went at the bottom of the page; true when it went well. */
export async function announced(action: Promise<void>, done?: string): Promise<boolean> {
  try {
    await action;
  } catch (problem) {
    toast(problem instanceof Error ? problem.message : String(problem));
    return false;
  }
  if (done) toast(done);
  return true;
}
