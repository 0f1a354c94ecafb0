/**
 * From places in a list to the time of day, and back. The live list and the one that reaches further back have clocks
 * of their own; only the dates of what they list are the same.
 */
import type { Dated, Timeline } from '../engine.ts';

type Known = Dated & { programDateTime: number };

const isKnown = (piece: Dated): piece is Known => piece.programDateTime !== null;

/** The last piece for which that holds, or else the first one there is. */
function lastOf({ fragments }: Timeline, isBefore: (piece: Known) => boolean): Known | undefined {
  // There may be tens of thousands, and it is asked several times a second: nothing is copied.
  const isMeant = (piece: Dated): piece is Known => isKnown(piece) && isBefore(piece);
  return fragments.findLast(isMeant) ?? fragments.find(isKnown);
}

/** When that was, in milliseconds since 1970; undefined where the list has no dates. */
export function dateAt(list: Timeline, position: number): number | undefined {
  const piece = lastOf(list, ({ start }) => start <= position);
  return piece && piece.programDateTime + (position - piece.start) * 1000;
}

/** When the list begins. */
export const firstDate = (list: Timeline): number | undefined => list.fragments.find(isKnown)?.programDateTime;

/** Where in the list that is: what came next if there is nothing of that moment, the beginning if it is older. */
export function placeOf(list: Timeline, date: number): number | undefined {
  const piece = lastOf(list, ({ programDateTime }) => programDateTime <= date);
  if (!piece) return undefined;
  const into = Math.max((date - piece.programDateTime) / 1000, 0);
  // While the connection was lost there was nothing; the pieces before and after lie side by side in the list.
  const isFollowed = piece !== list.fragments.at(-1);
  const place = piece.start + (isFollowed ? Math.min(into, piece.duration) : into);
  return Math.min(place, list.edge);
}
