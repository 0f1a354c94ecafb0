/** What can be asked of the server here. Each rejects with an error whose message is for the operator. */
import { api } from '../../api.ts';
import { withReason } from '../session.ts';

const post = <T = void>(path: string, body: unknown) => withReason(api.post<T>(`/api/admin/${path}`, body));
const remove = (path: string) => withReason(api.delete<void>(`/api/admin/${path}`));

/** `compromised`: somebody else may know the present key, so it is deleted and not handed over. */
export const rotateKey = (compromised: boolean) =>
  post('federation/rotate-key', compromised ? { compromised: true } : {});
export const takeBackKey = () => post('federation/take-back-key', {});
export const deleteFormerName = (name: string) => remove(`federation/former-names/${encodeURIComponent(name)}`);

/** False refuses somebody who waits and blocks somebody who follows. */
export const approveFollower = (actorIRI: string, approved: boolean) =>
  post('followers/approve', { actorIRI, approved });
/** They may follow again; for somebody who is blocked that is what it means. */
export const removeFollower = (actorIRI: string) => post('followers/remove', { actorIRI });

export interface PostDraft {
  text: string;
  /** As a data: address. */
  image?: string;
  description?: string;
}

export const sendPost = (draft: PostDraft) =>
  post('federation/send', { value: draft.text, image: draft.image, description: draft.description });
export const deletePost = (id: string) => remove(`federation/posts/${encodeURIComponent(id)}`);

export const retryDeliveries = (ids: number[]) => post('federation/deliveries/retry', { ids });
export const dropDeliveries = (ids: number[]) => post('federation/deliveries/drop', { ids });

export const deleteInboundPost = (id: number) => remove(`federation/inbox/${id}`);
export const deleteReport = (id: number) => remove(`federation/reports/${id}`);
export const revokeQuote = (id: string) => remove(`federation/quotes/${encodeURIComponent(id)}`);

export const featureServer = (url: string) => post('federation/servers', { url });
export const unfeatureServer = (id: number) => remove(`federation/servers/${id}`);
export const moveServer = (id: number, direction: 'up' | 'down') =>
  post(`federation/servers/${id}/reorder`, { direction });
