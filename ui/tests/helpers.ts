import { enAdmin } from '../src/i18n/en.admin.ts';
import { en } from '../src/i18n/en.ts';
import { startI18n } from '../src/i18n/index.ts';
import type { Setting } from '../src/wire.ts';

/** English for every test, whatever the machine speaks. */
export async function speakEnglish(): Promise<void> {
  localStorage.setItem('rillcast.language', 'en');
  await startI18n({ en: () => ({ ...en, ...enAdmin }), de: () => ({}) });
}

/** jsdom knows <dialog> but not how to open one. */
export function dialogsOpen(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

export function setting(change: Partial<Setting>): Setting {
  return {
    key: 'name',
    path: 'name',
    name: 'name',
    kind: 'text',
    value: 'Brook',
    default: '',
    source: 'database',
    sourceName: 'the admin pages',
    locked: false,
    applies: 'now',
    doc: '',
    maxLength: null,
    min: null,
    max: null,
    choices: null,
    ...change,
  };
}

/** A promise to be settled later, for looking at what happens in between. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (problem: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

export interface Sent {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

/** Answers requests by "METHOD path"; everything else is 404. Returns what was sent. */
export function answerWith(
  routes: Record<string, { status?: number; body: unknown; headers?: Record<string, string> }>,
) {
  const sent: Sent[] = [];
  const fakeFetch = async (path: string, init: RequestInit): Promise<Response> => {
    const method = init.method ?? 'GET';
    sent.push({
      method,
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      headers: init.headers as Record<string, string>,
    });
    const route = routes[`${method} ${path}`] ?? { status: 404, body: { success: false, message: 'not found' } };
    const body = typeof route.body === 'string' ? route.body : JSON.stringify(route.body);
    return new Response(body, { status: route.status ?? 200, headers: route.headers });
  };
  return { sent, fakeFetch };
}
