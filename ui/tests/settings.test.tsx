import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { General } from '../src/admin/pages/General.tsx';
import { Video } from '../src/admin/pages/Video.tsx';
import { createSettings, PAGES, SettingByKey, type Settings, SettingsContext } from '../src/admin/settings.tsx';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { en } from '../src/i18n/en.ts';
import { answerWith, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const known = setting({ key: 'name', path: 'name', value: 'Brook' });

function show(routes: Parameters<typeof answerWith>[0], page: () => Element | unknown) {
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  let settings: Settings | undefined;
  render(() => {
    settings = createSettings();
    void settings.load();
    return <SettingsContext.Provider value={settings}>{page() as never}</SettingsContext.Provider>;
  });
  return sent;
}

/** For other programs, or without effect here (`unseen` and `idle` in the server's table): the pages never see them. */
const NOT_SHOWN = [
  'directoryenabled',
  'sockethostoverride',
  'videoservingendpoint',
  's3',
  'notifications/discord',
  'notifications/browser',
];

describe('the settings', () => {
  test('those of announced streams have words, and the chat opens by a choice of minutes', async () => {
    const opening = setting({
      key: 'schedule/chatopenminutes',
      path: 'schedule/chatopenminutes',
      kind: 'number',
      value: 0,
      max: 60,
    });
    const sent = show(
      {
        'GET /api/admin/settings': { body: { settings: [known, opening] } },
        'POST /api/admin/config/schedule/chatopenminutes': { body: { success: true, message: 'ok' } },
      },
      () => <General />,
    );
    const field = await screen.findByLabelText<HTMLSelectElement>('Open the chat early');
    expect([...field.options].map((option) => option.text)[0]).toBe('Not before the stream starts');
    fireEvent.change(field, { target: { value: '30' } });
    await screen.findByText('Saved');
    expect(sent.find((request) => request.method === 'POST')?.body).toEqual({ value: 30 });
  });

  test('after a save the field shows what the server made of it', async () => {
    const routes = {
      'GET /api/admin/settings': { body: { settings: [known] } },
      'POST /api/admin/config/name': { body: { success: true, message: 'ok' } },
    };
    show(routes, () => <SettingByKey key="name" />);
    const field = await screen.findByLabelText<HTMLInputElement>('Name');
    routes['GET /api/admin/settings'] = { body: { settings: [{ ...known, value: 'Harbour' }] } };
    fireEvent.input(field, { target: { value: '  Harbour  ' } });
    fireEvent.blur(field);
    await vi.waitFor(() => expect(field.value).toBe('Harbour'));
  });

  test('the latency is chosen by what it means and saved as its number', async () => {
    const latency = setting({ key: 'latency_level', path: 'video/streamlatencylevel', kind: 'number', value: 2 });
    const sent = show(
      {
        'GET /api/admin/settings': { body: { settings: [latency] } },
        'POST /api/admin/config/video/streamlatencylevel': { body: { success: true, message: 'ok' } },
      },
      () => <Video />,
    );
    const balanced = await screen.findByLabelText<HTMLInputElement>(/Balanced/);
    expect(balanced.checked).toBe(true);
    fireEvent.click(screen.getByLabelText(/Lowest/));
    await screen.findByText('Saved');
    expect(sent.find((request) => request.method === 'POST')?.body).toEqual({ value: 0 });
  });

  test('a failed load says so and can be tried again', async () => {
    const routes: Parameters<typeof answerWith>[0] = {
      'GET /api/admin/settings': { status: 503, body: { success: false, message: 'the database is busy' } },
    };
    show(routes, () => <General />);
    await screen.findByText('the database is busy');
    routes['GET /api/admin/settings'] = { body: { settings: [known] } };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByLabelText('Name')).toBeTruthy();
  });
});

test('every setting that has a page has words in the catalogue', () => {
  const spoken = new Set(Object.keys({ ...en, ...enAdmin }));
  // External actions have a whole page instead of a field.
  const fields = Object.values(PAGES)
    .flat()
    .filter((path) => path !== 'externalactions');
  for (const path of fields) {
    expect(spoken).toContain(`setting.${path}.label`);
    expect(spoken).toContain(`setting.${path}.help`);
  }
});

/** A file of the repository. By a name the compiler does not see: nothing else here needs the types of Node. */
async function fileOf(path: string): Promise<string> {
  const name = 'node:fs';
  const { readFileSync } = (await import(name)) as { readFileSync: (path: string, encoding: string) => string };
  return readFileSync(`../${path}`, 'utf8');
}

test('every setting of the server that the admin pages are told about has a page', async () => {
  // The server's own list, which a test there keeps in step.
  const rows = (await fileOf('docs/settings.md')).split('\n');
  const paths = rows.flatMap((row) => row.match(/^\| `\w+` \| `RILLCAST_\w+` \| `([\w/]+)` \|/)?.[1] ?? []);
  expect(paths).toContain('name');
  const placed: string[] = Object.values(PAGES).flat();
  const missing = paths.filter((path) => !placed.includes(path) && !NOT_SHOWN.includes(path));
  expect(missing).toEqual([]);
});
