/** Who is sitting at the admin pages. */
import { createSignal } from 'solid-js';
import { ApiError, api, onSessionLost } from '../api.ts';
import { ta } from '../i18n/admin.ts';
import { said } from '../i18n/said.ts';
import type { Session } from '../wire.ts';

const [session, setSession] = createSignal<Session>();

export { session, setSession };

onSessionLost(() => setSession((now) => ({ setupRequired: now?.setupRequired ?? false, authenticated: false })));

export async function loadSession(): Promise<void> {
  setSession(await api.get<Session>('/api/admin/session'));
}

export async function signIn(password: string): Promise<void> {
  await api.post('/api/admin/session', { password });
  // The server also shows this page in the place of others that are for the operator, and knows what belongs there.
  if (location.pathname.startsWith('/admin')) enter();
  else location.reload();
}

/** By the secret of a link that was made on the server's console; the caller says where to go and calls `enter`. */
export async function signInByLink(token: string): Promise<void> {
  await api.post('/api/admin/session/link', { token });
}

export async function signOut(): Promise<void> {
  await api.delete('/api/admin/session');
  setSession({ authenticated: false, setupRequired: false });
}

/** Whether a setup link is the valid one; refused with 401. */
export async function checkSetupLink(token: string): Promise<void> {
  await api.post('/api/admin/setup/check', { token });
}

export interface SetupAnswers {
  token: string;
  password: string;
  /** Left out, the server keeps what it has. */
  name?: string;
  serverUrl?: string;
}

/** On success the server has signed this browser in; the caller says where to go and calls `enter`. */
export async function sendSetup(answers: SetupAnswers): Promise<void> {
  await api.post('/api/admin/setup', answers);
}

export function enter(): void {
  setSession({ authenticated: true, setupRequired: false });
}

/** The sentence for the operator: the server's own where it sent one. */
export function explain(problem: unknown): string {
  if (!(problem instanceof ApiError)) return String(problem);
  if (problem.status === 0) return ta('error.unreachable');
  if (problem.status === 429 && problem.retryAfter) return ta('error.wait', { count: problem.retryAfter });
  return said(problem, problem.message) || ta('error.status', { status: String(problem.status) });
}

/** The same request, rejecting with that sentence. */
export async function withReason<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (problem) {
    throw new Error(explain(problem));
  }
}
