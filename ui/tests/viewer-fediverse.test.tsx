import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Avatar, colourOf, initialOf } from '../src/design/Avatar.tsx';
import { ownPicture } from '../src/pictures.ts';
import { lineFrom } from '../src/viewer/chat/lines.ts';
import { accountOf, webAddress } from '../src/viewer/fediverse/account.ts';
import { fetchParts } from '../src/viewer/fediverse/parts.tsx';
import { Viewer } from '../src/viewer/Viewer.tsx';
import type { FederationConfig, Follower, SiteConfig, Status } from '../src/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from './helpers.ts';

const config: SiteConfig = {
  name: 'Brook Radio',
  summary: '',
  logo: '/logo',
  tags: [],
  version: '0.3.0',
  nsfw: false,
  hideViewerCount: false,
  extraPageContent: '<p>A shed.</p>',
  offlineMessage: '',
  socialHandles: [],
};
const status: Status = {
  serverTime: '2026-01-02T12:00:00Z',
  lastConnectTime: null,
  lastDisconnectTime: null,
  versionNumber: '0.3.0',
  streamTitle: '',
  online: false,
  streamState: 'offline',
  viewerCount: 0,
};
const on: FederationConfig = { enabled: true, account: 'live@brook.example', followerCount: 30 };
const follower = (number: number): Follower => ({
  link: `https://social.example/users/f${number}`,
  name: `Follower ${number}`,
  username: `f${number}@social.example`,
  image: 'https://social.example/f.png',
  timestamp: '2026-01-01T10:00:00Z',
});
const page = (from: number, to: number, total: number) => ({
  body: { total, results: Array.from({ length: to - from }, (_, index) => follower(from + index)) },
});

beforeEach(async () => {
  await speakEnglish();
  // A busy machine takes its time to fetch the parts; the tests are about what they do.
  await fetchParts();
  dialogsOpen();
  localStorage.removeItem('rillcast.fediverse.account');
});
afterEach(cleanup);

type Routes = Parameters<typeof answerWith>[0];

function show(federation: FederationConfig | undefined, routes: Routes = {}) {
  const all: Routes = { 'GET /api/federation/servers': { body: { servers: [] } }, ...routes };
  const { sent, fakeFetch } = answerWith(all);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => <Viewer boot={{ config: { ...config, federation }, status }} />);
  return { sent, routes: all };
}

describe('without federation', () => {
  test.each([[undefined], [{ enabled: false }]])('%o shows and asks nothing', async (federation) => {
    const { sent } = show(federation);
    await Promise.resolve();
    expect(document.querySelector('#follow-button')).toBeNull();
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent?.trim())).toEqual(['About']);
    expect(sent).toEqual([]);
  });
});

describe('following', () => {
  const open = async (routes: Routes = {}) => {
    const shown = show(on, routes);
    fireEvent.click(document.querySelector('#follow-button') as Element);
    await screen.findByText('Follow Brook Radio');
    return shown;
  };
  const submit = (account: string) => {
    fireEvent.input(screen.getByLabelText('Your account'), { target: { value: account } });
    fireEvent.submit(screen.getByLabelText('Your account').closest('form') as HTMLFormElement);
  };

  test('shows the address to look for, and gives the focus back', async () => {
    await open();
    expect(screen.getByText('@live@brook.example')).toBeTruthy();
    fireEvent.click(screen.getByText('Close'));
    expect(document.querySelector('dialog')).toBeNull();
    expect(document.activeElement?.id).toBe('follow-button');
  });

  test('is offered in the offline banner too, whose look the dialog does not take', async () => {
    show(on);
    fireEvent.click(document.querySelector('#offline-banner #offline-follow-button') as Element);
    await screen.findByText('Follow Brook Radio');
    expect(document.querySelector('#offline-banner dialog')).toBeNull();
    fireEvent.click(screen.getByText('Close'));
    expect(document.activeElement?.id).toBe('offline-follow-button');
  });

  test('leads to one’s own server in a new tab and remembers the account', async () => {
    const redirectUrl = 'https://social.example/authorize_interaction?uri=x';
    const tab = { opener: window as unknown };
    const opened = vi.spyOn(window, 'open').mockReturnValue(tab as Window);
    const { sent } = await open({ 'POST /api/remotefollow': { body: { redirectUrl } } });
    submit('@ada@Social.example');
    expect((await screen.findByText('Nothing there? Open social.example')).getAttribute('href')).toBe(redirectUrl);
    expect(opened).toHaveBeenCalledWith(redirectUrl, '_blank');
    expect(tab.opener).toBeNull();
    expect(sent.find(({ method }) => method === 'POST')?.body).toEqual({ account: 'ada@social.example' });
    fireEvent.click(screen.getByText('Close'));
    fireEvent.click(document.querySelector('#follow-button') as Element);
    expect((await screen.findByLabelText<HTMLInputElement>('Your account')).value).toBe('ada@social.example');
  });

  test('a browser that opens no tab is not said to have opened one', async () => {
    vi.spyOn(window, 'open').mockReturnValue(null);
    const redirectUrl = 'https://social.example/authorize_interaction?uri=x';
    await open({ 'POST /api/remotefollow': { body: { redirectUrl } } });
    submit('ada@social.example');
    expect((await screen.findByText('Open social.example')).getAttribute('href')).toBe(redirectUrl);
    expect(screen.queryByText(/tab that just opened/)).toBeNull();
  });

  test('an answer that is no address of the web leads nowhere', async () => {
    const opened = vi.spyOn(window, 'open').mockReturnValue(null);
    await open({ 'POST /api/remotefollow': { body: { redirectUrl: 'javascript:alert(1)' } } });
    submit('ada@social.example');
    expect(await screen.findByText('That did not work. Please try again.')).toBeTruthy();
    expect(opened).not.toHaveBeenCalled();
  });

  test.each([
    [{ status: 400, body: { success: false, message: 'there is no such account' } }, 'there is no such account'],
    [{ status: 429, body: '', headers: { 'Retry-After': '30' } }, 'Too many attempts. Wait 30 seconds and try again.'],
    [{ status: 500, body: '' }, 'That did not work. Please try again.'],
  ])('says why not: %o', async (answer, words) => {
    await open({ 'POST /api/remotefollow': answer });
    submit('ada@social.example');
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.getByLabelText('Your account').getAttribute('aria-invalid')).toBe('true');
  });
});

describe('the followers', () => {
  const FIRST = 'GET /api/followers?offset=0&limit=24';
  const openTab = () => fireEvent.click(screen.getByRole('tab', { name: /Followers/ }));

  test('stay away where the operator hides them', () => {
    show({ ...on, hideFollowersTab: true });
    expect(screen.queryByRole('tab', { name: /Followers/ })).toBeNull();
    expect(document.querySelector('#follow-button')).not.toBeNull();
  });

  test('come page by page, with letters in place of their pictures', async () => {
    const { sent } = show(on, {
      [FIRST]: page(0, 24, 30),
      'GET /api/followers?offset=24&limit=24': page(24, 30, 30),
    });
    expect(screen.getByRole('tab', { name: /Followers/ }).textContent).toContain('30');
    expect(sent.some(({ path }) => path.startsWith('/api/followers'))).toBe(false);
    openTab();
    await screen.findByText('Follower 0');
    const first = document.querySelector('#followers-collection .followers-follower a') as HTMLAnchorElement;
    expect(first.href).toBe('https://social.example/users/f0');
    expect(first.rel).toContain('noreferrer');
    expect(first.textContent).toContain('@f0@social.example');
    expect(document.querySelector('#followers-collection img')).toBeNull();
    fireEvent.click(screen.getByText('Show more'));
    await screen.findByText('Follower 29');
    expect(document.querySelectorAll('.followers-follower')).toHaveLength(30);
    expect(screen.queryByText('Show more')).toBeNull();
    expect(document.activeElement?.textContent).toContain('Follower 24');
  });

  test('nobody yet, or no answer, has words of its own', async () => {
    const { routes } = show(on, { [FIRST]: { status: 503, body: '' } });
    openTab();
    await screen.findByText('The followers could not be loaded');
    routes[FIRST] = page(0, 0, 0);
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('Nobody follows yet')).toBeTruthy();
  });

  test('of a private stream are a number and nothing else', async () => {
    show(on, { [FIRST]: { body: { total: 30, results: [] } } });
    openTab();
    expect(await screen.findByText('30 people follow')).toBeTruthy();
    expect(screen.queryByText('Show more')).toBeNull();
  });

  test('a link that is no address of the web is no link', async () => {
    show(on, { [FIRST]: { body: { total: 1, results: [{ ...follower(1), link: 'javascript:alert(1)' }] } } });
    openTab();
    await screen.findByText('Follower 1');
    expect(document.querySelector('.followers-follower a')).toBeNull();
  });
});

test('featured streams have a tab where there are any, and say who is on', async () => {
  const servers = [
    {
      id: 1,
      iri: 'https://hill.example',
      displayName: 'Hill TV',
      isOnline: true,
      streamTitle: 'Sunset',
      tags: ['sky'],
    },
    { id: 2, iri: 'https://dale.example', isOnline: false, summary: 'Quiet.', logoUrl: 'https://dale.example/logo' },
  ];
  show(on, { 'GET /api/federation/servers': { body: { servers } } });
  fireEvent.click(await screen.findByRole('tab', { name: 'Featured streams' }));
  const hill = (await screen.findByText('Hill TV')).closest('li') as HTMLElement;
  expect(within(hill).getByText('Live')).toBeTruthy();
  expect(within(hill).getByText('Sunset')).toBeTruthy();
  expect(within(hill).getByText('#sky')).toBeTruthy();
  const dale = screen.getByText('Quiet.').closest('.featured-server') as HTMLElement;
  expect(within(dale).getByText('Offline')).toBeTruthy();
  expect(within(dale).getByRole('link').getAttribute('href')).toBe('https://dale.example');
  expect(document.querySelector('.featured img')).toBeNull();
});

describe('rules', () => {
  test.each([
    ['@ada@social.example', 'ada@social.example'],
    ['ada@Social.Example', 'ada@social.example'],
    ['acct:ada@social.example', 'ada@social.example'],
    ['https://social.example/@ada', 'ada@social.example'],
    ['https://social.example/users/ada/', 'ada@social.example'],
    ['ada@social.example:8443', 'ada@social.example:8443'],
    ['https://social.example/about', undefined],
    ['https://', undefined],
    ['ada', undefined],
    ['ada@localhost', undefined],
    ['a b@social.example', undefined],
    ['a@b@social.example', undefined],
    ['', undefined],
  ])('%s is the account %s', (typed, account) => {
    expect(accountOf(typed)).toBe(account);
  });

  test('only the web is linked to', () => {
    expect(webAddress('https://a.example/x')).toBe('https://a.example/x');
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', '/x', '', null])
      expect(webAddress(bad)).toBeUndefined();
  });

  test('pictures are shown from this server only, in the chat too', () => {
    expect(ownPicture('/img/a.png')).toBe('/img/a.png');
    for (const bad of ['https://social.example/a.png', '//social.example/a.png', 'data:image/png,x', null])
      expect(ownPicture(bad)).toBeUndefined();
    const line = (image: string) => lineFrom({ type: 'FEDIVERSE_ENGAGEMENT_LIKE', id: 'a', title: 'x@y', image }, 0);
    expect(line('https://social.example/a.png')?.social?.image).toBeUndefined();
    expect(line('/img/a.png')?.social?.image).toBe('/img/a.png');
  });

  test('a letter and a colour stand for a name', () => {
    expect(initialOf('  «ölivia»')).toBe('Ö');
    expect(initialOf('🌊')).toBe('?');
    expect(colourOf('ada')).toBe(colourOf('ada'));
    render(() => <Avatar name="ada" image="https://social.example/a.png" />);
    expect(document.querySelector('.avatar')?.textContent).toBe('A');
  });
});
