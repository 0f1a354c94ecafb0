import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Admin } from '../src/admin/Admin.tsx';
import { publicOrigin, Setup } from '../src/admin/pages/Setup.tsx';
import { strengthOf } from '../src/admin/password.ts';
import { session, setSession } from '../src/admin/session.ts';
import { navigate } from '../src/router.tsx';
import { answerWith, speakEnglish } from './helpers.ts';

beforeEach(async () => {
  await speakEnglish();
  setSession({ authenticated: false, setupRequired: true });
  navigate('/admin/setup#tok', 'replace');
});
afterEach(cleanup);

function fill(label: string, value: string): void {
  fireEvent.input(screen.getByLabelText(label), { target: { value } });
}

const submit = () => fireEvent.submit(screen.getByText('Next: the address').closest('form') as HTMLFormElement);

const VALID = { 'POST /api/admin/setup/check': { body: { success: true, message: 'ok' } } };

/** The form, once the link has been checked; what was sent for that is not in the list. */
async function show(answer: { status?: number; body: unknown }) {
  const { sent, fakeFetch } = answerWith({ ...VALID, 'POST /api/admin/setup': answer });
  vi.stubGlobal('fetch', fakeFetch);
  render(() => <Setup token="tok" open={true} />);
  await screen.findByLabelText('Name');
  expect(sent.splice(0).map(({ path, body }) => [path, body])).toEqual([['/api/admin/setup/check', { token: 'tok' }]]);
  return sent;
}

describe('the setup form', () => {
  test('sends the answers with the token and enters the admin pages', async () => {
    const sent = await show({ body: { success: true, message: 'ok' } });
    fill('Name', '  Brook Radio ');
    fill('New password', 'correct horse');
    fill('Repeat the password', 'correct horse');
    submit();
    await vi.waitFor(() => expect(session()?.authenticated).toBe(true));
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toEqual({
      token: 'tok',
      password: 'correct horse',
      name: 'Brook Radio',
    });
    expect(sent[0]?.headers['X-Rillcast-CSRF']).toBe('1');
    expect(location.href).toBe('http://localhost/admin/setup/address');
  });

  test('does not bother the server with a short password or two different ones', async () => {
    const sent = await show({ body: {} });
    fill('New password', 'short');
    submit();
    expect(await screen.findByText('The password needs at least 8 characters.')).toBeTruthy();
    fill('New password', 'correct horse');
    fill('Repeat the password', 'correct house');
    submit();
    expect(await screen.findByText('The passwords do not match.')).toBeTruthy();
    expect(sent).toHaveLength(0);
  });

  test('shows the server’s reason and keeps the form when an answer is refused', async () => {
    await show({ status: 400, body: { success: false, message: 'the server URL needs a host' } });
    fill('New password', 'correct horse');
    fill('Repeat the password', 'correct horse');
    submit();
    expect(await screen.findByText('the server URL needs a host')).toBeTruthy();
    expect(screen.getByLabelText('Name')).toBeTruthy();
  });

  test('says that the link has been used when the token is refused', async () => {
    await show({ status: 401, body: { success: false, message: 'no' } });
    fill('New password', 'correct horse');
    fill('Repeat the password', 'correct horse');
    submit();
    expect(await screen.findByText('This setup link no longer works')).toBeTruthy();
    expect(session()?.authenticated).toBe(false);
  });

  test('says that a link is wrong before anybody fills in the form', async () => {
    const { sent, fakeFetch } = answerWith({
      'POST /api/admin/setup/check': { status: 401, body: { success: false, message: 'no' } },
    });
    vi.stubGlobal('fetch', fakeFetch);
    render(() => <Setup token="tok" open={true} />);
    expect(await screen.findByText('This setup link no longer works')).toBeTruthy();
    expect(screen.queryByLabelText('Name')).toBeNull();
    expect(sent).toHaveLength(1);
  });

  test('checks the next link that is pasted, without a reload', async () => {
    const routes: Parameters<typeof answerWith>[0] = {
      'POST /api/admin/setup/check': { status: 401, body: { success: false, message: 'no' } },
    };
    vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
    render(() => <Admin boot={{ session: { authenticated: false, setupRequired: true }, version: '1' }} />);
    await screen.findByText('This setup link no longer works');
    Object.assign(routes, VALID);
    location.hash = '#the-right-one';
    expect(await screen.findByLabelText('Name')).toBeTruthy();
  });

  test('can be asked again when the check got no answer', async () => {
    const routes: Parameters<typeof answerWith>[0] = {
      'POST /api/admin/setup/check': { status: 503, body: { success: false, message: 'the database is busy' } },
    };
    vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
    render(() => <Setup token="tok" open={true} />);
    await screen.findByText('the database is busy');
    Object.assign(routes, VALID);
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByLabelText('Name')).toBeTruthy();
  });

  test('does not even ask where the setup has been done already', () => {
    render(() => <Setup token="tok" open={false} />);
    expect(screen.getByText('This setup link no longer works')).toBeTruthy();
  });
});

test.each([
  ['seven77', 'short'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['password', 'weak'],
  ['correct horse', 'fair'],
  ['correct horse battery staple', 'strong'],
  ['Tr0ub4dor&3xyz', 'strong'],
])('the password %s is called %s', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});

describe('the public address', () => {
  test.each([
    ['live.example.org', 'https://live.example.org'],
    ['localhost', ''],
    ['127.0.0.1', ''],
    ['[::1]', ''],
    ['studio.local', ''],
  ])('%s is offered as %j', (hostname, offered) => {
    expect(publicOrigin({ hostname, origin: `https://${hostname}` })).toBe(offered);
  });
});
