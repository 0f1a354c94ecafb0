import { describe, expect, test } from 'vitest';
import { configFor } from '../../src/viewer/player/hls-engine.ts';

describe('the settings of hls.js', () => {
  test('close to live it follows the server’s hold-back and catches up', () => {
    const config = configFor(true);
    expect(config).toMatchObject({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.25, enableWorker: false });
    expect(config.liveSyncDuration).toBeUndefined();
  });

  test('whoever goes back is never thrown to live by it, neither close to live nor relaxed', () => {
    const thrown = [configFor(true), configFor(false)].flatMap(Object.keys).filter((key) => /liveMaxLatency/.test(key));
    expect(thrown).toEqual([]);
  });

  test('relaxed it stays six seconds behind', () => {
    expect(configFor(false)).toMatchObject({ lowLatencyMode: false, liveSyncDuration: 6 });
  });
});
