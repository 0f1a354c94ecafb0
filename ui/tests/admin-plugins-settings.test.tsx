import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changesIn, draftOf } from '../src/admin/plugins/detail/draft.ts';
import { LIST, permission, running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

describe('settings', () => {
  const config = {
    cooldown: { type: 'number', default: 2000, description: 'Pause', secret: false },
    apiToken: { type: 'string', description: 'Token', secret: true },
    loud: { type: 'boolean', default: true, secret: false },
  };
  const show = (answer: { status?: number; body: unknown } = { body: {} }) =>
    showPlugins(
      [running({ config })],
      {
        'GET /api/admin/plugins/echo-bot/config': { body: { cooldown: 500, loud: true, apiToken: 'abc' } },
        'POST /api/admin/plugins/echo-bot/config': answer,
      },
      '/echo-bot',
    );
  const submit = () => fireEvent.submit(screen.getByText('Save settings').closest('form') as HTMLFormElement);

  test('show what holds, hide secrets, and send only what differs from the defaults', async () => {
    const { posted } = show();
    expect((await screen.findByLabelText<HTMLInputElement>('Pause')).value).toBe('500');
    expect(screen.getByLabelText<HTMLInputElement>('Token').type).toBe('password');
    fireEvent.input(screen.getByLabelText('Pause'), { target: { value: '2000' } });
    fireEvent.click(screen.getByLabelText('loud'));
    submit();
    expect(await screen.findByText('The settings were saved.')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ apiToken: 'abc', loud: false });
  });

  test('the reason of the server stays above the button, and the entries stay too', async () => {
    show({ status: 400, body: { message: 'cooldown must be a number' } });
    fireEvent.input(await screen.findByLabelText('Token'), { target: { value: 'new' } });
    submit();
    expect(await screen.findByText('cooldown must be a number')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('new');
  });

  test('what was entered survives the next answer about the plugins', async () => {
    const { routes } = show();
    fireEvent.input(await screen.findByLabelText('Token'), { target: { value: 'half-typ' } });
    routes[LIST] = { body: [running({ config, description: 'Changed.' })] };
    fireEvent(document, new Event('visibilitychange'));
    await screen.findByText('Changed.');
    expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('half-typ');
  });

  test.each([
    [{ type: 'number', secret: false }, 'x', {}, { a: 'Enter a number.' }],
    [{ type: 'number', secret: false }, '', {}, {}],
    [{ type: 'number', secret: false }, '1.5', { a: 1.5 }, {}],
    [{ type: 'string', secret: false, default: 'x' }, '', { a: '' }, {}],
    [{ type: 'string', secret: false }, '', {}, {}],
    [{ type: 'colours', secret: false }, '["red"]', { a: ['red'] }, {}],
    [{ type: 'colours', secret: false }, 'red', { a: 'red' }, {}],
  ])('%o with %s becomes %o', (field, entered, values, problems) => {
    expect(changesIn({ a: field }, { a: entered }, {})).toEqual({ values, problems });
  });

  test('what was set before can be taken back where there is no default', () => {
    const schema = { a: { type: 'boolean', secret: false } };
    expect(changesIn(schema, { a: false }, { a: true }).values).toEqual({ a: false });
    expect(changesIn(schema, draftOf(schema, {}), {}).values).toEqual({});
  });
});

test('a sign-in says what it guards, and a change is saved at once', async () => {
  const gate = running({ permissions: ['auth.gate'], permissionDetails: [permission('auth.gate')] });
  const { posted } = showPlugins(
    [gate],
    {
      'GET /api/admin/plugins/echo-bot/auth-settings': { body: { accessMode: 'website-only' } },
      'POST /api/admin/plugins/echo-bot/auth-settings': { body: {} },
    },
    '/echo-bot',
  );
  expect((await screen.findByLabelText<HTMLInputElement>(/The page Anyone|^The pageAnyone/)).checked).toBe(true);
  fireEvent.click(screen.getByLabelText(/Everything/));
  expect(await screen.findByText('Saved')).toBeTruthy();
  expect(posted()[0]?.body).toEqual({ accessMode: 'website-stream-and-status' });
});
