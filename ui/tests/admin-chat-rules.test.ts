import { beforeEach, describe, expect, test } from 'vitest';
import { actionName } from '../src/admin/chat/AuditLog.tsx';
import { agentName, isAddress } from '../src/admin/chat/addresses.ts';
import { proxyLines } from '../src/admin/chat/ConnectionCard.tsx';
import { emojiGroups, fileNameOf, nameFromFile, pathOf } from '../src/admin/chat/emoji/files.ts';
import { bodyText, select } from '../src/admin/chat/text.ts';
import { usersPath } from '../src/admin/chat/users/search.ts';
import { formerNames } from '../src/admin/chat/wire.ts';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { en } from '../src/i18n/en.ts';
import { chatUser, message } from './admin-chat-fakes.ts';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);

describe('an address', () => {
  test.each(['203.0.113.7', '0.0.0.0', '255.255.255.255', '::1', '2001:db8::7', '::ffff:203.0.113.7', 'FE80::1'])(
    '%s is one',
    (text) => expect(isAddress(text)).toBe(true),
  );
  test.each([
    '',
    'example.org',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '203.0.113.7.1',
    '203.0.113.7/24',
    '2001:db8::7::1',
    'fe80::1%eth0',
    '::1]/[',
    '12345::',
  ])('%s is none', (text) => expect(isAddress(text)).toBe(false));
});

describe('a browser is called what people call it', () => {
  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
      'Chrome, Android',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari, iOS'],
    ['curl/8.5.0', 'curl'],
    ['', ''],
  ])('%s', (agent, name) => expect(agentName(agent)).toBe(name));
});

describe('the text of a message', () => {
  test('tells emoji by their names and keeps lines apart', () => {
    const html = '<p>hello <strong>all</strong>\n<img src="/img/emoji/wave.svg" class="emoji" alt=":wave:"></p>';
    expect(bodyText(html)).toBe('hello all\n:wave:');
  });

  test('says where a link goes when its text says something else', () => {
    expect(bodyText('<p><a href="https://bad.example/x">https://good.example</a></p>')).toBe(
      'https://good.example (https://bad.example/x)',
    );
    expect(bodyText('<p><a href="https://a.example">https://a.example</a></p>')).toBe('https://a.example');
  });

  test('holds nothing of what is not allowed', () => {
    expect(bodyText('<p>a<script>alert(1)</script><img src="x" onerror="alert(1)" alt="evil"></p>')).toBe('a');
  });
});

describe('the search', () => {
  const list = [
    message({ id: '1', body: '<p>Good <em>morning</em></p>', user: chatUser({ displayName: 'Ada' }) }),
    message({
      id: '2',
      body: '<p>buy now</p>',
      hiddenAt: '2026-01-02T12:00:00Z',
      user: chatUser({ displayName: 'Bert' }),
    }),
  ];
  const ids = (query: string, shown: 'all' | 'visible' | 'hidden') => select(list, query, shown).map((one) => one.id);

  test('finds by text across markup and by name, whatever the case', () => {
    expect(ids('good MORN', 'all')).toEqual(['1']);
    expect(ids('bert', 'all')).toEqual(['2']);
    expect(ids('em', 'all')).toEqual([]);
  });

  test('keeps hidden and visible apart', () => {
    expect(ids('', 'hidden')).toEqual(['2']);
    expect(ids('', 'visible')).toEqual(['1']);
    expect(ids(' ', 'all')).toEqual(['1', '2']);
  });
});

describe('names of emoji', () => {
  test.each([
    ['Party Parrot.gif', 'Party-Parrot'],
    ['grüße!.png', 'gru-e'],
    ['archive.tar.png', 'archive-tar'],
    ['..png', 'emoji'],
    ['日本.png', 'emoji'],
    ['under_score-1.webp', 'under_score-1'],
  ])('%s becomes %s', (file, name) => expect(nameFromFile(file)).toBe(name));

  test('the ending says what the file is', () => {
    expect(fileNameOf('party', 'image/jpeg')).toBe('party.jpg');
    expect(fileNameOf('party', 'image/webp')).toBe('party.webp');
  });

  test('the path for deleting one is relative to the folder of emoji', () => {
    expect(pathOf({ name: 'cat', url: '/img/emoji/cats/cat.png' })).toBe('cats/cat.png');
  });

  test('one’s own come first, then packs, then what came with the server', () => {
    const all = [
      { name: 'smile', url: '/img/emoji/smile.svg', builtin: true },
      { name: 'zebra', url: '/img/emoji/zoo/zebra.png', pack: 'zoo' },
      { name: 'cat', url: '/img/emoji/cats/cat.png', pack: 'cats' },
      { name: 'me', url: '/img/emoji/me.png' },
      { name: 'ape', url: '/img/emoji/zoo/ape.png', pack: 'zoo' },
    ];
    const names = (query: string) => emojiGroups(all, query).map((group) => group.emojis.map((emoji) => emoji.name));
    expect(names('')).toEqual([['me'], ['cat'], ['ape', 'zebra'], ['smile']]);
    expect(names(':ZE')).toEqual([['zebra']]);
    expect(names('zoo')).toEqual([['ape', 'zebra']]);
    expect(names('nothing')).toEqual([]);
  });
});

test('the list of users is asked for page by page', () => {
  expect(usersPath({ search: ' a&b ', status: 'bots', sort: 'asc', page: 2 })).toBe(
    '/api/admin/users?offset=50&limit=25&search=a%26b&status=bots&sort=asc',
  );
});

test('former names leave out the present one and come newest first', () => {
  const user = chatUser({ displayName: 'ada', previousNames: ['one', 'two', 'one', 'ada'] });
  expect(formerNames(user)).toEqual(['two', 'one']);
});

test('an act of moderation this page does not know keeps the name of the server', () => {
  expect(actionName('ip-ban')).toBe('banned an address');
  expect(actionName('something-new')).toBe('something-new');
});

test('the lines for proxies name both headers and the port of this server', () => {
  const [nginx, caddy, apache] = proxyLines(9000);
  expect(nginx?.lines).toContain('proxy_set_header Upgrade $http_upgrade;');
  expect(nginx?.lines).toContain('proxy_set_header Connection "upgrade";');
  expect(caddy?.lines).toBe('');
  expect(apache?.lines).toContain('http://127.0.0.1:9000/" upgrade=websocket');
});

test('no key is in both catalogues, where one would silently replace the other', () => {
  expect(Object.keys(enAdmin).filter((key) => key in en)).toEqual([]);
});
