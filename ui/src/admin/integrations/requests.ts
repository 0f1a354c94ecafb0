/** What can be asked of the server here. Each rejects with an error whose message is for the operator. */
import { api } from '../../api.ts';
import type { ExternalAction } from '../../wire.ts';
import { explain } from '../session.ts';
import type { AccessToken, NewWebhook, Scope, Webhook } from './wire.ts';

async function post<T>(path: string, body: unknown): Promise<T> {
  try {
    return await api.post<T>(`/api/admin/${path}`, body);
  } catch (problem) {
    throw new Error(explain(problem));
  }
}

export const createToken = (name: string, scopes: Scope[]) =>
  post<AccessToken>('accesstokens/create', { name, scopes });
export const revokeToken = (id: string) => post<void>('accesstokens/delete', { id });

export interface WebhookDraft {
  url: string;
  events: string[];
  allowInternal: boolean;
}

export const createWebhook = (draft: WebhookDraft) => post<NewWebhook>('webhooks/create', draft);
export const updateWebhook = (id: number, change: Partial<WebhookDraft> & { enabled?: boolean }) =>
  post<Webhook>('webhooks/update', { id, ...change });
export const deleteWebhook = (id: number) => post<void>('webhooks/delete', { id });
export const testWebhook = (id: number) => post<{ deliveryId: number }>('webhooks/test', { id });
export const retryDelivery = (id: number) => post<void>('webhooks/deliveries/retry', { id });

export const saveActions = (value: ExternalAction[]) => post<void>('config/externalactions', { value });
