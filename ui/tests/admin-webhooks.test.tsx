import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EVENTS, eventName, eventOptions, isWebAddress } from '../src/admin/integrations/webhooks/events.ts';
import { Webhooks } from '../src/admin/integrations/webhooks/Webhooks.tsx';
import type { Delivery, Webhook } from '../src/admin/integrations/wire.ts';
import { timeUntil } from '../src/i18n/format.admin.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const hook: Webhook = {
  id: 7,
  url: 'https://bot.example/hook',
  events: ['STREAM_STARTED', 'CHAT'],
  timestamp: '2026-01-01T10:00:00Z',
  lastUsed: null,
  state: 'active',
  waiting: 0,
  allowInternal: false,
};
const delivery: Delivery = {
  id: 31,
  deliveryKey: 'd-31',
  webhookId: 7,
  type: 'CHAT',
  state: 'failed',
  attempts: 9,
  createdAt: '2026-01-02T12:00:00Z',
  status: 500,
  response: '<b>broken</b>',
  error: 'the receiver answered 500',
  durationMs: 231,
  isTest: false,
};
const LIST = 'GET /api/admin/webhooks';
const DELIVERIES = 'GET /api/admin/webhooks/deliveries?webhookId=7&limit=20';

const allowInternal = setting({
  key: 'webhooks_allow_internal',
  path: 'webhooks/allowinternal',
  kind: 'bool',
  value: false,
});

const show = (hooks: Webhook[], routes: Routes = {}) =>
  showPage(() => <Webhooks />, { [LIST]: { body: hooks }, [DELIVERIES]: { body: [] }, ...routes }, [allowInternal]);

describe('the list of webhooks', () => {
  test('says in words what each hears', async () => {
    show([hook]);
    expect(await screen.findByText('https://bot.example/hook')).toBeTruthy();
    for (const text of ['Active', 'Stream started', 'Chat messages', 'Nothing has been delivered yet.'])
      expect(screen.getByText(text)).toBeTruthy();
  });

  test('one that fails shows the warning of the server and how much waits', async () => {
    const warning = 'nothing has arrived for a day';
    show([{ ...hook, state: 'failing', warning, failingSince: '2026-01-01T10:00:00Z', waiting: 12 }]);
    expect((await screen.findByText(warning)).closest('.banner')?.getAttribute('data-tone')).toBe('warning');
    expect(screen.getByText('Failing')).toBeTruthy();
    expect(screen.getByText(/12 deliveries are waiting/)).toBeTruthy();
    expect(screen.getByText(/It started failing/)).toBeTruthy();
  });

  test('one that is off can be switched on again', async () => {
    const { posted, routes } = show([{ ...hook, state: 'disabled' }], {
      'POST /api/admin/webhooks/update': { body: hook },
    });
    const button = await screen.findByText('Turn on again');
    routes[LIST] = { body: [hook] };
    fireEvent.click(button);
    expect(await screen.findByText('Active')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ id: 7, enabled: true });
    expect(screen.queryByText('Turn on again')).toBeNull();
  });

  test('none yet has words of its own', async () => {
    show([]);
    expect(await screen.findByText('No webhooks yet')).toBeTruthy();
  });

  test('a failed load can be tried again', async () => {
    const { routes } = show([], { [LIST]: { status: 503, body: { success: false, message: 'busy' } } });
    await screen.findByText('This could not be loaded');
    routes[LIST] = { body: [hook] };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('https://bot.example/hook')).toBeTruthy();
  });
});

const submit = (button: string) => fireEvent.submit(screen.getByText(button).closest('form') as HTMLFormElement);

describe('a new webhook', () => {
  const open = async (routes: Routes = {}) => {
    const shown = show([], routes);
    await screen.findByText('No webhooks yet');
    fireEvent.click(screen.getByText('Create a webhook'));
    return shown;
  };

  test('needs a whole address and at least one event', async () => {
    const { posted } = await open();
    fireEvent.input(screen.getByLabelText('Address of the receiver'), { target: { value: 'bot.example/hook' } });
    submit('Create this webhook');
    expect(screen.getByText(/Enter a full address/)).toBeTruthy();
    expect(screen.getByText('Choose at least one event.')).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('shows its secret once', async () => {
    const secret = '00ff00ff00ff';
    const { posted } = await open({ 'POST /api/admin/webhooks/create': { body: { ...hook, secret } } });
    fireEvent.input(screen.getByLabelText('Address of the receiver'), { target: { value: ' http://192.168.0.7/ ' } });
    fireEvent.click(screen.getByLabelText(/Chat messages/));
    fireEvent.click(screen.getByLabelText(/Stream started/));
    fireEvent.click(screen.getByLabelText('May reach addresses inside my network'));
    expect(screen.getByText(/Only for an address you trust/)).toBeTruthy();
    submit('Create this webhook');
    expect(await screen.findByText(secret)).toBeTruthy();
    const events = ['STREAM_STARTED', 'CHAT'];
    expect(posted()[0]?.body).toEqual({ url: 'http://192.168.0.7/', events, allowInternal: true });
    fireEvent.click(screen.getByText('I have copied it'));
    expect(document.body.textContent).not.toContain(secret);
  });

  test('one box stands for all events, and for some of them it is neither on nor off', async () => {
    const { posted } = await open({ 'POST /api/admin/webhooks/create': { body: { ...hook, secret: '00' } } });
    const all = screen.getByLabelText<HTMLInputElement>('All events');
    fireEvent.click(screen.getByLabelText(/Chat messages/));
    expect([all.checked, all.indeterminate]).toEqual([false, true]);
    fireEvent.click(all);
    expect([all.checked, all.indeterminate]).toEqual([true, false]);
    fireEvent.input(screen.getByLabelText('Address of the receiver'), { target: { value: 'https://bot.example/' } });
    submit('Create this webhook');
    await screen.findByText('00');
    expect(posted()[0]?.body).toMatchObject({ events: EVENTS });
    fireEvent.click(screen.getByText('I have copied it'));
  });

  test('the reason of the server stays in the form', async () => {
    const refused = { status: 400, body: { success: false, message: 'this address is inside your network' } };
    await open({ 'POST /api/admin/webhooks/create': refused });
    fireEvent.input(screen.getByLabelText('Address of the receiver'), { target: { value: 'http://10.0.0.1/' } });
    fireEvent.click(screen.getByLabelText(/Chat messages/));
    submit('Create this webhook');
    const dialog = (await screen.findByText('this address is inside your network')).closest('dialog') as HTMLElement;
    expect(within(dialog).queryByLabelText('Let all webhooks reach my own network')).toBeNull();
  });

  test('the switch for internal addresses stands beside the error that names it', async () => {
    const message = 'an internal address; allow it by the setting webhooks_allow_internal';
    const { posted, routes } = await open({
      'POST /api/admin/webhooks/create': { status: 400, body: { success: false, message } },
      'POST /api/admin/config/webhooks/allowinternal': OK,
    });
    fireEvent.input(screen.getByLabelText('Address of the receiver'), { target: { value: 'http://10.0.0.1/' } });
    fireEvent.click(screen.getByLabelText(/Chat messages/));
    submit('Create this webhook');
    const dialog = (await screen.findByText(message)).closest('dialog') as HTMLElement;
    fireEvent.click(within(dialog).getByLabelText('Let all webhooks reach my own network'));
    await vi.waitFor(() => expect(posted().at(-1)?.body).toEqual({ value: true }));
    routes['POST /api/admin/webhooks/create'] = { body: { ...hook, secret: '00ff' } };
    submit('Create this webhook');
    expect(await screen.findByText('00ff')).toBeTruthy();
  });
});

test('editing begins with what holds and keeps an event this page does not know', async () => {
  const { posted } = show([{ ...hook, events: ['CHAT', 'NEWS'] }], {
    'POST /api/admin/webhooks/update': { body: hook },
  });
  fireEvent.click(await screen.findByLabelText('Edit: https://bot.example/hook'));
  expect(screen.getByLabelText<HTMLInputElement>('Address of the receiver').value).toBe('https://bot.example/hook');
  expect(screen.getByLabelText<HTMLInputElement>(/^NEWS/).checked).toBe(true);
  fireEvent.click(screen.getByLabelText(/Chat messages/));
  submit('Save');
  await screen.findByText('The webhook has been changed.');
  expect(posted()[0]?.body).toEqual({ id: 7, url: hook.url, events: ['NEWS'], allowInternal: false });
});

test('a webhook is deleted only after a question', async () => {
  const { posted, routes } = show([hook], { 'POST /api/admin/webhooks/delete': OK });
  fireEvent.click(await screen.findByLabelText('Delete: https://bot.example/hook'));
  expect(posted()).toEqual([]);
  const question = screen.getByText('Delete this webhook?').closest('dialog') as HTMLElement;
  routes[LIST] = { body: [] };
  fireEvent.click(within(question).getByText('Delete'));
  expect(await screen.findByText('No webhooks yet')).toBeTruthy();
  expect(posted()[0]?.body).toEqual({ id: 7 });
});

describe('deliveries', () => {
  test('a test opens them and shows what the receiver answered', async () => {
    const { posted, routes } = show([hook], {
      'POST /api/admin/webhooks/test': { body: { success: true, message: 'queued', deliveryId: 32 } },
    });
    routes[DELIVERIES] = { body: [{ ...delivery, state: 'delivered', status: 204, error: undefined, isTest: true }] };
    fireEvent.click(await screen.findByText('Send test'));
    const line = (await screen.findByText('Delivered')).closest('tr') as HTMLElement;
    expect(within(line).getByText('Test')).toBeTruthy();
    expect(within(line).getByText('Status 204, 231 ms')).toBeTruthy();
    expect(within(line).queryByText('Retry now')).toBeNull();
    expect(posted()[0]?.body).toEqual({ id: 7 });
  });

  test('what went wrong is shown as text, and can be tried again', async () => {
    const { posted, routes } = show([hook], {
      [DELIVERIES]: { body: [delivery] },
      'POST /api/admin/webhooks/deliveries/retry': OK,
    });
    fireEvent.click(await screen.findByText('Recent deliveries'));
    expect(await screen.findByText('the receiver answered 500')).toBeTruthy();
    expect(screen.getByText('<b>broken</b>').tagName).toBe('PRE');
    expect(screen.getByText('Given up')).toBeTruthy();
    const next = new Date(Date.now() + 120_000).toISOString();
    routes[DELIVERIES] = { body: [{ ...delivery, state: 'waiting', nextAttemptAt: next }] };
    fireEvent.click(screen.getByText('Retry now'));
    expect(await screen.findByText('Next attempt in 2 minutes')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ id: 31 });
  });

  test('are not asked for while nobody looks', async () => {
    const { sent } = show([hook]);
    await screen.findByText('Active');
    expect(sent.some((request) => request.path.includes('deliveries'))).toBe(false);
    fireEvent.click(screen.getByText('Recent deliveries'));
    expect(await screen.findByText('Nothing sent yet')).toBeTruthy();
  });

  test('a test that is refused says why', async () => {
    const refused = { status: 400, body: { success: false, message: 'this webhook is switched off' } };
    show([hook], { 'POST /api/admin/webhooks/test': refused });
    fireEvent.click(await screen.findByText('Send test'));
    expect(await screen.findByText('this webhook is switched off')).toBeTruthy();
    await vi.waitFor(() => expect(screen.getByText('Send test').closest('button')?.disabled).toBe(false));
  });
});

describe('rules', () => {
  test('every event has words', () => {
    for (const event of EVENTS) expect(eventName(event)).not.toBe(event);
    expect(eventOptions(['CHAT', 'NEWS']).map((option) => option.value)).toEqual([...EVENTS, 'NEWS']);
  });

  test.each([
    ['https://a.example/x', true],
    ['http://192.168.0.1:8123/', true],
    ['ftp://a.example/', false],
    ['a.example', false],
    ['', false],
  ])('%s is a web address: %s', (text, isOne) => {
    expect(isWebAddress(text)).toBe(isOne);
  });

  test.each([
    ['2026-01-02T11:59:00Z', 'now'],
    ['2026-01-02T12:00:30Z', 'in 30 seconds'],
    ['2026-01-02T12:10:00Z', 'in 10 minutes'],
    ['2026-01-02T14:00:00Z', 'in 2 hours'],
    ['2026-01-04T12:00:00Z', 'in 2 days'],
  ])('what is due at %s is due %s', (then, words) => {
    expect(timeUntil(then, '2026-01-02T12:00:00Z')).toBe(words);
  });
});
