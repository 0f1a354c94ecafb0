/** The one place that talks HTTP. Knows the envelope and the CSRF header; knows nothing of pages. */

export class ApiError extends Error {
  constructor(
    /** HTTP status, or 0 when no answer came. */
    readonly status: number,
    /** The server's own sentence; empty when it sent none. */
    message: string,
    /** Seconds to wait, where the server said so. */
    readonly retryAfter?: number,
    /** What the message is in other languages. */
    readonly code?: string,
    readonly params?: Record<string, unknown>,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type SessionLost = () => void;

let sessionLost: SessionLost = () => {};

/** Called once a request that needs a session is answered with 401. */
export function onSessionLost(listener: SessionLost): void {
  sessionLost = listener;
}

/** For these paths 401 is an answer about the password or token, not about a session. */
const SIGN_IN_PATHS = new Set([
  '/api/admin/session',
  '/api/admin/session/link',
  '/api/admin/setup',
  '/api/admin/setup/check',
]);

/** A proxy that swallows the answer must not leave a field "saving" for ever. */
const TIMEOUT_MS = 20_000;

async function request<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (method !== 'GET') headers['X-Rillcast-CSRF'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';

  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch {
    throw new ApiError(0, '');
  }

  const payload = parse(text);
  if (response.ok) return payload as T;
  if (response.status === 401 && !SIGN_IN_PATHS.has(path)) sessionLost();
  throw failureOf(response.status, payload, retryAfterOf(response));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function failureOf(status: number, payload: unknown, retryAfter?: number): ApiError {
  const { message, code, params } = (payload && typeof payload === 'object' ? payload : {}) as Record<string, unknown>;
  return new ApiError(
    status,
    typeof message === 'string' ? message : '',
    retryAfter,
    typeof code === 'string' ? code : undefined,
    params && typeof params === 'object' ? (params as Record<string, unknown>) : undefined,
  );
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/**
 * Sends a form with files and tells how much of it is away, from 0 to 1. `fetch` cannot tell; and no time limit:
 * large files take as long as the line needs.
 */
function upload<T>(path: string, form: FormData, onProgress: (share: number) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('X-Rillcast-CSRF', '1');
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onerror = () => reject(new ApiError(0, ''));
    request.onload = () => {
      const payload = parse(request.responseText);
      if (request.status >= 200 && request.status < 300) return resolve(payload as T);
      if (request.status === 401) sessionLost();
      reject(failureOf(request.status, payload));
    };
    request.send(form);
  });
}

export const api = {
  get: <T>(path: string) => request<T>('GET', path),
  post: <T = unknown>(path: string, body: unknown) => request<T>('POST', path, body),
  patch: <T = unknown>(path: string, body: unknown) => request<T>('PATCH', path, body),
  upload,
  delete: <T = unknown>(path: string) => request<T>('DELETE', path),
};
