import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deliveries } from '../src/admin/federation/deliveries/Deliveries.tsx';
import { kindName } from '../src/admin/federation/deliveries/Queue.tsx';
import { Posts } from '../src/admin/federation/posts/Posts.tsx';
import type { Delivery, OwnPost, QueueSummary, RemoteHost } from '../src/admin/federation/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const page = <Entry,>(...results: Entry[]) => ({ body: { total: results.length, results } });
const question = (title: string) => screen.getByText(title).closest('dialog') as HTMLElement;

const LIST = 'GET /api/admin/federation/posts?offset=0&limit=25';
const SEND = 'POST /api/admin/federation/send';
const post: OwnPost = {
  id: 'a1',
  url: 'https://brook.example/federation/a1',
  timestamp: '2026-01-02T12:00:00Z',
  content: '<p>I am <em>live</em><script>hurt()</script></p>',
  isLiveNotification: true,
  isPublic: false,
  image: { url: '/federation/media/a1.jpg', description: 'the brook' },
  likes: 12,
  reposts: 1,
  replies: 0,
  quotes: 2,
};

describe('posts', () => {
  const show = (posts: OwnPost[], routes: Routes = {}, isOn = true) =>
    showPage(() => <Posts />, { [LIST]: page(...posts), [SEND]: OK, ...routes }, [
      setting({ key: 'federation_enabled', path: 'federation/enable', kind: 'bool', value: isOn }),
    ]);
  const write = (text: string) =>
    fireEvent.input(screen.getByLabelText('A post to your followers'), { target: { value: text } });
  const submit = () => fireEvent.submit(screen.getByText('Publish').closest('form') as HTMLFormElement);
  const pick = (file: File) => {
    const input = screen.getByLabelText(/picture/, { selector: 'input[type=file]' });
    Object.defineProperty(input, 'files', { value: [file], configurable: true });
    fireEvent.change(input);
  };

  test('are shown with what others did with them', async () => {
    show([post]);
    const row = (await screen.findByText('Went live')).closest('li') as HTMLElement;
    expect(row.querySelector('.post-text')?.textContent).toBe('I am live');
    expect([...row.querySelectorAll('.post-counts li')].map((item) => item.textContent?.trim())).toEqual([
      '12 likes',
      '1 boost',
      '0 replies',
      '2 quotes',
    ]);
    expect(within(row).getByText('Followers only')).toBeTruthy();
    expect(within(row).getByAltText('the brook').getAttribute('src')).toBe('/federation/media/a1.jpg');
  });

  test('one without words and picture is not sent', async () => {
    const { posted } = show([]);
    await screen.findByText('No posts yet');
    write('   ');
    submit();
    expect(screen.getByText('Write something or choose a picture.')).toBeTruthy();
    write('x'.repeat(5_001));
    submit();
    expect(screen.getByText('Use at most 5,000 characters.')).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('one is sent, and stands at the beginning', async () => {
    const { posted, routes } = show([]);
    await screen.findByText('No posts yet');
    write(' Tomorrow at eight. ');
    routes[LIST] = page({ ...post, content: '<p>Tomorrow at eight.</p>' });
    submit();
    expect(await screen.findByText('Tomorrow at eight.')).toBeTruthy();
    expect(screen.getByLabelText<HTMLTextAreaElement>('A post to your followers').value).toBe('');
    expect(posted()[0]?.body).toEqual({ value: 'Tomorrow at eight.' });
  });

  test('a picture goes with its description', async () => {
    const { posted } = show([]);
    await screen.findByText('No posts yet');
    pick(new File(['text'], 'a.txt', { type: 'text/plain' }));
    expect(await screen.findByText(/not a PNG/)).toBeTruthy();
    pick(new File(['png'], 'a.png', { type: 'image/png' }));
    fireEvent.input(await screen.findByLabelText('What the picture shows'), { target: { value: ' a brook ' } });
    expect(screen.queryByText(/not a PNG/)).toBeNull();
    submit();
    await vi.waitFor(() => expect(posted()).toHaveLength(1));
    expect(posted()[0]?.body).toEqual({
      value: '',
      image: `data:image/png;base64,${btoa('png')}`,
      description: 'a brook',
    });
    await vi.waitFor(() => expect(screen.queryByLabelText('What the picture shows')).toBeNull());
  });

  test('the server’s reason stays, and so do the words', async () => {
    const refused = { status: 400, body: { success: false, message: 'federation is off' } };
    show([], { [SEND]: refused });
    await screen.findByText('No posts yet');
    write('hello');
    submit();
    expect(await screen.findByText('federation is off')).toBeTruthy();
    expect(screen.getByLabelText<HTMLTextAreaElement>('A post to your followers').value).toBe('hello');
  });

  test('nothing can be published while federation is off', async () => {
    show([], {}, false);
    await screen.findByText('Open its settings');
    expect(screen.getByText('Publish').closest('button')?.disabled).toBe(true);
  });

  test('one is deleted after a question', async () => {
    const { sent, routes } = show([post], { 'DELETE /api/admin/federation/posts/a1': OK });
    fireEvent.click(await screen.findByLabelText(/^Delete:/));
    expect(sent.some(({ method }) => method === 'DELETE')).toBe(false);
    routes[LIST] = page();
    fireEvent.click(within(question('Delete this post?')).getByText('Delete'));
    expect(await screen.findByText('No posts yet')).toBeTruthy();
  });
});

const SUMMARY = 'GET /api/admin/federation/deliveries/summary';
const HOSTS = 'GET /api/admin/federation/hosts';
const listed = (state: string, host = '') =>
  `GET /api/admin/federation/deliveries?state=${state}${host && `&host=${host}`}&offset=0&limit=25`;
const summary: QueueSummary = {
  waiting: 2,
  retrying: 1,
  inFlight: 0,
  delivered: 7,
  failed: 3,
  oldest: '2026-01-02T12:00:00Z',
  heldHosts: 1,
};
const delivery: Delivery = {
  id: 31,
  inbox: 'https://down.example/inbox',
  host: 'down.example',
  kind: 'go_live',
  state: 'pending',
  attempts: 2,
  nextAt: new Date(Date.now() + 600_000).toISOString(),
  expiresAt: '2027-01-02T12:00:00Z',
  createdAt: '2026-01-02T12:00:00Z',
  lastAt: '2026-01-02T12:10:00Z',
  status: 503,
  error: 'the server answered 503',
};
const well: RemoteHost = {
  host: 'well.example',
  state: 'well',
  until: null,
  failures: 0,
  failingDays: 0,
  lastFailureAt: null,
  lastError: null,
  waiting: 0,
};
const down: RemoteHost = {
  ...well,
  host: 'down.example',
  state: 'held',
  until: new Date(Date.now() + 600_000).toISOString(),
  failures: 4,
  lastError: 'nobody answers',
  waiting: 2,
};

describe('deliveries', () => {
  const show = (deliveries: Delivery[], routes: Routes = {}) =>
    showPage(() => <Deliveries />, {
      [SUMMARY]: { body: summary },
      [HOSTS]: { body: [down, well] },
      [listed('pending')]: page(...deliveries),
      'POST /api/admin/federation/deliveries/retry': OK,
      'POST /api/admin/federation/deliveries/drop': OK,
      ...routes,
    });

  test('say how many wait, since when, and whom they do not reach', async () => {
    show([delivery]);
    const row = (await screen.findByText('the server answered 503')).closest('tr') as HTMLElement;
    for (const words of ['down.example', 'Went live', 'Status 503', 'Next attempt in 10 minutes'])
      expect(within(row).getByText(words)).toBeTruthy();
    const hosts = within(await screen.findByRole('table', { name: 'Servers in trouble' }));
    expect(hosts.getByText('Paused')).toBeTruthy();
    expect(hosts.getByText('nobody answers')).toBeTruthy();
    expect(hosts.queryByText('well.example')).toBeNull();
    expect(document.querySelector('.facts time')?.getAttribute('datetime')).toBe(summary.oldest);
  });

  test('a server that refuses everything is spoken of with its reason, as text', async () => {
    const reason = 'the server answered 401: <b>key is unknown</b>';
    const refusing: RemoteHost = { ...well, host: 'no.example', state: 'refusing', failures: 9, lastError: reason };
    const silent: RemoteHost = { ...refusing, host: 'mute.example', lastError: null };
    show([], { [HOSTS]: { body: [refusing, silent, down] } });
    const words = await screen.findByText(`no.example refuses everything you send: ${reason}`);
    expect(words.closest('.banner')?.getAttribute('data-tone')).toBe('warning');
    expect(words.querySelector('b')).toBeNull();
    expect(screen.getByText('mute.example refuses everything you send.')).toBeTruthy();
    expect(screen.queryByText(/^down.example refuses/)).toBeNull();
    const row = screen.getByText('no.example', { selector: 'td' }).closest('tr') as HTMLElement;
    expect(within(row).getByText('Refusing').getAttribute('data-tone')).toBe('error');
    expect(within(row).getByText(reason)).toBeTruthy();
  });

  test('no server is said to refuse while none does', async () => {
    show([]);
    await screen.findByRole('table', { name: 'Servers in trouble' });
    expect(document.querySelector('.refusal')).toBeNull();
  });

  test('a long reason is shown whole, and as text', async () => {
    const error = `the server answered 400: <i>${'x'.repeat(270)}</i>`;
    show([{ ...delivery, error }]);
    const words = await screen.findByText(error);
    expect(words.querySelector('i')).toBeNull();
    // The class of cells that wrap, in words too.
    expect(words.closest('td')?.classList.contains('cell-wide')).toBe(true);
  });

  test('one is tried again', async () => {
    const { posted } = show([delivery]);
    fireEvent.click(await screen.findByLabelText('Retry now: down.example'));
    expect(await screen.findByText('Trying again now.')).toBeTruthy();
    expect(posted()[0]).toMatchObject({ path: '/api/admin/federation/deliveries/retry', body: { ids: [31] } });
  });

  test('several are dropped after a question', async () => {
    const { posted, routes } = show([delivery, { ...delivery, id: 32 }]);
    fireEvent.click(await screen.findByText('Drop these'));
    routes[listed('pending')] = page();
    expect(posted()).toEqual([]);
    fireEvent.click(within(question('Drop these 2 deliveries?')).getByText('Drop'));
    expect(await screen.findByText('Nothing here')).toBeTruthy();
    expect(posted()[0]).toMatchObject({ path: '/api/admin/federation/deliveries/drop', body: { ids: [31, 32] } });
  });

  test('those that were given up, and those of one server, are asked for', async () => {
    show([], {
      [listed('failed')]: page({ ...delivery, state: 'failed', host: 'gone.example' }),
      [listed('failed', 'down.example')]: page({ ...delivery, state: 'failed', error: 'only this one' }),
    });
    await screen.findByText('Nothing here');
    fireEvent.click(screen.getByText('Given up', { selector: 'button' }));
    expect(await screen.findByText('gone.example')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Show its deliveries: down.example'));
    expect(await screen.findByText('only this one')).toBeTruthy();
    expect(screen.getByText('Only for down.example.')).toBeTruthy();
    fireEvent.click(screen.getByText('Show all'));
    expect(await screen.findByText('gone.example')).toBeTruthy();
  });

  test('a failure can be tried again', async () => {
    const { routes } = show([], { [listed('pending')]: { status: 503, body: { success: false, message: 'busy' } } });
    expect(await screen.findByText('busy')).toBeTruthy();
    routes[listed('pending')] = page(delivery);
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('the server answered 503')).toBeTruthy();
  });

  test('a kind this page does not know keeps its name', () => {
    expect(kindName('offer')).toBe('Live update');
    expect(kindName('news')).toBe('news');
  });
});
