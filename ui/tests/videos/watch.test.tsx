import { cleanup, configure, fireEvent, render, screen, waitFor } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { enVideos } from '../../src/i18n/en.videos.ts';
import { addTexts } from '../../src/i18n/index.ts';
import { SeekBar } from '../../src/viewer/videos/watch/SeekBar.tsx';
import { VideoPage } from '../../src/viewer/videos/watch/VideoPage.tsx';
import type { Chapter, Video } from '../../src/viewer/videos/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from '../helpers.ts';
import { fakeEngines } from '../player/fakes.ts';
import { config, ID, status, video } from './fakes.ts';

const engines = fakeEngines();
vi.mock('../../src/viewer/player/engine.ts', async (original) => ({
  ...(await original<typeof import('../../src/viewer/player/engine.ts')>()),
  loadEngine: async () => engines.make,
}));

// A busy machine is no failure.
configure({ asyncUtilTimeout: 10_000 });
// What the page fetches is there at once, however busy the machine is.
beforeAll(async () => {
  await import('../../src/viewer/videos/watch/ReplayPlayer.tsx');
  await import('../../src/viewer/videos/watch/ShareVideo.tsx');
});
beforeEach(async () => {
  await speakEnglish();
  await addTexts({ en: () => enVideos });
  dialogsOpen();
  history.replaceState(null, '', `/videos/${ID}`);
  Element.prototype.scrollIntoView = vi.fn();
});
afterEach(cleanup);

const CHAPTERS: Chapter[] = [
  { at: 0, title: 'Hello', kind: 'title' },
  { at: 65, title: 'The river', kind: 'title' },
  { at: 1200, title: '', kind: 'mark' },
];

function show(change: Partial<Video> = {}, routes: Parameters<typeof answerWith>[0] = {}) {
  const known = video(change);
  const { sent, fakeFetch } = answerWith({
    'GET /api/status': { body: status() },
    [`GET /api/videos/${ID}`]: { body: known },
    ...routes,
  });
  vi.stubGlobal('fetch', fakeFetch);
  render(() => <VideoPage id={ID} boot={{ config: config({ videos: true }), status: status(), video: known }} />);
  return sent;
}

describe('the page of a past stream', () => {
  test('says what it was called, when it was, how long, and what it was about', async () => {
    show({ summary: 'Along the brook.\n<b>No HTML.</b>', tags: ['walk', 'c++'] });
    expect(screen.getByRole('heading', { level: 1, name: 'Evening walk' })).toBeTruthy();
    expect(screen.getByText(/^Recorded on .*2026$/)).toBeTruthy();
    expect(screen.getByText('1 hour, 2 minutes')).toBeTruthy();
    expect(screen.getByText(/No HTML/).textContent).toContain('<b>No HTML.</b>');
    expect(screen.getByRole('link', { name: '#c++' }).getAttribute('href')).toBe('/videos?tag=c%2B%2B');
    expect(document.title).toBe('Evening walk · Brook Radio');
  });

  test('what came with the page is not asked for again', async () => {
    const sent = show();
    await waitFor(() => expect(document.querySelector('#player video')).toBeTruthy());
    expect(sent.filter(({ path }) => path.startsWith('/api/videos'))).toEqual([]);
    expect(sent.filter(({ path }) => path.startsWith('/api/ping'))).toEqual([]);
  });

  test('a chapter leads to its place, and the one that is on is marked', async () => {
    show({ chapters: CHAPTERS });
    await waitFor(() => expect(document.querySelector('.seek-bar')).toBeTruthy());
    const chapters = screen.getByRole('region', { name: 'Chapters' });
    const buttons = [...chapters.querySelectorAll('button')];
    expect(buttons.map((button) => button.querySelector('.video-chapter-title')?.textContent)).toEqual([
      'Hello',
      'The river',
      'Mark',
    ]);
    expect(buttons[1]?.querySelector('.video-chapter-time')?.textContent).toBe('1:05');
    expect(buttons[0]?.getAttribute('aria-current')).toBe('true');
    fireEvent.click(buttons[1] as HTMLElement);
    await waitFor(() => expect(buttons[1]?.getAttribute('aria-current')).toBe('true'));
    expect(buttons[0]?.getAttribute('aria-current')).toBeNull();
    expect(document.querySelector<HTMLElement>('#player')?.dataset.position).toBe('65.00');
  });

  test('a chapter that is pressed before there is a player is where it begins', async () => {
    show({ chapters: CHAPTERS });
    fireEvent.click(document.querySelectorAll('.video-chapters button')[1] as HTMLElement);
    await waitFor(() => expect(document.querySelector('.seek-bar')).toBeTruthy());
    expect(document.querySelector<HTMLElement>('#player')?.dataset.position).toBe('65.00');
  });

  test('one chapter that begins with the video is none', () => {
    show({ chapters: [CHAPTERS[0] as Chapter] });
    expect(screen.queryByRole('region', { name: 'Chapters' })).toBeNull();
  });

  test.each([
    ['unlisted', /only people who have the link/],
    ['private', /only you can see/],
  ] as const)('says that it is %s', (visibility, text) => {
    show({ visibility });
    expect(screen.getByText(text)).toBeTruthy();
  });

  test('says nothing of the kind where everyone can find it', () => {
    show();
    expect(document.querySelector('.video-seen')).toBeNull();
  });

  test('has no chat where none was kept', () => {
    show();
    expect(document.querySelector('#chat-container')).toBeNull();
  });

  test('shows the chat in time with the picture, as text that cannot run anything', async () => {
    const said = (at: number, body: string) => ({
      id: `m${at}`,
      at,
      type: 'CHAT',
      timestamp: '2026-03-12T18:00:05Z',
      user: { id: 'u', displayName: 'Ann', displayColor: 2 },
      body,
    });
    const messages = [said(0, '<p>Hello <img src=x onerror=alert(1)>all</p>'), said(500, '<p>Later</p>')];
    show({ hasChat: true }, { [`GET /api/videos/${ID}/chat?from=0&to=60`]: { body: { messages, next: null } } });
    const column = await screen.findByRole('complementary', { name: 'Chat replay' });
    await waitFor(() => expect(column.querySelector('.chat-body')).toBeTruthy());
    expect(column.querySelector('.chat-body')?.innerHTML).toBe('<p>Hello all</p>');
    expect(column.querySelector('.chat-time')?.textContent).toBe('0:00');
    expect(column.textContent).not.toContain('Later');
    expect(column.querySelector('textarea, [contenteditable]')).toBeNull();
  });

  test('the chat can be hidden, and comes back', async () => {
    show({ hasChat: true });
    fireEvent.click(await screen.findByRole('button', { name: 'Hide chat' }));
    expect(document.querySelector<HTMLElement>('#chat-container')?.hidden).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Show chat' }));
    expect(document.querySelector<HTMLElement>('#chat-container')?.hidden).toBe(false);
    fireEvent.keyDown(document.body, { key: 'c' });
    expect(document.querySelector<HTMLElement>('#chat-container')?.hidden).toBe(true);
    localStorage.clear();
  });

  test('one that is not there, or not any more, says so and leads on', async () => {
    const { fakeFetch } = answerWith({});
    vi.stubGlobal('fetch', fakeFetch);
    render(() => <VideoPage id={ID} boot={{ config: config(), status: status() }} />);
    expect(await screen.findByRole('heading', { name: 'This recording is not here' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All recordings' }).getAttribute('href')).toBe('/videos');
    cleanup();
    render(() => <VideoPage id={undefined} boot={{ config: config(), status: status() }} />);
    expect(screen.getByRole('heading', { name: 'This recording is not here' })).toBeTruthy();
  });

  test('a server that does not answer is asked again', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('no connection')));
    render(() => <VideoPage id={ID} boot={{ config: config(), status: status() }} />);
    expect(await screen.findByText('The recording could not be loaded')).toBeTruthy();
    const { fakeFetch } = answerWith({ [`GET /api/videos/${ID}`]: { body: video() } });
    vi.stubGlobal('fetch', fakeFetch);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { name: 'Evening walk' })).toBeTruthy();
  });

  test('is handed on from its beginning, or from the place where it is', async () => {
    history.replaceState(null, '', `/videos/${ID}?t=1m5s`);
    show();
    await waitFor(() => expect(document.querySelector('#player video')).toBeTruthy());
    fireEvent.click(screen.getByRole('button', { name: 'Share' }));
    const dialog = await screen.findByRole('dialog', { name: 'Share this recording' });
    const codes = () => [...dialog.querySelectorAll('code, pre')].map((code) => code.textContent ?? '');
    expect(codes()[0]).toBe(`${location.origin}/videos/${ID}`);
    expect(codes()[1]).toContain(`/embed/video/${ID}"`);
    expect(codes()[2]).toBe(`${location.origin}/hls/videos/${ID}/stream.m3u8`);
    fireEvent.click(screen.getByLabelText('Begin at 1:05'));
    expect(codes()[0]).toBe(`${location.origin}/videos/${ID}?t=65`);
    expect(codes()[1]).toContain(`/embed/video/${ID}?t=65"`);
  });
});

describe('the seek bar', () => {
  const bar = (chapters: Chapter[] = []) => {
    const [position, setPosition] = createSignal(100);
    const seek = vi.fn(setPosition);
    render(() => (
      <SeekBar replay={{ position, duration: () => 1000, buffered: () => 150, seek }} chapters={chapters} />
    ));
    const slider = screen.getByRole('slider', { name: 'Position' });
    slider.getBoundingClientRect = () => ({ left: 0, width: 500 }) as DOMRect;
    return { slider, seek };
  };
  const point = (slider: HTMLElement, kind: string, clientX: number) =>
    slider.dispatchEvent(new MouseEvent(kind, { clientX, button: 0, bubbles: true, cancelable: true }));

  test('says where one is, of how much', () => {
    const { slider } = bar();
    expect(slider.getAttribute('aria-valuetext')).toBe('1:40 of 16:40');
    expect(slider.getAttribute('aria-valuenow')).toBe('100');
    expect(slider.style.getPropertyValue('--at')).toBe('0.1');
    expect(slider.style.getPropertyValue('--loaded')).toBe('0.15');
  });

  test.each([
    ['ArrowRight', 105],
    ['ArrowLeft', 95],
    ['PageUp', 160],
    ['PageDown', 40],
    ['Home', 0],
    ['End', 1000],
  ])('%s leads to %s', (key, target) => {
    const { slider, seek } = bar();
    fireEvent.keyDown(slider, { key });
    expect(seek).toHaveBeenCalledWith(target);
  });

  test('goes to where it is let go, and not to everything on the way', () => {
    const { slider, seek } = bar();
    point(slider, 'pointerdown', 100);
    point(slider, 'pointermove', 200);
    point(slider, 'pointermove', 9_000);
    expect(seek).not.toHaveBeenCalled();
    expect(slider.getAttribute('aria-valuetext')).toBe('16:40 of 16:40');
    point(slider, 'pointermove', 250);
    point(slider, 'pointerup', 250);
    expect(seek.mock.calls).toEqual([[500]]);
  });

  test('what is taken back leads nowhere', () => {
    const { slider, seek } = bar();
    point(slider, 'pointerdown', 100);
    point(slider, 'pointercancel', 100);
    point(slider, 'pointerup', 100);
    expect(seek).not.toHaveBeenCalled();
  });

  test('says under the pointer which time and which chapter is there', () => {
    const { slider } = bar(CHAPTERS);
    expect(slider.querySelectorAll('.seek-mark').length).toBe(2);
    point(slider, 'pointermove', 50);
    expect(slider.querySelector('.seek-hint')?.textContent).toBe('The river1:40');
    point(slider, 'pointermove', 0);
    expect(slider.querySelector('.seek-hint')?.textContent).toBe('Hello0:00');
    point(slider, 'pointerleave', 0);
    expect(slider.querySelector('.seek-hint')).toBeNull();
  });
});
