import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AccessTokens } from '../src/admin/integrations/tokens/AccessTokens.tsx';
import { exampleCall, scopeName } from '../src/admin/integrations/tokens/scopes.ts';
import type { AccessToken } from '../src/admin/integrations/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const bot: AccessToken = {
  id: 't1',
  accessToken: 'abc123…',
  displayName: 'Poll bot',
  scopes: ['CAN_SEND_MESSAGES', 'SOMETHING_NEW'],
  createdAt: '2026-01-01T10:00:00Z',
};
const SECRET = 'the-whole-secret-of-this-token';

const show = (routes: Routes, settings = [setting({ path: 'serverurl', value: 'https://live.example/' })]) =>
  showPage(() => <AccessTokens />, routes, settings);

describe('the list of tokens', () => {
  test('says whose each is, what it may do, how it begins, and that it was never used', async () => {
    show({ 'GET /api/admin/accesstokens': { body: [bot] } });
    const line = (await screen.findByText('Poll bot')).closest('tr') as HTMLElement;
    for (const text of ['Write in the chat', 'abc123…', 'never']) expect(within(line).getByText(text)).toBeTruthy();
  });

  test('a scope this page does not know keeps its name', () => {
    expect(scopeName('SOMETHING_NEW')).toBe('SOMETHING_NEW');
  });

  test('none yet has words of its own', async () => {
    show({ 'GET /api/admin/accesstokens': { body: [] } });
    expect(await screen.findByText('No tokens yet')).toBeTruthy();
  });

  test('a failed load says why and can be tried again', async () => {
    const { routes } = show({
      'GET /api/admin/accesstokens': { status: 503, body: { success: false, message: 'the database is busy' } },
    });
    await screen.findByText('the database is busy');
    routes['GET /api/admin/accesstokens'] = { body: [bot] };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('Poll bot')).toBeTruthy();
  });
});

async function create(answer: { status?: number; body: unknown }) {
  const shown = show({
    'GET /api/admin/accesstokens': { body: [] },
    'POST /api/admin/accesstokens/create': answer,
  });
  await screen.findByText('No tokens yet');
  fireEvent.click(screen.getByText('Create a token'));
  fireEvent.input(screen.getByLabelText('Name'), { target: { value: ' Poll bot ' } });
  fireEvent.click(screen.getByLabelText(/Read and moderate/));
  fireEvent.click(screen.getByLabelText(/Write in the chat/));
  fireEvent.submit(screen.getByText('Create this token').closest('form') as HTMLFormElement);
  return shown;
}

describe('a new token', () => {
  test('needs a name and at least one right, and says so at the fields', async () => {
    const { posted } = show({ 'GET /api/admin/accesstokens': { body: [] } });
    await screen.findByText('No tokens yet');
    fireEvent.click(screen.getByText('Create a token'));
    fireEvent.submit(screen.getByText('Create this token').closest('form') as HTMLFormElement);
    expect(screen.getByText('Give the token a name.').getAttribute('role')).toBe('alert');
    expect(screen.getByText('Choose at least one permission.').getAttribute('role')).toBe('alert');
    expect(posted()).toEqual([]);
  });

  test('is shown once with an example, and is gone after that', async () => {
    const scopes = ['CAN_SEND_MESSAGES', 'HAS_ADMIN_ACCESS'];
    const { posted, routes } = await create({ body: { ...bot, accessToken: SECRET, scopes } });
    expect(await screen.findByText('You will not see it again.')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ name: 'Poll bot', scopes });
    expect(screen.getByText(SECRET)).toBeTruthy();
    expect(screen.getByText(/curl 'https:\/\/live\.example\/api\/integrations\/chat\/send'/)).toBeTruthy();
    expect(screen.queryByText('Create this token')).toBeNull();
    routes['GET /api/admin/accesstokens'] = { body: [bot] };
    fireEvent.click(screen.getByText('I have copied it'));
    expect(document.body.textContent).not.toContain(SECRET);
  });

  test('takes the focus, so that a screen reader reads it', async () => {
    await create({ body: { ...bot, accessToken: SECRET } });
    await screen.findByText(SECRET);
    await vi.waitFor(() => expect(document.activeElement?.className).toContain('secret-card'));
  });

  test('the reason of the server stays in the form', async () => {
    await create({ status: 400, body: { success: false, message: 'this name is taken' } });
    expect((await screen.findByText('this name is taken')).closest('dialog')).not.toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe(' Poll bot ');
  });
});

test('a token is revoked only after a question', async () => {
  const { posted, routes } = show({
    'GET /api/admin/accesstokens': { body: [bot] },
    'POST /api/admin/accesstokens/delete': OK,
  });
  fireEvent.click(await screen.findByLabelText('Revoke: Poll bot'));
  expect(posted()).toEqual([]);
  const question = screen.getByText('Revoke the token of Poll bot?').closest('dialog') as HTMLElement;
  routes['GET /api/admin/accesstokens'] = { body: [] };
  fireEvent.click(within(question).getByText('Revoke'));
  expect(await screen.findByText('No tokens yet')).toBeTruthy();
  expect(posted()[0]?.body).toEqual({ id: 't1' });
});

describe('the example', () => {
  test('is about something the token may do', () => {
    expect(exampleCall('https://a.example', 's', ['CAN_SEND_SYSTEM_MESSAGES'])).toContain('/chat/system');
    expect(exampleCall('https://a.example', 's', ['HAS_ADMIN_ACCESS'])).toBe(
      "curl 'https://a.example/api/integrations/status' \\\n  -H 'Authorization: Bearer s'",
    );
  });

  test('is left out for rights this page does not know', () => {
    expect(exampleCall('https://a.example', 's', ['SOMETHING_NEW'])).toBeUndefined();
  });
});
