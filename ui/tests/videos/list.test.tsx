import { cleanup, configure, fireEvent, render, screen, waitFor, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { enVideos } from '../../src/i18n/en.videos.ts';
import { addTexts } from '../../src/i18n/index.ts';
import { LatestVideos } from '../../src/viewer/videos/LatestVideos.tsx';
import { VideosPage } from '../../src/viewer/videos/VideosPage.tsx';
import type { VideoSummary } from '../../src/viewer/videos/wire.ts';
import type { Status } from '../../src/wire.ts';
import { speakEnglish } from '../helpers.ts';
import { config, status, summary } from './fakes.ts';

// A busy machine is no failure.
configure({ asyncUtilTimeout: 10_000 });

beforeEach(async () => {
  await speakEnglish();
  await addTexts({ en: () => enVideos });
  history.replaceState(null, '', '/videos');
  vi.stubGlobal('scrollTo', vi.fn());
});
afterEach(cleanup);

const idOf = (number: number) => number.toString(16).padStart(16, '0');
const walks = (count: number) =>
  Array.from({ length: count }, (_, index) => summary({ id: idOf(index), title: `Walk ${index + 1}` }));

/** Finds by title and tag, as the server does. */
function serve(videos: VideoSummary[], { isDown = (): boolean => false } = {}) {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const url = new URL(path, 'http://x/');
    if (url.pathname !== '/api/videos') return new Response(JSON.stringify(status()));
    asked.push(url.searchParams);
    if (isDown()) throw new TypeError('no connection');
    const { q = '', tag = '', offset = '0', limit = '20' } = Object.fromEntries(url.searchParams);
    const found = videos.filter(
      (one) => one.title.toLowerCase().includes(q.toLowerCase()) && (!tag || one.tags.includes(tag)),
    );
    const results = found.slice(Number(offset), Number(offset) + Number(limit));
    return new Response(JSON.stringify({ total: found.length, results }));
  });
  return asked;
}

const show = (now: Partial<Status> = {}) =>
  render(() => <VideosPage boot={{ config: config({ videos: true }), status: status(now) }} />);
const field = () => screen.getByLabelText('Search recordings');
const titles = () => [...document.querySelectorAll('.video-card-title')].map((title) => title.textContent);

describe('the list of past streams', () => {
  test('has for each what it was called, when it was and how long, in one link', async () => {
    serve([summary({ id: idOf(7), duration: 3753 })]);
    show();
    const link = await screen.findByRole('link', { name: 'Evening walk' });
    expect(link.getAttribute('href')).toBe(`/videos/${idOf(7)}`);
    const card = link.closest('li') as HTMLElement;
    expect(card.querySelector('time')?.dateTime).toBe('2026-03-12T18:00:00Z');
    expect(card.textContent).toContain('1:02:33');
    expect(within(card).getByText('Length: 1 hour, 2 minutes')).toBeTruthy();
    expect(document.title).toBe('Recordings · Brook Radio');
  });

  test('one without a title is known by its day', async () => {
    serve([summary({ title: '' })]);
    show();
    expect((await screen.findByRole('link', { name: /^Stream of .*2026$/ })).textContent).toContain('12');
  });

  test('pictures come from this server only, and one that is missing leaves no hole', async () => {
    serve([summary({ thumbnail: '/hls/videos/x/poster.jpg' }), summary({ id: idOf(1), thumbnail: 'https://evil/x' })]);
    show();
    await waitFor(() => expect(titles().length).toBe(2));
    const pictures = [...document.querySelectorAll<HTMLImageElement>('.video-picture img')];
    expect(pictures.map((picture) => picture.getAttribute('src'))).toEqual(['/hls/videos/x/poster.jpg']);
    fireEvent.error(pictures[0] as HTMLImageElement);
    expect(document.querySelector('.video-picture img')).toBeNull();
  });

  test('a search keeps its words in the address, and finds them there again', async () => {
    const asked = serve([...walks(2), summary({ id: idOf(9), title: 'Cooking' })]);
    show();
    await waitFor(() => expect(titles().length).toBe(3));
    fireEvent.input(field(), { target: { value: 'cook ' } });
    await waitFor(() => expect(titles()).toEqual(['Cooking']));
    expect(location.search).toBe('?q=cook');
    // Not the space behind the word: somebody goes on typing.
    expect((field() as HTMLInputElement).value).toBe('cook ');
    expect(await screen.findByText('1 recording found')).toBeTruthy();
    cleanup();
    show();
    await waitFor(() => expect(titles()).toEqual(['Cooking']));
    expect((field() as HTMLInputElement).value).toBe('cook');
    expect(asked.at(-1)?.get('q')).toBe('cook');
  });

  test('the way back leads to before the search, not through its letters', async () => {
    serve([...walks(2), summary({ id: idOf(9), title: 'Cooking' })]);
    const before = history.length;
    show();
    await waitFor(() => expect(titles().length).toBe(3));
    for (const value of ['co', 'coo', 'cook']) {
      fireEvent.input(field(), { target: { value } });
      await waitFor(() => expect(location.search).toBe(`?q=${value}`));
    }
    expect(history.length).toBe(before + 1);
    history.back();
    await waitFor(() => expect(titles().length).toBe(3));
    expect((field() as HTMLInputElement).value).toBe('');
  });

  test('Enter searches at once', async () => {
    serve([summary({ title: 'Cooking' })]);
    show();
    const input = await screen.findByLabelText('Search recordings');
    (input as HTMLInputElement).value = 'cook';
    fireEvent.submit(input.closest('form') as HTMLFormElement);
    expect(location.search).toBe('?q=cook');
  });

  test('a tag of the address can be taken away', async () => {
    history.replaceState(null, '', '/videos?tag=music');
    serve([summary({ tags: ['music'] }), ...walks(2)]);
    show();
    await waitFor(() => expect(titles()).toEqual(['Evening walk']));
    fireEvent.click(screen.getByRole('button', { name: 'Remove the tag music' }));
    await waitFor(() => expect(titles().length).toBe(3));
    expect(location.search).toBe('');
  });

  test('has pages that are addresses, and begins each at its top', async () => {
    serve(walks(50));
    show();
    await waitFor(() => expect(titles().length).toBe(24));
    expect(screen.getByText('Page 1 of 3')).toBeTruthy();
    expect(screen.queryByText('Previous page')).toBeNull();
    const next = screen.getByText('Next page');
    expect(next.getAttribute('href')).toBe('/videos?page=2');
    fireEvent.click(next, { button: 0 });
    await waitFor(() => expect(titles()[0]).toBe('Walk 25'));
    expect(location.search).toBe('?page=2');
    expect(document.activeElement?.id).toBe('main');
    expect(window.scrollTo).toHaveBeenCalledWith(0, 0);
    expect(screen.getByText('Previous page').getAttribute('href')).toBe('/videos');
  });

  test('says that there is nothing yet, and otherwise that nothing was found', async () => {
    serve([]);
    show();
    expect(await screen.findByText('No recordings yet')).toBeTruthy();
    cleanup();
    history.replaceState(null, '', '/videos?q=nothing');
    serve(walks(3));
    show();
    expect(await screen.findByText('Nothing found')).toBeTruthy();
    fireEvent.click(screen.getByText('All recordings'));
    await waitFor(() => expect(titles().length).toBe(3));
  });

  test('says that they could not be loaded, and tries again', async () => {
    let isDown = true;
    serve(walks(1), { isDown: () => isDown });
    show();
    expect(await screen.findByText('The recordings could not be loaded')).toBeTruthy();
    isDown = false;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(titles()).toEqual(['Walk 1']));
  });

  test('an answer that comes late does not replace a newer one', async () => {
    const answers: ((videos: VideoSummary[]) => void)[] = [];
    vi.stubGlobal('fetch', (path: string) => {
      if (!path.startsWith('/api/videos')) return Promise.resolve(new Response(JSON.stringify(status())));
      return new Promise((resolve) => {
        answers.push((results) => resolve(new Response(JSON.stringify({ total: results.length, results }))));
      });
    });
    show();
    const input = await screen.findByLabelText('Search recordings');
    (input as HTMLInputElement).value = 'cook';
    fireEvent.submit(input.closest('form') as HTMLFormElement);
    await waitFor(() => expect(answers.length).toBe(2));
    answers[1]?.([summary({ title: 'Cooking' })]);
    await waitFor(() => expect(titles()).toEqual(['Cooking']));
    answers[0]?.(walks(5));
    await Promise.resolve();
    expect(titles()).toEqual(['Cooking']);
  });

  test('leads to what is live now', async () => {
    serve(walks(1));
    show({ online: true, streamState: 'live', streamTitle: 'Tonight' });
    const link = await screen.findByRole('link', { name: /Live now.*Tonight/ });
    expect(link.getAttribute('href')).toBe('/');
  });
});

describe('the newest on the front page', () => {
  test('are shown with the way to all of them', async () => {
    const asked = serve(walks(12));
    render(() => <LatestVideos />);
    await waitFor(() => expect(titles().length).toBe(8));
    expect(asked[0]?.get('limit')).toBe('8');
    expect(screen.getByText('All recordings').getAttribute('href')).toBe('/videos');
    expect(screen.getByRole('region', { name: 'Latest recordings' })).toBeTruthy();
  });

  test.each([
    ['there are none', [], false],
    ['the server does not answer', walks(1), true],
  ] as const)('nothing is shown where %s', async (_why, videos, isDown) => {
    const asked = serve([...videos], { isDown: () => isDown });
    render(() => <LatestVideos />);
    await waitFor(() => expect(asked.length).toBe(1));
    await waitFor(() => expect(screen.queryByText('Latest recordings')).toBeNull());
  });
});
