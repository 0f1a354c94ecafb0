import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { actionName } from '../src/admin/federation/inbox/Activity.tsx';
import { Inbox } from '../src/admin/federation/inbox/Inbox.tsx';
import type { FediverseAction, InboundPost, Quote, Report } from '../src/admin/federation/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const part = '?offset=0&limit=25';
const POSTS = `GET /api/admin/federation/inbox${part}`;
const ACTIONS = `GET /api/admin/federation/actions${part}`;
const QUOTES = `GET /api/admin/federation/quotes${part}`;
const REPORTS = `GET /api/admin/federation/reports${part}`;
const page = <Entry,>(...results: Entry[]) => ({ body: { total: results.length, results } });

const post: InboundPost = {
  id: 7,
  kind: 'reply',
  receivedAt: '2026-01-02T12:00:00Z',
  actor: {
    actorIRI: 'https://social.example/users/ada',
    name: 'Ada',
    handle: '@ada@social.example',
    url: 'https://social.example/@ada',
    image: 'https://social.example/ada.png',
  },
  content: '<p>Lovely <b>stream</b><script>hurt()</script><img src="https://spy.example/x.gif"></p>',
  url: 'https://social.example/@ada/1',
  postedAt: '2026-01-02T11:59:00Z',
  inReplyTo: null,
  attachments: [{ url: 'https://social.example/cat.jpg', mediaType: 'image/jpeg', alt: 'a cat' }],
  language: 'en',
  visibility: 'direct',
};
const report: Report = {
  id: 9,
  receivedAt: '2026-01-02T12:00:00Z',
  actorIRI: 'https://social.example/actor',
  content: '<b>spam</b>',
  objects: ['https://brook.example/federation/1', 'javascript:alert(1)'],
};
const quote: Quote = {
  id: 'q1',
  actorIRI: 'https://social.example/users/ada',
  quotePost: 'https://social.example/@ada/2',
  quotedPost: 'https://brook.example/federation/1',
  timestamp: '2026-01-02T12:00:00Z',
  revokedAt: null,
};

const show = (routes: Routes = {}) =>
  showPage(() => <Inbox />, {
    [POSTS]: page(),
    [ACTIONS]: page(),
    [QUOTES]: page(),
    [REPORTS]: page(),
    ...routes,
  });
const tab = (name: string) => fireEvent.click(screen.getByRole('tab', { name }));

describe('the operator’s inbox', () => {
  test('shows a reply without anything that runs or is fetched from elsewhere', async () => {
    show({ [POSTS]: page(post) });
    const row = (await screen.findByText('Ada')).closest('.post-row') as HTMLElement;
    expect(row.querySelector('.post-text')?.textContent).toBe('Lovely stream');
    expect(row.querySelector('script, img')).toBeNull();
    for (const words of ['Reply', 'Private message', '@ada@social.example', 'Open at social.example', 'a cat'])
      expect(within(row).getByText(words)).toBeTruthy();
    const out = within(row).getByText('Open at social.example').closest('a');
    expect(out?.href).toBe(post.url);
    expect(out?.rel).toContain('noreferrer');
  });

  test('a post is deleted here', async () => {
    const { sent, routes } = show({ [POSTS]: page(post), 'DELETE /api/admin/federation/inbox/7': OK });
    const button = await screen.findByLabelText('Delete here: Ada');
    routes[POSTS] = page();
    fireEvent.click(button);
    expect(await screen.findByText('Nobody has written yet')).toBeTruthy();
    expect(sent.some(({ method }) => method === 'DELETE')).toBe(true);
  });

  test('a report is text, and links only to the web', async () => {
    const { routes } = show({ [REPORTS]: page(report), 'DELETE /api/admin/federation/reports/9': OK });
    tab('Reports');
    expect(await screen.findByText('<b>spam</b>')).toBeTruthy();
    expect(screen.getByText('https://brook.example/federation/1').closest('a')).not.toBeNull();
    expect(screen.getByText('javascript:alert(1)').closest('a')).toBeNull();
    routes[REPORTS] = page();
    fireEvent.click(screen.getByLabelText('Delete here: social.example'));
    expect(await screen.findByText('No complaints')).toBeTruthy();
  });

  test('a quote is taken back after a question, and says so', async () => {
    const { routes } = show({ [QUOTES]: page(quote), 'DELETE /api/admin/federation/quotes/q1': OK });
    tab('Quotes');
    fireEvent.click(await screen.findByLabelText(`Revoke: ${quote.actorIRI}`));
    routes[QUOTES] = page({ ...quote, revokedAt: '2026-01-03T12:00:00Z' });
    fireEvent.click(
      within(screen.getByText('Revoke this quote?').closest('dialog') as HTMLElement).getByText('Revoke'),
    );
    expect(await screen.findByText('Revoked')).toBeTruthy();
    expect(screen.queryByLabelText(/^Revoke:/)).toBeNull();
  });

  test('what others did is told in words, and what they took back too', async () => {
    const action: FediverseAction = {
      timestamp: '2026-01-02T12:00:00Z',
      iri: 'https://brook.example/federation/1',
      actorIRI: 'https://social.example/users/ada',
      type: 'FEDIVERSE_ENGAGEMENT_LIKE',
      undoneAt: '2026-01-02T13:00:00Z',
    };
    const follow: FediverseAction = {
      ...action,
      iri: 'https://brook.example/federation/user/live',
      type: 'FEDIVERSE_ENGAGEMENT_FOLLOW',
      undoneAt: null,
    };
    show({ [ACTIONS]: page(action, follow) });
    tab('Activity');
    const row = (await screen.findByText('Liked')).closest('tr') as HTMLElement;
    expect(within(row).getByText('undone')).toBeTruthy();
    expect(within(row).getByText('/federation/1')).toBeTruthy();
    const other = screen.getByText('Followed').closest('tr') as HTMLElement;
    expect(within(other).getByText('Your account')).toBeTruthy();
    expect(within(other).queryByText('undone')).toBeNull();
    expect(actionName('SOMETHING_NEW')).toBe('SOMETHING_NEW');
  });
});
