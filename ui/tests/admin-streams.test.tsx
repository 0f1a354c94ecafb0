import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PastStreams } from '../src/admin/pages/PastStreams.tsx';
import { incidentName } from '../src/admin/streams/Incidents.tsx';
import { siteName } from '../src/admin/streams/Referrers.tsx';
import { navigate } from '../src/router.tsx';
import { showPage } from './admin-fakes.tsx';
import { speakEnglish } from './helpers.ts';

beforeEach(() => {
  speakEnglish();
  navigate('/admin/streams', 'replace');
});
afterEach(cleanup);

const summary = {
  id: 'a1',
  title: 'Harbour walk',
  startedAt: '2026-01-02T12:00:00Z',
  endedAt: '2026-01-02T13:02:33Z',
  peakViewers: 1234,
};
const minute = (number: number, viewers: number) => ({
  time: `2026-01-02T12:0${number}:00Z`,
  viewers,
  peakViewers: viewers,
  chatClients: 2,
  peakChatClients: 3,
  messages: number,
});
const detail = {
  ...summary,
  averageViewers: 812.25,
  watchSeconds: 11_520,
  peakChatClients: 3,
  messages: 41,
  chatters: 7,
  stepSeconds: 60,
  points: [minute(0, 3), minute(1, 1234)],
  incidents: [
    { at: '2026-01-02T12:30:00Z', code: 'publisher-lost', message: '' },
    { at: '2026-01-02T12:40:00Z', code: 'encoder-restarted', message: 'ffmpeg gave up' },
  ],
  referrers: [
    { host: 'news.example', visits: 1200 },
    { host: '', visits: 3 },
  ],
  isChatLogExported: true,
};
const ROUTE = 'GET /api/admin/streams/a1';

const facts = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.facts > div')].map((fact) => [
      fact.querySelector('dt')?.textContent,
      fact.querySelector('dd')?.textContent,
    ]),
  );

describe('a past stream', () => {
  test('has a page, which the list leads to and which leads back', async () => {
    showPage(() => <PastStreams />, { 'GET /api/admin/streams': { body: [summary] }, [ROUTE]: { body: detail } });
    fireEvent.click(await screen.findByRole('link', { name: 'Harbour walk' }));
    expect(location.pathname).toBe('/admin/streams/a1');
    expect(await screen.findByText('news.example')).toBeTruthy();
    fireEvent.click(screen.getByText('← All past streams'));
    expect(await screen.findByRole('link', { name: 'Harbour walk' })).toBeTruthy();
  });

  test('that is older than the first fifty is listed on demand', async () => {
    const streams = Array.from({ length: 53 }, (_, number) => ({
      ...summary,
      id: `s${number}`,
      title: `No. ${number}`,
    }));
    showPage(() => <PastStreams />, {
      'GET /api/admin/streams': { body: streams.slice(0, 50) },
      'GET /api/admin/streams?limit=100': { body: streams },
    });
    await screen.findByRole('link', { name: 'No. 49' });
    expect(screen.queryByRole('link', { name: 'No. 52' })).toBeNull();
    fireEvent.click(screen.getByText('Show older streams'));
    expect(screen.getByRole('link', { name: 'No. 0' })).toBeTruthy();
    expect(await screen.findByRole('link', { name: 'No. 52' })).toBeTruthy();
    expect(screen.queryByText('Show older streams')).toBeNull();
  });

  test('is told in numbers, over time, with what went wrong and where visitors came from', async () => {
    navigate('/admin/streams/a1', 'replace');
    showPage(() => <PastStreams />, { [ROUTE]: { body: detail } });
    await screen.findByText('Harbour walk');
    expect(facts()).toEqual({
      Duration: '1:02:33',
      'Peak viewers': '1,234',
      'Average viewers': '812.3',
      'Watch time': '3 hr 12 min',
      'Chat messages': '41',
      Chatters: '7',
    });
    expect(screen.getAllByRole('img')).toHaveLength(2);
    const incidents = within(screen.getByRole('table', { name: 'Incidents' }));
    expect(incidents.getByText('The connection to your encoder was lost')).toBeTruthy();
    expect(incidents.getByText('ffmpeg gave up')).toBeTruthy();
    const referrers = within(screen.getByRole('table', { name: 'Where visitors came from' }));
    expect(referrers.getByRole('row', { name: /news\.example 1,200/ })).toBeTruthy();
    expect(referrers.getByRole('row', { name: /Direct or unknown 3/ })).toBeTruthy();
  });

  test('is saved as files, the chat only where that is allowed', async () => {
    navigate('/admin/streams/a1', 'replace');
    const files = () =>
      [...document.querySelectorAll('a[download]')].map((link) => link.getAttribute('href')?.split('/').at(-1));
    const { unmount } = showPage(() => <PastStreams />, { [ROUTE]: { body: detail } });
    await screen.findByText('Harbour walk');
    expect(files()).toEqual(['viewers.csv', 'viewers.json', 'chat.csv', 'chat.json']);
    unmount();
    showPage(() => <PastStreams />, { [ROUTE]: { body: { ...detail, isChatLogExported: false } } });
    await screen.findByText(/The chat log cannot be downloaded/);
    expect(files()).toEqual(['viewers.csv', 'viewers.json']);
  });

  test('from before anything was counted says so', async () => {
    navigate('/admin/streams/a1', 'replace');
    const uncounted = { averageViewers: null, watchSeconds: null, messages: null, chatters: null };
    const empty = { points: [], incidents: [], referrers: [] };
    showPage(() => <PastStreams />, { [ROUTE]: { body: { ...detail, ...uncounted, ...empty } } });
    expect(await screen.findByText(/from before the server counted these/)).toBeTruthy();
    expect(facts()['Watch time']).toBe('–');
    expect(screen.getByText('Nothing went wrong')).toBeTruthy();
  });

  test('that does not exist, or cannot be loaded, says which', async () => {
    navigate('/admin/streams/a1', 'replace');
    const gone = { status: 404, body: { success: false, message: 'there is no such stream' } };
    const { unmount } = showPage(() => <PastStreams />, { [ROUTE]: gone });
    expect(await screen.findByText('There is no such stream')).toBeTruthy();
    unmount();
    showPage(() => <PastStreams />, { [ROUTE]: { status: 503, body: { success: false, message: 'busy' } } });
    expect(await screen.findByText('busy')).toBeTruthy();
    await vi.waitFor(() => expect(screen.getByText('Try again')).toBeTruthy());
  });
});

test('what this page has no words for keeps the name the server gave it', () => {
  expect(incidentName('jitter')).toBe('Frames arrived unevenly');
  expect(incidentName('solar-flare')).toBe('solar-flare');
  expect(siteName('*')).toBe('Other sites');
  expect(siteName('blog.example')).toBe('blog.example');
});
