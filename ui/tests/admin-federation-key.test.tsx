import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyField } from '../src/admin/federation/key/KeyField.tsx';
import { progressOf } from '../src/admin/federation/key/progress.ts';
import type { AccountKey } from '../src/admin/federation/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);
afterEach(() => vi.useRealTimers());

const KEY = 'GET /api/admin/federation/key';
const ROTATE = 'POST /api/admin/federation/rotate-key';
const TAKE_BACK = 'POST /api/admin/federation/take-back-key';
const quiet: AccountKey = { knownTo: 5, handoverUntil: null, waitingFor: [], underWay: 0, canTakeBack: false };
const underWay: AccountKey = {
  knownTo: 5,
  handoverUntil: '2027-01-02T12:00:00Z',
  waitingFor: ['slow.example', 'down.example'],
  underWay: 1,
  canTakeBack: true,
};
const arrived: AccountKey = { ...underWay, waitingFor: [], underWay: 0 };
const takenBack: AccountKey = { ...underWay, canTakeBack: false };
const refused = (message: string) => ({ status: 409, body: { success: false, message } });

const show = (key: AccountKey, routes: Routes = {}) =>
  showPage(() => <KeyField />, { [KEY]: { body: key }, [ROTATE]: OK, [TAKE_BACK]: OK, ...routes });
const asked = (sent: { path: string }[]) => sent.filter(({ path }) => path.endsWith('/federation/key')).length;
const makeButton = () => screen.getByText('Make a new key', { selector: '.field > .row > button' });
const dialog = (title: string) => screen.getByText(title).closest('dialog') as HTMLElement;
const openDialog = () => {
  fireEvent.click(makeButton());
  return within(dialog('Make a new key?'));
};
/** Until there is an answer nothing is known of the key. */
const loaded = (sent: { path: string }[]) => vi.waitFor(() => expect(asked(sent)).toBeGreaterThan(0));

describe('a new key', () => {
  test('is handed over unless something else is chosen', async () => {
    const { posted, routes, sent } = show(quiet);
    await loaded(sent);
    const question = openDialog();
    expect(question.getByLabelText<HTMLInputElement>(/^Tell every server first/).checked).toBe(true);
    expect(question.queryByText(/refuse everything you send/)).toBeNull();
    expect(posted()).toEqual([]);
    routes[KEY] = { body: underWay };
    fireEvent.click(question.getByText('Make a new key'));
    expect(await screen.findByText('The new key has reached 3 of 5 servers.')).toBeTruthy();
    expect(posted()).toHaveLength(1);
    expect(posted()[0]).toMatchObject({ path: '/api/admin/federation/rotate-key', body: {} });
    expect(await screen.findByText('The account has a new key.')).toBeTruthy();
    expect(screen.queryByText('Make a new key?')).toBeNull();
  });

  test('replaces one that may be known to others at once, and says what that costs', async () => {
    const { posted, sent } = show(quiet);
    await loaded(sent);
    const question = openDialog();
    fireEvent.click(question.getByLabelText(/^Someone else may know the old key/));
    expect(await question.findByText('5 servers know the old key.')).toBeTruthy();
    const cost = question.getByText(/GoToSocial and snac, refuse everything you send/);
    expect(cost.closest('.banner')?.getAttribute('data-tone')).toBe('warning');
    expect(question.getByText('Delete the old key').getAttribute('data-look')).toBe('danger');
    fireEvent.click(question.getByText('Delete the old key'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ compromised: true }));
    await vi.waitFor(() => expect(screen.queryByText('Make a new key?')).toBeNull());
  });

  test('can be made although nobody knows how many servers know the old one', async () => {
    show(quiet, { [KEY]: { status: 503, body: { success: false, message: 'busy' } } });
    expect(await screen.findByText('Try again')).toBeTruthy();
    const question = openDialog();
    fireEvent.click(question.getByLabelText(/^Someone else may know/));
    expect(question.queryByText(/servers? knows? the old key/)).toBeNull();
    expect(question.getByText(/refuse everything you send/)).toBeTruthy();
  });

  test('a choice that was cancelled is forgotten', async () => {
    const { posted } = show(quiet);
    const question = openDialog();
    fireEvent.click(question.getByLabelText(/^Someone else may know/));
    fireEvent.click(question.getByText('Cancel'));
    expect(screen.queryByText('Make a new key?')).toBeNull();
    expect(openDialog().getByLabelText<HTMLInputElement>(/^Tell every server first/).checked).toBe(true);
    expect(posted()).toEqual([]);
  });

  test('the server’s reason against it is shown as it is', async () => {
    show(underWay, { [ROTATE]: refused('the last new key is still being handed over: 1 servers have not answered') });
    await screen.findByText('slow.example');
    const question = openDialog();
    fireEvent.click(question.getByText('Make a new key'));
    expect(await question.findByText(/^the last new key is still being handed over: 1 servers/)).toBeTruthy();
    expect(question.getByText<HTMLButtonElement>('Make a new key').disabled).toBe(false);
  });
});

describe('the handover', () => {
  test('is not spoken of when there is none', async () => {
    const { sent } = show(quiet);
    await loaded(sent);
    expect(document.querySelector('.banner')).toBeNull();
    expect(screen.queryByText('Go back to the old key')).toBeNull();
  });

  test('names the servers that have not answered, and until when', async () => {
    show(underWay);
    const list = await screen.findByRole('list', { name: 'Servers that have not answered' });
    expect([...list.children].map((item) => item.textContent)).toEqual(['slow.example', 'down.example']);
    expect(screen.getByText(/^Until .*2027.* these servers get messages/).getAttribute('datetime')).toBe(
      underWay.handoverUntil,
    );
    expect(screen.getByText('1 of them is still being told.')).toBeTruthy();
  });

  test('says when nobody is being told any more', async () => {
    show({ ...underWay, underWay: 0 });
    expect(await screen.findByText(/^There are no more attempts to tell them/)).toBeTruthy();
  });

  test('has no list once everybody knows the key, and can still be taken back', async () => {
    show(arrived);
    expect(await screen.findByText('The new key has reached every server.')).toBeTruthy();
    expect(screen.queryByRole('list')).toBeNull();
    expect(screen.getByText(/^You can go back to the old key until/)).toBeTruthy();
  });

  test('is taken back after a question, and the focus stays in the field', async () => {
    const { posted, routes } = show(underWay);
    fireEvent.click(await screen.findByText('Go back to the old key', { selector: '.banner button' }));
    expect(posted()).toEqual([]);
    routes[KEY] = { body: takenBack };
    fireEvent.click(within(dialog('Go back to the old key?')).getByText('Go back to the old key'));
    expect(await screen.findByText('The account has its old key again.')).toBeTruthy();
    expect(posted()[0]?.path).toBe('/api/admin/federation/take-back-key');
    expect(screen.getByText('The old key is back. 3 of 5 servers know.')).toBeTruthy();
    expect(screen.queryByText('Go back to the old key')).toBeNull();
    await vi.waitFor(() => expect(document.activeElement).toBe(makeButton()));
  });

  test('what cannot be taken back any more says so', async () => {
    show(underWay, { [TAKE_BACK]: refused('there is no key to go back to') });
    fireEvent.click(await screen.findByText('Go back to the old key', { selector: '.banner button' }));
    const question = within(dialog('Go back to the old key?'));
    fireEvent.click(question.getByText('Go back to the old key'));
    expect(await question.findByText('there is no key to go back to')).toBeTruthy();
  });
});

describe('the server is asked', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

  test('once while nothing is under way', async () => {
    const { sent } = show(quiet);
    await pass(60);
    expect(asked(sent)).toBe(1);
  });

  test('again and again until everybody has answered', async () => {
    const { sent, routes } = show(underWay);
    await pass(11);
    expect(asked(sent)).toBe(3);
    routes[KEY] = { body: arrived };
    await pass(5);
    expect(screen.getByText('The new key has reached every server.')).toBeTruthy();
    await pass(60);
    expect(asked(sent)).toBe(4);
  });

  test('from the moment a new key is made', async () => {
    const { sent, routes } = show(quiet);
    await pass(0);
    const question = openDialog();
    routes[KEY] = { body: underWay };
    fireEvent.click(question.getByText('Make a new key'));
    await pass(0);
    expect(asked(sent)).toBe(2);
    await pass(10);
    expect(asked(sent)).toBe(4);
  });

  test('again when it did not answer the first time', async () => {
    const { routes } = show(quiet, { [KEY]: { status: 503, body: { success: false, message: 'busy' } } });
    await pass(0);
    expect(screen.getByText('Try again')).toBeTruthy();
    routes[KEY] = { body: underWay };
    await pass(20);
    expect(screen.queryByText('Try again')).toBeNull();
    expect(screen.getByText('slow.example')).toBeTruthy();
  });
});

const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example`);
test.each([
  ['The new key has reached 0 of 1 server.', { knownTo: 1, waitingFor: hosts(1) }],
  ['The new key has reached 0 of 2 servers.', { knownTo: 1, waitingFor: hosts(2) }],
  ['The new key has reached 1,101 of 1,200 servers.', { knownTo: 1_200, waitingFor: hosts(99) }],
  ['At least 100 servers have not answered yet.', { knownTo: 1_200, waitingFor: hosts(100) }],
  ['The old key is back, and every server knows.', { waitingFor: [], canTakeBack: false }],
])('%s', (sentence, change) => {
  expect(progressOf({ ...underWay, ...change })).toBe(sentence);
});
