import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChatSettings } from '../src/admin/chat/ChatSettings.tsx';
import { createSettings, PAGES, SettingsContext } from '../src/admin/settings.tsx';
import { SettingField } from '../src/design/setting/SettingField.tsx';
import { OK } from './admin-chat-fakes.ts';
import { answerWith, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

type Routes = Parameters<typeof answerWith>[0];

const links = setting({
  key: 'chat_links',
  path: 'chat/links',
  kind: 'choice',
  value: 'everybody',
  choices: ['everybody', 'known', 'nobody'],
});
const healthy = { websockets: 3, fallbacks: 0, brokenUpgrades: 0, missingHeader: null, lastBrokenAt: null };

function show(settings: unknown[], change: Routes = {}) {
  const routes: Routes = {
    'GET /api/admin/settings': { body: { settings } },
    'GET /api/admin/chat/connection': { body: healthy },
    ...change,
  };
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => {
    const loaded = createSettings();
    void loaded.load();
    return (
      <SettingsContext.Provider value={loaded}>
        <ChatSettings />
      </SettingsContext.Provider>
    );
  });
  return { sent, routes };
}

describe('the chat settings', () => {
  test('every one of them has its place on the page', async () => {
    const all = PAGES.chat.map((path) => setting({ key: path.replace('/', '_'), path, kind: 'bool', value: false }));
    show(all);
    await screen.findByText('Words and names');
    expect(screen.getAllByRole('switch')).toHaveLength(all.length);
  });

  test('a choice is explained, saved as its value, and shows again what holds after a refusal', async () => {
    const { sent, routes } = show([links], { 'POST /api/admin/config/chat/links': OK });
    const everybody = await screen.findByLabelText<HTMLInputElement>(/Everyone can post links/);
    expect(everybody.checked).toBe(true);
    expect(screen.getByText('Only moderators still can.')).toBeTruthy();
    routes['POST /api/admin/config/chat/links'] = { status: 409, body: { success: false, message: 'locked' } };
    const nobody = screen.getByLabelText<HTMLInputElement>(/Nobody can post links/);
    fireEvent.click(nobody);
    await screen.findByText('locked');
    expect([everybody.checked, nobody.checked]).toEqual([true, false]);
    routes['POST /api/admin/config/chat/links'] = OK;
    routes['GET /api/admin/settings'] = { body: { settings: [{ ...links, value: 'nobody' }] } };
    fireEvent.click(nobody);
    await screen.findByText('Saved');
    expect(nobody.checked).toBe(true);
    expect(sent.filter((request) => request.method === 'POST').map((request) => request.body)).toEqual([
      { value: 'nobody' },
      { value: 'nobody' },
    ]);
  });
});

test('a choice without words of ours is a list of its values', async () => {
  const write = vi.fn(async () => {});
  render(() => (
    <SettingField
      setting={setting({ kind: 'choice', value: 'a', choices: ['a', 'b'] })}
      label="Letter"
      help=""
      write={write}
    />
  ));
  const list = screen.getByLabelText<HTMLSelectElement>('Letter');
  expect([...list.options].map((option) => option.value)).toEqual(['a', 'b']);
  fireEvent.change(list, { target: { value: 'b' } });
  expect(write).toHaveBeenCalledExactlyOnceWith('b');
});

describe('the connection', () => {
  test('says so when nothing is in the way', async () => {
    show([links]);
    expect(await screen.findByText(/Nothing stands between/)).toBeTruthy();
    expect(screen.queryByText('nginx')).toBeNull();
  });

  test('names the header that is taken away and the lines for each proxy', async () => {
    show([links], {
      'GET /api/admin/chat/connection': {
        body: {
          ...healthy,
          fallbacks: 2,
          brokenUpgrades: 5,
          missingHeader: 'Upgrade',
          lastBrokenAt: '2026-01-02T12:00:00Z',
        },
      },
      'GET /api/admin/serverconfig': {
        body: { streamKeys: [], rtmpServerPort: 1935, webServerPort: 9090, streamKeyOverridden: false },
      },
    });
    expect(await screen.findByText(/removes the “Upgrade” header/)).toBeTruthy();
    expect(screen.getByText(/proxy_set_header Connection "upgrade";/)).toBeTruthy();
    expect(screen.getByText(/Nothing to do/)).toBeTruthy();
    expect(await screen.findByText(/127\.0\.0\.1:9090/)).toBeTruthy();
    expect(screen.getByLabelText('Copy: nginx')).toBeTruthy();
  });
});
