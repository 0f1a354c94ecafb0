import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Admin } from '../src/admin/Admin.tsx';
import { allPages } from '../src/admin/routes.tsx';
import { entriesOf } from '../src/admin/search/entries.ts';
import { isOneEditApart, search } from '../src/admin/search/match.ts';
import type { Settings } from '../src/admin/settings.tsx';
import { deAdmin } from '../src/i18n/de.admin.ts';
import { de } from '../src/i18n/de.ts';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { en } from '../src/i18n/en.ts';
import { chooseLanguage, startI18n } from '../src/i18n/index.ts';
import { navigate } from '../src/router.tsx';
import { answerWith, dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

describe('matching', () => {
  const entry = (label: string, more: { keys?: string[]; help?: string; group?: string } = {}) => ({
    label,
    keys: [],
    help: '',
    group: '',
    ...more,
  });
  const labels = (query: string, entries: ReturnType<typeof entry>[]) => search(query, entries).map((one) => one.label);

  test('a word in the name counts more than in a key, and that more than in the help', () => {
    const all = [
      entry('Tags', { help: 'What the stream is about' }),
      entry('Limit', { keys: ['stream_limit'] }),
      entry('Stream keys'),
    ];
    expect(labels('stream', all)).toEqual(['Stream keys', 'Limit', 'Tags']);
  });

  test('all words must be there, in any order and whatever the case and the accents', () => {
    const all = [entry('Streamschlüssel anzeigen'), entry('Schlüssel')];
    expect(labels('ANZEIGEN schlussel', all)).toEqual(['Streamschlüssel anzeigen']);
  });

  test('one wrong letter is forgiven in a long word, not in a short one', () => {
    const all = [entry('Webhooks'), entry('Chat')];
    expect(labels('webhoks', all)).toEqual(['Webhooks']);
    expect(labels('wbehook', all)).toEqual(['Webhooks']);
    expect(labels('chot', all)).toEqual([]);
    expect(labels('xyzhooks', all)).toEqual([]);
  });

  test.each([
    ['server', 'sever', true],
    ['sever', 'server', true],
    ['server', 'servre', true],
    ['server', 'sarver', true],
    ['server', 'sarvar', false],
    ['server', 'serverss', false],
  ])('%s and %s', (left, right, close) => {
    expect(isOneEditApart(left, right)).toBe(close);
  });
});

describe('what can be found', () => {
  const settings = {
    find: (path: string) =>
      path === 'streamkeys' ? setting({ path, name: 'stream_keys', kind: 'streamkeys' }) : undefined,
  } as unknown as Settings;
  const found = (query: string) => search(query, entriesOf(settings, '/admin/')).map((one) => one.label);

  test('every page says what it is about, so that other words for it lead there too', () => {
    for (const { page } of allPages()) expect(enAdmin).toHaveProperty([`about.${page.route || 'home'}`]);
    expect(found('mastodon')[0]).toBe('Social');
    expect(found('obs')[0]).toBe('Home');
  });

  test('a setting this server does not have is not found', () => {
    expect(found('stream_keys')).toEqual(['Stream keys']);
    expect(found('server_url')).toEqual([]);
  });

  test('in German by German words', async () => {
    await startI18n({ en: () => ({ ...en, ...enAdmin }), de: () => ({ ...de, ...deAdmin }) });
    await chooseLanguage('de');
    expect(found('streamschlussel')[0]).toBe('Streamschlüssel');
    expect(found('zustelungen')).toEqual(['Zustellungen']);
    await chooseLanguage('en');
  });
});

describe('the palette', () => {
  const settings = [
    setting({ key: 'nsfw', path: 'nsfw', name: 'nsfw', kind: 'bool', value: false }),
    setting({ key: 'serverurl', path: 'serverurl', name: 'server_url', kind: 'url', value: '' }),
    setting({
      key: 'federation/inboxperhost',
      path: 'federation/inboxperhost',
      name: 'federation_inbox_per_host',
      kind: 'number',
      value: 60,
    }),
  ];

  const open = async (address = '/admin/help') => {
    vi.stubGlobal('fetch', answerWith({ 'GET /api/admin/settings': { body: { settings } } }).fakeFetch);
    window.scrollTo = () => {};
    navigate(address, 'replace');
    render(() => <Admin boot={{ session: { authenticated: true, setupRequired: false }, version: '0.3.0' }} />);
    fireEvent.keyDown(window, { key: 'k', ctrlKey: true });
    return await screen.findByRole<HTMLInputElement>('combobox', { name: 'Search pages and settings' });
  };
  const type = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });
  const options = () => [...document.querySelectorAll('.palette-option')];
  const first = () => options()[0];

  test('lists pages and single settings with the place they have', async () => {
    const field = await open();
    type(field, 'safe for work');
    await vi.waitFor(() => expect(first()?.textContent).toContain('Not safe for work'));
    expect(first()?.textContent).toContain('Configuration › General');
    type(field, 'webhooks');
    expect(first()?.textContent).toContain('Integrations');
  });

  test('a setting is found by its key in the configuration file', async () => {
    const field = await open();
    type(field, 'server_url');
    await vi.waitFor(() => expect(first()?.textContent).toContain('Server URL'));
  });

  test('Enter goes to the chosen field, marks it and puts the focus in it', async () => {
    const field = await open();
    type(field, 'server url');
    await vi.waitFor(() => expect(first()?.textContent).toContain('Server URL'));
    expect(first()?.getAttribute('aria-selected')).toBe('true');
    expect(field.getAttribute('aria-activedescendant')).toBe(first()?.id);
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(location.pathname).toBe('/admin/config/server');
    const target = await vi.waitFor(() => {
      const found = document.querySelector('[data-key=serverurl].is-found');
      if (!found) throw new Error('not marked');
      return found;
    });
    expect(target.contains(document.activeElement)).toBe(true);
    expect(screen.queryByRole('combobox', { name: 'Search pages and settings' })).toBeNull();
  });

  test('a field in a folded part unfolds it', async () => {
    const field = await open();
    type(field, 'federation_inbox_per_host');
    await vi.waitFor(() => expect(options()).toHaveLength(1));
    fireEvent.keyDown(field, { key: 'Enter' });
    await vi.waitFor(() => {
      const target = document.querySelector('[data-key="federation/inboxperhost"].is-found');
      expect(target?.closest('details')?.open).toBe(true);
    });
  });

  test('the arrows move the choice and go round', async () => {
    const field = await open();
    type(field, 'stream');
    const count = options().length;
    expect(count).toBeGreaterThan(2);
    fireEvent.keyDown(field, { key: 'ArrowUp' });
    expect(options()[count - 1]?.getAttribute('aria-selected')).toBe('true');
    fireEvent.keyDown(field, { key: 'ArrowDown' });
    expect(first()?.getAttribute('aria-selected')).toBe('true');
  });

  test('says so when nothing is found', async () => {
    const field = await open();
    type(field, 'zzzzzz');
    expect(screen.getByText('Nothing found. Try another word.')).toBeTruthy();
    expect(options()).toEqual([]);
    // Nothing to choose, nothing happens.
    fireEvent.keyDown(field, { key: 'Enter' });
    fireEvent.keyDown(field, { key: 'ArrowDown' });
    expect(location.pathname).toBe('/admin/help');
  });
});
