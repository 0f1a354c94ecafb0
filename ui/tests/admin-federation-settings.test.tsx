import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addressOf, publicHost } from '../src/admin/federation/account.ts';
import { FederationSettings } from '../src/admin/federation/Settings.tsx';
import { PAGES } from '../src/admin/settings.tsx';
import { translate } from '../src/i18n/index.ts';
import type { Setting } from '../src/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const named = (path: string, value: unknown, change: Partial<Setting> = {}) =>
  setting({ key: path, path, name: path, value, ...change });

function show(change: { serverUrl?: string; isOn?: boolean } = {}) {
  const settings = [
    named('serverurl', change.serverUrl ?? 'https://brook.example', { kind: 'url' }),
    named('federation/enable', change.isOn ?? false, { kind: 'bool' }),
    named('federation/username', 'live'),
    named('federation/livemessage', 'I am live', { kind: 'markdown', maxLength: 500 }),
    named('federation/blockdomains', [], { kind: 'texts' }),
    named('federation/inboxperhost', 600, { kind: 'number' }),
  ];
  return showPage(() => <FederationSettings />, { 'POST /api/admin/config/federation/username': OK }, settings);
}
const rename = (to: string) => {
  const field = screen.getByLabelText('Name of the account');
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
    await screen.findByLabelText('Name of the account');
    rename(' @Stage ');
    const question = screen.getByText('Change your address to @stage@brook.example?').closest('dialog') as HTMLElement;
    expect(question.textContent).toContain('the others lose you');
    expect(posted()).toEqual([]);
    fireEvent.click(within(question).getByText('Change my address'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'stage' }));
  });

  test('while it is off nobody knows the name, and it is simply saved', async () => {
    const { posted } = show();
    await screen.findByLabelText('Name of the account');
    expect((screen.getByText('Change') as HTMLButtonElement).disabled).toBe(true);
    rename('stage');
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: 'stage' }));
  });

  test('a new key is made after a question', async () => {
    const { posted, routes } = show({ isOn: true });
    routes['POST /api/admin/federation/rotate-key'] = OK;
    fireEvent.click(await screen.findByText('Make a new key', { selector: '.row .button' }));
    fireEvent.click(
      within(screen.getByText('Make a new key?').closest('dialog') as HTMLElement).getByText('Make a new key'),
    );
    expect(await screen.findByText('The account has a new key.')).toBeTruthy();
    expect(posted()).toHaveLength(1);
  });

  test('every one of them has a name and a help', () => {
    for (const path of PAGES.federation) {
      for (const part of ['label', 'help']) expect(translate(`setting.${path}.${part}`)).not.toMatch(/^setting\./);
    }
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
