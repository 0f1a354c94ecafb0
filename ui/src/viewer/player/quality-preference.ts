/** The quality that somebody has chosen here before. Its place in the list is no use: the next stream has another list. */
import { readPreference, writePreference } from '../../storage.ts';
import type { Quality } from './engine.ts';

const PREFERENCE = 'quality';

/** Undefined: whatever the connection can carry. */
export function preferQuality(quality: Quality | undefined): void {
  writePreference(PREFERENCE, quality ? `${quality.height}:${quality.kbps}` : null);
}

/** The one of that height; where there are several, the one whose bitrate is nearest. */
export function preferredAmong(qualities: Quality[]): Quality | undefined {
  const [height, kbps] = (readPreference(PREFERENCE) ?? '').split(':').map(Number);
  if (qualities.length < 2 || height === undefined || kbps === undefined) return undefined;
  const distance = (quality: Quality) => Math.abs(quality.kbps - kbps);
  return qualities.filter((one) => one.height === height).toSorted((one, other) => distance(one) - distance(other))[0];
}
