/** The decisions of the player that need no player. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { embedOptions } from '../../src/viewer/Embed.tsx';
import { engineKind } from '../../src/viewer/player/engine.ts';
import { type KeyAction, keyAction, listenForKeys } from '../../src/viewer/player/keys.ts';
import { createRecovery } from '../../src/viewer/player/recovery.ts';
import { type PlayerFacts, type PlayerState, stateOf } from '../../src/viewer/player/state.ts';

describe('what the player shows', () => {
  const playing: PlayerFacts = { phase: 'running', paused: false, stalled: false, needsPress: false, stream: 'live' };
  test.each<[string, Partial<PlayerFacts>, PlayerState]>([
    ['pictures that move', {}, 'playing'],
    ['a pause', { paused: true }, 'paused'],
    ['nothing left to play', { stalled: true }, 'buffering'],
    ['no picture yet', { phase: 'starting', paused: true }, 'starting'],
    ['no picture because nobody pressed play', { phase: 'starting', paused: true, needsPress: true }, 'paused'],
    ['a publisher that dropped, with something left to play', { stream: 'waiting' }, 'playing'],
    ['a publisher that dropped, at the last frame', { stream: 'waiting', stalled: true }, 'waiting'],
    ['a publisher that dropped before the first frame', { stream: 'waiting', phase: 'starting' }, 'waiting'],
    ['the end', { phase: 'ended', paused: true, stream: 'offline' }, 'ended'],
    ['many tries in vain', { phase: 'failed', stalled: true }, 'error'],
    ['a codec that the browser does not know', { phase: 'unplayable', paused: true }, 'unplayable'],
  ])('%s', (_name, change, state) => {
    expect(stateOf({ ...playing, ...change })).toBe(state);
  });
});

describe('recovery', () => {
  const recoveryAt = (clock: { now: number }) =>
    createRecovery(
      () => clock.now,
      () => 1,
    );

  test('asks again for the playlists, later each time, and in the end starts from nothing', () => {
    const recovery = recoveryAt({ now: 0 });
    const remedies = Array.from({ length: 6 }, () => recovery.next('network'));
    expect(remedies.map((remedy) => remedy.action)).toEqual([
      'reload',
      'reload',
      'reload',
      'recreate',
      'recreate',
      'recreate',
    ]);
    expect(remedies.map((remedy) => remedy.afterMs)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(remedies.map((remedy) => remedy.worthTelling)).toEqual([false, false, false, true, true, true]);
  });

  test('says within seconds that a codec is not known, and goes on looking for another', () => {
    const recovery = recoveryAt({ now: 0 });
    const remedies = Array.from({ length: 4 }, () => recovery.next('codec'));
    expect(remedies.map(({ action }) => action)).toEqual(['recreate', 'recreate', 'recreate', 'recreate']);
    expect(remedies.map(({ worthTelling }) => worthTelling)).toEqual([false, false, true, true]);
  });

  test('forgets the failures once pictures move again', () => {
    const recovery = recoveryAt({ now: 0 });
    for (let count = 0; count < 5; count += 1) recovery.next('network');
    recovery.healthy();
    expect(recovery.next('network')).toEqual({ action: 'reload', afterMs: 1_000, worthTelling: false });
  });

  test('mends broken buffers at once, but not twice in a row', () => {
    const clock = { now: 0 };
    const recovery = recoveryAt(clock);
    expect(recovery.next('media')).toMatchObject({ action: 'mend', afterMs: 0 });
    clock.now = 2_000;
    expect(recovery.next('media').action).toBe('recreate');
    clock.now = 30_000;
    expect(recovery.next('media').action).toBe('mend');
  });

  test('does not send all viewers back in the same instant', () => {
    const early = createRecovery(
      () => 0,
      () => 0,
    );
    expect(early.next('network').afterMs).toBe(750);
  });
});

describe('the choice of the engine', () => {
  const plays = { canPlayType: () => 'maybe' as const };
  const doesNot = { canPlayType: () => '' as const };
  test.each([
    ['Chromium, which says maybe to HLS', { MediaSource: 1 }, plays, 'hls.js'],
    ['Firefox', { MediaSource: 1 }, doesNot, 'hls.js'],
    ['Safari', { MediaSource: 1, WebKitPlaybackTargetAvailabilityEvent: 1 }, plays, 'native'],
    ['an iPhone without media source', {}, plays, 'native'],
    ['a browser with the managed one only', { ManagedMediaSource: 1 }, doesNot, 'hls.js'],
    ['a browser that can do nothing', {}, doesNot, 'none'],
  ])('%s', (_name, scope, video, kind) => {
    expect(engineKind(scope, video)).toBe(kind);
  });
});

describe('keys', () => {
  let stop = () => {};
  afterEach(() => {
    stop();
    document.body.innerHTML = '';
  });

  function press(key: string, html = '<p tabindex="0" id="target"></p>', more: KeyboardEventInit = {}) {
    const acted = vi.fn<(action: KeyAction) => void>();
    stop = listenForKeys(acted);
    document.body.innerHTML = html;
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, composed: true, ...more });
    document.getElementById('target')?.dispatchEvent(event);
    return { acted, event };
  }

  test.each([
    [' ', 'play'],
    ['m', 'mute'],
    ['M', 'mute'],
    ['f', 'fullscreen'],
    ['0', 'louder'],
    ['9', 'quieter'],
    ['k', 'play'],
    ['j', 'back'],
    ['l', 'forward'],
    ['ArrowLeft', 'step-back'],
    ['ArrowRight', 'step-forward'],
    ['i', 'pip'],
    ['t', 'theatre'],
    ['?', 'help'],
  ])('%j means %s', (key, action) => {
    const { acted, event } = press(key);
    expect(acted).toHaveBeenCalledExactlyOnceWith(action);
    expect(event.defaultPrevented).toBe(true);
  });

  test.each([
    ['a text field', 'm', '<input id="target">'],
    ['a text area', ' ', '<textarea id="target"></textarea>'],
    ['a list', '9', '<select id="target"></select>'],
    ['an open dialog', 'f', '<dialog open><p id="target"></p></dialog>'],
    ['a button, which the space bar presses', ' ', '<button id="target"></button>'],
    ['a link', ' ', '<a id="target" href="/"></a>'],
    ['a tab', 'ArrowRight', '<button role="tab" id="target"></button>'],
    ['a choice', 'ArrowLeft', '<input type="radio" id="target">'],
    ['the page, which the arrows move', 'ArrowDown', '<p tabindex="0" id="target"></p>'],
  ])('stay what they are in %s', (_name, key, html) => {
    const { acted, event } = press(key, html);
    expect(acted).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
  });

  test('in the player the other arrows change the volume', () => {
    const html = '<section id="player"><p tabindex="0" id="target"></p></section>';
    expect(press('ArrowUp', html).acted).toHaveBeenCalledExactlyOnceWith('louder');
    stop();
    expect(press('ArrowDown', html).acted).toHaveBeenCalledExactlyOnceWith('quieter');
  });

  test('stay what they are with Ctrl or Cmd', () => {
    expect(press('f', undefined, { ctrlKey: true }).acted).not.toHaveBeenCalled();
    expect(press('m', undefined, { metaKey: true }).acted).not.toHaveBeenCalled();
  });

  test('held down, only the volume goes on changing', () => {
    expect(keyAction(new KeyboardEvent('keydown', { key: '9', repeat: true }))).toBe('quieter');
    expect(press(' ', undefined, { repeat: true }).acted).not.toHaveBeenCalled();
  });
});

describe('the address of a frame', () => {
  test.each([
    ['', { autoplay: undefined, startMuted: false }],
    ['?initiallyMuted=true', { autoplay: undefined, startMuted: true }],
    ['?autoplay=off', { autoplay: 'off', startMuted: false }],
    ['?autoplay=sound-only&initiallyMuted=false', { autoplay: 'sound-only', startMuted: false }],
    ['?autoplay=nonsense', { autoplay: undefined, startMuted: false }],
  ])('%j', (search, options) => {
    expect(embedOptions(search)).toEqual(options);
  });
});
