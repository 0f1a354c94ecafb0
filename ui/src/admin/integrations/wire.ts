/** Shapes of the JSON about what works together with this server. */

export type Scope = 'CAN_SEND_MESSAGES' | 'CAN_SEND_SYSTEM_MESSAGES' | 'HAS_ADMIN_ACCESS';

export interface AccessToken {
  id: string;
  /** In lists only its beginning; the whole of it is in the answer that made it, and nowhere else. */
  accessToken: string;
  displayName: string;
  scopes: string[];
  createdAt: string;
  lastUsedAt?: string;
}

export type WebhookState = 'active' | 'failing' | 'disabled';

export interface Webhook {
  id: number;
  url: string;
  events: string[];
  timestamp: string;
  lastUsed: string | null;
  state: WebhookState;
  warning?: string;
  failingSince?: string;
  /** Deliveries that are still to be made. */
  waiting: number;
  allowInternal: boolean;
}

/** Told once, by the answer that made it. */
export interface NewWebhook extends Webhook {
  secret: string;
}

export interface Delivery {
  id: number;
  /** The same for every attempt; the receiver sees it too. */
  deliveryKey: string;
  webhookId: number;
  type: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  createdAt: string;
  nextAttemptAt?: string;
  lastAttemptAt?: string;
  status?: number;
  response?: string;
  error?: string;
  durationMs?: number;
  isTest: boolean;
}
