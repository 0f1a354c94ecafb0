import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type PlaybackMeasures, REPORT_INTERVAL_MS, reportOf, startReports } from '../../src/viewer/player/reports.ts';
import { PLAYER_SESSION } from '../../src/viewer/player/session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const measured = (more: Partial<PlaybackMeasures>): PlaybackMeasures => ({ troubles: 0, qualityChanges: 0, ...more });

test('a report says what was measured, and counts since the last one', () => {
  const before = measured({ troubles: 2, qualityChanges: 1 });
  const now = measured({ troubles: 5, qualityChanges: 1, latencySeconds: 2.5, bandwidthKbps: 4200 });
  expect(reportOf(now, before)).toEqual({
    latency: 2.5,
    bandwidth: 4200,
    downloadDuration: 0,
    errors: 3,
    qualityVariantChanges: 0,
  });
});

test('a session id is made of sixteen hexadecimal digits', () => {
  expect(PLAYER_SESSION).toMatch(/^[0-9a-f]{16}$/);
});

test('what could not be sent is part of the next report, and nothing is sent when it is over', async () => {
  const bodies: { errors: number }[] = [];
  let isUp = false;
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    expect(path).toBe(`/api/metrics/playback?sid=${PLAYER_SESSION}`);
    if (!isUp) throw new TypeError('no network');
    bodies.push(JSON.parse(String(init.body)));
    return new Response('');
  });
  let troubles = 0;
  let isWatching = true;
  const reports = startReports(
    () => measured({ troubles }),
    () => isWatching,
  );
  troubles = 1;
  await vi.advanceTimersByTimeAsync(REPORT_INTERVAL_MS);
  isUp = true;
  troubles = 3;
  await vi.advanceTimersByTimeAsync(REPORT_INTERVAL_MS);
  await vi.advanceTimersByTimeAsync(REPORT_INTERVAL_MS);
  isWatching = false;
  troubles = 4;
  await vi.advanceTimersByTimeAsync(2 * REPORT_INTERVAL_MS);
  isWatching = true;
  await vi.advanceTimersByTimeAsync(REPORT_INTERVAL_MS);
  troubles = 9;
  reports.forget();
  await vi.advanceTimersByTimeAsync(REPORT_INTERVAL_MS);
  reports.stop();
  await vi.advanceTimersByTimeAsync(3 * REPORT_INTERVAL_MS);
  expect(bodies.map(({ errors }) => errors)).toEqual([3, 0, 1, 0]);
});
