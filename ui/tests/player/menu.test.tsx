import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AUTOMATIC, type Quality } from '../../src/viewer/player/engine.ts';
import { Menu, qualityName } from '../../src/viewer/player/Menu.tsx';
import type { Playback } from '../../src/viewer/player/playback.ts';
import { speakEnglish } from '../helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const LADDER: Quality[] = [
  { id: 0, height: 480, kbps: 1000 },
  { id: 1, height: 1080, kbps: 6000 },
];

function show(qualities: Quality[]) {
  const [quality, setQuality] = createSignal(AUTOMATIC);
  const [lowLatency, setLowLatency] = createSignal(true);
  const onLowLatency = vi.fn(setLowLatency);
  const playback = {
    qualities: () => qualities,
    quality,
    shownQuality: () => 1,
    chooseQuality: setQuality,
    lowLatency,
    latency: () => 1.26,
  } as unknown as Playback;
  const onHelp = vi.fn();
  render(() => <Menu id="menu" playback={playback} onLowLatency={onLowLatency} onHelp={onHelp} />);
  return { quality, onLowLatency, onHelp };
}

test('with one quality there is nothing to choose', () => {
  show([{ id: 0, height: 1080, kbps: 6000 }]);
  expect(screen.getByText('Source')).toBeTruthy();
  expect(screen.queryAllByRole('radio')).toHaveLength(0);
});

test('with several the best is listed first and a choice is taken', () => {
  const { quality } = show(LADDER);
  const names = screen.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent);
  expect(names).toEqual(['Automatic (1080p)', '1080p', '480p']);
  fireEvent.click(screen.getByLabelText('480p'));
  expect(quality()).toBe(0);
  // What is chosen needs no second name.
  fireEvent.click(screen.getByLabelText('Automatic'));
  expect(quality()).toBe(AUTOMATIC);
});

test('the latency can be traded for calm, and is told', () => {
  const { onLowLatency } = show(LADDER);
  expect(screen.getByText('1.3s')).toBeTruthy();
  fireEvent.click(screen.getByLabelText('Minimise latency'));
  expect(onLowLatency).toHaveBeenCalledExactlyOnceWith(false);
});

test('leads to the keys', () => {
  const { onHelp } = show(LADDER);
  fireEvent.click(screen.getByText('Keyboard shortcuts'));
  expect(onHelp).toHaveBeenCalledTimes(1);
});

test('two qualities of one height are told apart by their bitrate', () => {
  const twins: Quality[] = [
    { id: 0, height: 720, kbps: 2500 },
    { id: 1, height: 720, kbps: 4000 },
  ];
  expect(twins.map((one) => qualityName(one, twins))).toEqual(['720p, 2,500 kbit/s', '720p, 4,000 kbit/s']);
});

test('the operator’s names come before those made of sizes', () => {
  show([{ id: 0, height: 480, kbps: 1000, name: 'On the train' }, ...LADDER.slice(1)]);
  const names = screen.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent);
  expect(names).toEqual(['Automatic (1080p)', '1080p', 'On the train']);
});
