import { describe, expect, test } from 'vitest';
import { complete, insertEmoji, MOST_CHOICES, matching, tokenAt } from '../../src/viewer/chat/completion.ts';
import { chatDocument, roomLeft } from '../../src/viewer/chat/counter.ts';
import { packsOf, picksOf, search, unicodeGroups } from '../../src/viewer/chat/emoji/groups.ts';
import { MOST_RECENT, recentEmoji, rememberEmoji } from '../../src/viewer/chat/emoji/recent.ts';
import * as arabic from '../../src/viewer/chat/emoji/unicode.ar.ts';
import * as german from '../../src/viewer/chat/emoji/unicode.de.ts';
import * as english from '../../src/viewer/chat/emoji/unicode.en.ts';
import * as spanish from '../../src/viewer/chat/emoji/unicode.es.ts';
import * as french from '../../src/viewer/chat/emoji/unicode.fr.ts';
import { isRoomOpen, obstacleOf } from '../../src/viewer/chat/rules.ts';
import { siteAddress } from '../../src/viewer/chat/SignInDialog.tsx';
import type { Status } from '../../src/wire.ts';
import { chatConfig, me } from './fakes.ts';

describe('what can be completed', () => {
  test.each([
    [':wa', 'emoji', 'wa', 0],
    ['hello :wave', 'emoji', 'wave', 6],
    ['(:wa', 'emoji', 'wa', 1],
    ['@', 'person', '', 0],
    ['hi @bro', 'person', 'bro', 3],
    ['hi\n@bro', 'person', 'bro', 3],
  ])('%j ends with a %s', (text, kind, query, start) => {
    expect(tokenAt(text, text.length)).toEqual({ kind, query, start });
  });

  test.each([
    '',
    'hello',
    ':)',
    ':',
    'a:b',
    'http://x',
    '12:30',
    'mail@host',
    ':wave:',
    `@${'x'.repeat(31)}`,
    'hi @bro ',
  ])('%j does not', (text) => {
    expect(tokenAt(text, text.length)).toBeUndefined();
  });

  test('only what is before the caret counts', () => {
    expect(tokenAt('@bro and more', 4)).toEqual({ kind: 'person', query: 'bro', start: 0 });
  });

  test('names that start with it come before those that contain it', () => {
    expect(matching(['brave', 'cobra', 'bro', 'dew'], 'BR', (name) => name)).toEqual(['brave', 'bro', 'cobra']);
  });

  test('the list has an end', () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    expect(matching(names, 'n', (name) => name)).toHaveLength(MOST_CHOICES);
  });
});

describe('completing', () => {
  test.each([
    ['hi @bro', 7, 'brook', 'hi @brook ', 10],
    ['hi @bro there', 7, 'brook', 'hi @brook there', 10],
    ['see :wa', 7, 'wave', 'see :wave: ', 11],
  ])('%j at %i becomes what was meant', (text, caret, name, result, end) => {
    const token = tokenAt(text, caret);
    expect(token && complete(text, caret, token, name)).toEqual({ text: result, caret: end });
  });

  test('a character stands where it was put', () => {
    expect(insertEmoji('hello', 5, 5, '👋')).toEqual({ text: 'hello👋', caret: 7 });
    expect(insertEmoji('one two', 0, 3, '👋')).toEqual({ text: '👋 two', caret: 2 });
  });

  test('a picked emoji stands apart from the words', () => {
    expect(insertEmoji('hello', 5, 5, ':wave:')).toEqual({ text: 'hello :wave: ', caret: 13 });
    expect(insertEmoji('', 0, 0, ':wave:')).toEqual({ text: ':wave: ', caret: 7 });
    expect(insertEmoji('one two', 3, 3, ':wave:')).toEqual({ text: 'one :wave: two', caret: 11 });
  });
});

describe('the counter', () => {
  const limits = { chars: 500, bytes: 2048 };

  test('counts what people call characters, not halves of them', () => {
    expect(roomLeft('🌊'.repeat(10), undefined, limits).left).toBe(490);
    expect(roomLeft('👩‍👩‍👧‍👦🇩🇪e\u0301', undefined, limits).left).toBe(497);
  });

  test('appears near the limit and says when it is too much', () => {
    expect(roomLeft('x'.repeat(449), undefined, limits)).toMatchObject({ left: 51, isNear: false, isOver: false });
    expect(roomLeft('x'.repeat(450), undefined, limits)).toMatchObject({ left: 50, isNear: true, isOver: false });
    expect(roomLeft('x'.repeat(500), undefined, limits)).toMatchObject({ left: 0, isOver: false });
    expect(roomLeft('x'.repeat(501), undefined, limits)).toMatchObject({ left: -1, isOver: true });
  });

  test('knows the size of the frame too', () => {
    // 500 characters of four bytes fit; the quotes around them and an answered id do not.
    expect(roomLeft('🌊'.repeat(500), undefined, limits).isOver).toBe(false);
    expect(roomLeft('🌊'.repeat(500), 'x'.repeat(30), limits).isOver).toBe(true);
    expect(roomLeft('"'.repeat(499), undefined, { chars: 500, bytes: 600 }).isOver).toBe(true);
  });

  test('spaces around the text are not sent and not counted', () => {
    expect(roomLeft(`  x${' '.repeat(600)}`, undefined, limits).left).toBe(499);
  });

  test('a reply carries the id it answers', () => {
    expect(chatDocument('x')).toEqual({ type: 'CHAT', body: 'x' });
    expect(chatDocument('x', 'id')).toEqual({ type: 'CHAT', body: 'x', inReplyTo: 'id' });
  });
});

describe('what the emoji picker offers', () => {
  const emoji = [
    { name: 'wave', url: '/1' },
    { name: 'party', url: '/2', pack: 'fun' },
    { name: 'Waveform', url: '/3', pack: 'fun' },
  ];
  const names = (query: string, groups = packsOf(emoji)) => search(groups, query).map(({ name }) => name);

  test('pictures by pack, those of no pack first', () => {
    expect(packsOf(emoji).map(({ title, picks }) => [title, picks.map(({ text }) => text)])).toEqual([
      ['', [':wave:']],
      ['fun', [':party:', ':Waveform:']],
    ]);
  });

  test('is found by part of the name, with or without colons', () => {
    expect(names(':WAVE:')).toEqual(['wave', 'Waveform']);
    expect(names('orm')).toEqual(['Waveform']);
    expect(names('zzz')).toEqual([]);
  });

  test('names that begin with what is looked for come before other names, and those before other words', () => {
    const groups = unicodeGroups([['Group', '🌊 water wave|ocean;👋 waving hand|wave;🔱 wave of three']]);
    expect(names('wave', groups)).toEqual(['wave of three', 'water wave', 'waving hand']);
    expect(names('water ocean', groups)).toEqual(['water wave']);
    expect(names('👋', groups)).toEqual(['waving hand']);
  });

  test.each([
    ['English', english, 'party popper', 'tada'],
    ['German', german, 'Konfettibombe', 'konfetti'],
    ['French', french, 'cotillons', 'cotillons'],
    ['Spanish', spanish, 'cañón de confeti', 'confeti'],
    ['Arabic', arabic, 'فرقعة حفلة', 'حفلة'],
  ])('%s has names for all of Unicode’s groups', (_language, file, name, word) => {
    const groups = unicodeGroups(file.groups);
    const picks = groups.flatMap((group) => group.picks);
    expect(groups).toHaveLength(9);
    expect(picks.length).toBeGreaterThan(1800);
    const isOne = (text: string) => /^\p{Emoji}[^\p{Letter}\s]*$/u.test(text);
    expect(picks.filter(({ text, name }) => !isOne(text) || !name)).toEqual([]);
    expect(new Set(picks.map(({ text }) => text)).size).toBe(picks.length);
    expect(search(groups, word).find(({ text }) => text === '🎉')?.name).toBe(name);
  });

  test('what was used lately comes first once, and is only so much', () => {
    localStorage.clear();
    for (const one of [':wave:', '👋', ':gone:', ':wave:']) rememberEmoji(one);
    expect(recentEmoji()).toEqual([':wave:', ':gone:', '👋']);
    const groups = [...packsOf(emoji), ...unicodeGroups([['Group', '👋 waving hand']])];
    expect(picksOf(recentEmoji(), groups).map(({ name }) => name)).toEqual(['wave', 'waving hand']);
    for (let number = 0; number < 2 * MOST_RECENT; number += 1) rememberEmoji(`:e${number}:`);
    expect(recentEmoji()).toHaveLength(MOST_RECENT);
    expect(recentEmoji()[0]).toBe(`:e${2 * MOST_RECENT - 1}:`);
  });

  test.each(['{', '"text"', '[1, {}]', 'null'])('storage that says %s means that nothing was used', (kept) => {
    localStorage.setItem('rillcast.chat.emoji.recent', kept);
    expect(recentEmoji()).toEqual([]);
  });
});

describe('when one can write', () => {
  const offline: Status = {
    serverTime: '2026-01-02T12:00:00Z',
    lastConnectTime: null,
    lastDisconnectTime: '2026-01-02T12:00:00Z',
    versionNumber: '0.3.0',
    streamTitle: '',
    online: false,
    streamState: 'offline',
  };

  test.each([
    ['2026-01-02T12:04:59Z', true],
    ['2026-01-02T12:05:01Z', false],
  ])('the room of an ended stream at %s is open: %s', (now, open) => {
    expect(isRoomOpen(chatConfig, offline, now)).toBe(open);
  });

  test.each([
    ['live', { ...offline, online: true, streamState: 'live' as const }],
    ['interrupted', { ...offline, streamState: 'waiting' as const }],
    ['never on', { ...offline, lastDisconnectTime: null }],
  ])('the room of a stream that is %s is open', (_what, status) => {
    expect(isRoomOpen(chatConfig, status, '2026-01-03T12:00:00Z')).toBe(true);
  });

  test('the room is closed until the server is set up, whatever is on', () => {
    const config = { ...chatConfig, chatAwaitsSetup: true, chatOpenWhenOffline: 'always' as const };
    const live = { ...offline, online: true, streamState: 'live' as const };
    expect(isRoomOpen(config, live, '2026-01-02T12:00:00Z')).toBe(false);
  });

  test('the operator can keep it open', () => {
    const config = { ...chatConfig, chatOpenWhenOffline: 'always' as const };
    expect(isRoomOpen(config, offline, '2027-01-01T00:00:00Z')).toBe(true);
  });

  const fine = { isOpen: true, config: chatConfig, state: 'open' as const, reason: undefined, me };
  const strict = { ...chatConfig, chatRequireAuthentication: true };
  test.each([
    ['nothing', {}, undefined],
    ['nothing over events', { state: 'fallback' as const }, undefined],
    ['the time', { isOpen: false }, 'closed'],
    ['the operator', { state: 'disabled' as const, reason: 'off' as const }, 'off'],
    ['a moderator', { state: 'disabled' as const, reason: 'removed' as const }, 'removed'],
    ['the network', { state: 'lost' as const }, 'lost'],
    ['a setup that is not done', { isOpen: false, config: { ...chatConfig, chatAwaitsSetup: true } }, 'setup'],
    ['a missing sign-in', { config: strict }, 'sign-in'],
    ['nothing after the sign-in', { config: strict, me: { ...me, authenticated: true } }, undefined],
    ['nothing for moderators', { config: strict, me: { ...me, scopes: ['MODERATOR'] } }, undefined],
  ])('%s is in the way', (_what, change, obstacle) => {
    expect(obstacleOf({ ...fine, ...change })).toBe(obstacle);
  });
});

describe('the address of one’s site', () => {
  test.each([
    ['you.example', 'https://you.example/'],
    [' https://you.example/me ', 'https://you.example/me'],
    ['http://you.example', undefined],
    ['javascript://you.example/%0aalert(1)', undefined],
    ['you', undefined],
    ['', undefined],
  ])('%j is %s', (typed, address) => {
    expect(siteAddress(typed)).toBe(address);
  });
});
