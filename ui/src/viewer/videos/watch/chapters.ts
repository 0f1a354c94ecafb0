/** Where chapters begin and end. Pure. */
import type { Chapter } from '../wire.ts';

/** In order, without those outside the video, and the last of several at one place. */
export function chaptersIn(chapters: readonly Chapter[], duration: number): Chapter[] {
  const inside = chapters.filter(({ at }) => at < duration).map((one) => ({ ...one, at: Math.max(one.at, 0) }));
  const sorted = inside.toSorted((one, other) => one.at - other.at);
  return sorted.filter((one, index) => one.at !== sorted[index + 1]?.at);
}

/** One that begins with the video and is all there is says nothing that its title does not. */
export const isWorthListing = (chapters: readonly Chapter[]): boolean =>
  chapters.length > 1 || chapters.some(({ at }) => at > 0);

/** The index of the one at that place; -1 before the first. */
export function chapterAt(chapters: readonly Chapter[], seconds: number): number {
  return chapters.findLastIndex(({ at }) => at <= seconds);
}
