import { describe, expect, test } from 'vitest';
import { configFor } from '../../src/viewer/player/hls-engine.ts';

describe('the settings of hls.js', () => {
  test('close to live it follows the server’s hold-back and catches up', () => {
    const config = configFor(true);
    expect(config).toMatchObject({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.25, enableWorker: false });
    expect(config.liveSyncDuration).toBeUndefined();
  });

  test('relaxed it stays six seconds behind', () => {
    expect(configFor(false)).toMatchObject({ lowLatencyMode: false, liveSyncDuration: 6 });
  });
});
