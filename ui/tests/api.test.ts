import { describe, expect, test, vi } from 'vitest';
import { ApiError, api, onSessionLost } from '../src/api.ts';
import { answerWith } from './helpers.ts';

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const problem = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof ApiError)) throw new Error('expected an ApiError');
  return problem;
}

describe('the client of the API', () => {
  test('carries the server’s message and the time to wait', async () => {
    const { fakeFetch } = answerWith({
      'POST /api/admin/session': {
        status: 429,
        body: { success: false, message: 'slow down' },
        headers: { 'Retry-After': '30' },
      },
    });
    vi.stubGlobal('fetch', fakeFetch);
    const failure = await failureOf(api.post('/api/admin/session', { password: 'x' }));
    expect([failure.status, failure.message, failure.retryAfter]).toEqual([429, 'slow down', 30]);
  });

  test('reports a lost session, also when the answer is plain text', async () => {
    const { fakeFetch } = answerWith({ 'GET /api/admin/settings': { status: 401, body: 'Unauthorized' } });
    vi.stubGlobal('fetch', fakeFetch);
    const lost = vi.fn();
    onSessionLost(lost);
    await failureOf(api.get('/api/admin/settings'));
    expect(lost).toHaveBeenCalledTimes(1);
  });

  test('does not take a wrong password for a lost session', async () => {
    const { fakeFetch } = answerWith({ 'POST /api/admin/session': { status: 401, body: { message: 'wrong' } } });
    vi.stubGlobal('fetch', fakeFetch);
    const lost = vi.fn();
    onSessionLost(lost);
    await failureOf(api.post('/api/admin/session', { password: 'x' }));
    expect(lost).not.toHaveBeenCalled();
  });

  test('sends the CSRF header with changes only', async () => {
    const { sent, fakeFetch } = answerWith({ 'GET /a': { body: {} }, 'DELETE /a': { body: {} } });
    vi.stubGlobal('fetch', fakeFetch);
    await api.get('/a');
    await api.delete('/a');
    expect(sent.map((request) => request.headers['X-Rillcast-CSRF'])).toEqual([undefined, '1']);
  });

  test('an unreachable server is status 0', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network')));
    expect((await failureOf(api.get('/a'))).status).toBe(0);
  });
});
