import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { More } from '../src/admin/pages/More.tsx';
import { Video } from '../src/admin/pages/Video.tsx';
import { createSettings, PAGES, SettingByKey, type Settings, SettingsContext } from '../src/admin/settings.tsx';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { en } from '../src/i18n/en.ts';
import { answerWith, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const known = setting({ key: 'name', path: 'name', value: 'Brook' });
const unknown = setting({ key: 'newthing', path: 'deep/newthing', value: 'a', doc: 'What it does.' });

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

describe('the settings', () => {
  test('one that no page knows is shown under More with the server’s own words and saved at its path', async () => {
    const sent = show(
      {
        'GET /api/admin/settings': { body: { settings: [known, unknown] } },
        'POST /api/admin/config/deep/newthing': { body: { success: true, message: 'ok' } },
      },
      () => <More />,
    );
    const field = await screen.findByLabelText('newthing');
    expect(screen.getByText('What it does.')).toBeTruthy();
    expect(screen.queryByLabelText('Name')).toBeNull();
    fireEvent.input(field, { target: { value: 'b' } });
    fireEvent.blur(field);
    await screen.findByText('Saved');
    expect(sent.find((request) => request.method === 'POST')?.body).toEqual({ value: 'b' });
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
    show(routes, () => <More />);
    await screen.findByText('the database is busy');
    routes['GET /api/admin/settings'] = { body: { settings: [unknown] } };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByLabelText('newthing')).toBeTruthy();
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
