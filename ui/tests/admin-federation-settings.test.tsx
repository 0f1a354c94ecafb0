import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addressOf, publicHost } from '../src/admin/federation/account.ts';
import { FederationSettings } from '../src/admin/federation/Settings.tsx';
import { PAGES } from '../src/admin/settings.tsx';
import { translate } from '../src/i18n/index.ts';
import type { Setting } from '../src/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const named = (path: string, value: unknown, change: Partial<Setting> = {}) =>
  setting({ key: path, path, name: path, value, ...change });

function show(change: { serverUrl?: string; isOn?: boolean } = {}, routes: Routes = {}) {
  const settings = [
    named('serverurl', change.serverUrl ?? 'https://brook.example', { kind: 'url' }),
    named('federation/enable', change.isOn ?? false, { kind: 'bool' }),
    named('federation/username', 'live'),
    named('federation/livemessage', 'I am live', { kind: 'markdown', maxLength: 500 }),
    named('federation/blockdomains', [], { kind: 'texts' }),
    named('federation/inboxperhost', 600, { kind: 'number' }),
  ];
  return showPage(() => <FederationSettings />, { [RENAME]: OK, ...routes }, settings);
}
const FORMER = 'GET /api/admin/federation/former-names';
const RENAME = 'POST /api/admin/config/federation/username';
const former = (name: string) => ({ name, until: '2025-01-02T12:00:00Z' });
const dialog = (title: string) => screen.getByText(title).closest('dialog') as HTMLElement;
const rename = (to: string) => {
  const field = screen.getByLabelText('Account name');
  fireEvent.input(field, { target: { value: to } });
  fireEvent.submit(field.closest('form') as HTMLFormElement);
};

describe('the settings of the Fediverse', () => {
  test.each([[''], ['http://brook.example']])('warn while the server URL is "%s"', async (serverUrl) => {
    show({ serverUrl });
    const banner = (await screen.findByText('Your server needs a public address first')).closest('.banner');
    expect(banner?.getAttribute('data-tone')).toBe('warning');
    expect(
      within(banner as HTMLElement)
        .getByText('Set the server URL')
        .getAttribute('href'),
    ).toBe('/admin/config/server');
  });

  test('say it louder when it is on and cannot work', async () => {
    show({ serverUrl: '', isOn: true });
    expect((await screen.findByText(/needs a public address/)).closest('[role=alert]')).not.toBeNull();
  });

  test('show the address others look for', async () => {
    show({ isOn: true });
    expect(await screen.findByText('@live@brook.example')).toBeTruthy();
    expect(screen.queryByText(/needs a public address/)).toBeNull();
  });

  test('the message for followers is written as prose, not as code', async () => {
    show();
    const field = await screen.findByDisplayValue('I am live');
    expect([field.getAttribute('data-code'), field.getAttribute('rows')]).toEqual(['false', '3']);
  });

  test('a new name is asked about with what it means, and saved only then', async () => {
    const { posted } = show({ isOn: true });
    await screen.findByLabelText('Account name');
    rename(' @Stage ');
    const question = screen.getByText('Change your address to @stage@brook.example?').closest('dialog') as HTMLElement;
    expect(question.textContent).toContain('the others lose you');
    expect(question.textContent).not.toContain('had this name before');
    expect(posted()).toEqual([]);
    fireEvent.click(within(question).getByText('Change my address'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'stage' }));
  });

  test('while it is off nobody knows the name, and it is simply saved', async () => {
    const { posted } = show();
    await screen.findByLabelText('Account name');
    expect((screen.getByText('Change') as HTMLButtonElement).disabled).toBe(true);
    rename('stage');
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'stage' }));
  });

  test.each([[true], [false]])('a former name is taken only by who was warned (on: %s)', async (isOn) => {
    const { posted } = show({ isOn }, { [FORMER]: { body: [former('brook')] } });
    await screen.findByText('Former names of the account');
    rename('Brook');
    const question = dialog('Change your address to @brook@brook.example?');
    expect(question.querySelector('.banner')?.textContent).toContain('permanently ignore an account that returns');
    expect(within(question).queryByText('Change my address')).toBeNull();
    expect(posted()).toEqual([]);
    fireEvent.click(within(question).getByText('Change it anyway'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'brook', confirmed: true }));
  });

  test('a former name that is not known here yet is asked about after the refusal', async () => {
    const refused = { status: 409, body: { success: false, message: 'the account had this name before' } };
    const { posted, routes } = show({ isOn: true }, { [FORMER]: { body: [] }, [RENAME]: refused });
    await screen.findByLabelText('Account name');
    routes[FORMER] = { body: [former('brook')] };
    rename('brook');
    fireEvent.click(screen.getByText('Change my address'));
    expect(await screen.findByText('the account had this name before')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ value: 'brook' });
    await screen.findByText('Former names of the account');
    routes[RENAME] = OK;
    rename('brook');
    fireEvent.click(screen.getByText('Change it anyway'));
    await vi.waitFor(() => expect(posted()[1]?.body).toEqual({ value: 'brook', confirmed: true }));
    await vi.waitFor(() => expect(screen.queryByText('the account had this name before')).toBeNull());
  });

  test('there is a key only while it is on', async () => {
    show();
    await screen.findByLabelText('Account name');
    expect(screen.queryByText('Account key')).toBeNull();
    cleanup();
    show({ isOn: true });
    expect(await screen.findByText('Account key')).toBeTruthy();
  });

  test('every one of them has a name and a help', () => {
    for (const path of PAGES.federation) {
      for (const part of ['label', 'help']) expect(translate(`setting.${path}.${part}`)).not.toMatch(/^setting\./);
    }
  });
});

describe('names the account had', () => {
  const DELETE = 'DELETE /api/admin/federation/former-names/brook';
  const deleted = (sent: { method: string }[]) => sent.filter(({ method }) => method === 'DELETE');

  test('are not spoken of when there are none', async () => {
    const { sent } = show({ isOn: true }, { [FORMER]: { body: [] } });
    await screen.findByLabelText('Account name');
    await vi.waitFor(() => expect(sent.some(({ path }) => path.endsWith('/former-names'))).toBe(true));
    expect(screen.queryByText('Former names of the account')).toBeNull();
  });

  test('are shown with until when it had them', async () => {
    show({ isOn: true }, { [FORMER]: { body: [former('brook'), former('rill')] } });
    const list = await screen.findByRole('list', { name: 'Former names of the account' });
    expect(within(list).getByText('@brook@brook.example')).toBeTruthy();
    expect(within(list).getByText('@rill@brook.example')).toBeTruthy();
    expect(list.querySelector('time')?.getAttribute('datetime')).toBe('2025-01-02T12:00:00Z');
    expect(list.querySelector('time')?.textContent).toMatch(/^until .*2025/);
  });

  test('are deleted after a question, and the focus finds the next one and then the field', async () => {
    const { sent, routes } = show(
      { isOn: true },
      { [FORMER]: { body: [former('brook'), former('rill')] }, [DELETE]: OK },
    );
    fireEvent.click(await screen.findByLabelText('Delete: @brook@brook.example'));
    const question = dialog('Delete @brook@brook.example?');
    expect(question.textContent).toContain('lead nowhere');
    expect(deleted(sent)).toEqual([]);
    routes[FORMER] = { body: [former('rill')] };
    fireEvent.click(within(question).getByText('Delete'));
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Delete: @rill@brook.example')));
    expect(deleted(sent)).toHaveLength(1);

    routes['DELETE /api/admin/federation/former-names/rill'] = OK;
    routes[FORMER] = { body: [] };
    fireEvent.click(screen.getByLabelText('Delete: @rill@brook.example'));
    fireEvent.click(within(dialog('Delete @rill@brook.example?')).getByText('Delete'));
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Account name')));
    expect(screen.queryByText('Former names of the account')).toBeNull();
  });

  test('the server’s reason against it is shown as it is', async () => {
    show(
      { isOn: true },
      {
        [FORMER]: { body: [former('brook')] },
        [DELETE]: { status: 404, body: { success: false, message: 'the account never had this name' } },
      },
    );
    fireEvent.click(await screen.findByLabelText('Delete: @brook@brook.example'));
    fireEvent.click(within(dialog('Delete @brook@brook.example?')).getByText('Delete'));
    expect(await screen.findByText('the account never had this name')).toBeTruthy();
  });
});

test.each([
  ['https://Brook.example/', 'brook.example'],
  ['https://brook.example:8443', 'brook.example:8443'],
  ['http://brook.example', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s is public as %s', (url, host) => {
  expect(publicHost(url)).toBe(host);
  expect(addressOf('live', 'brook.example')).toBe('@live@brook.example');
});
