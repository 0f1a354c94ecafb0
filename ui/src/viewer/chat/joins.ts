/** Joins as one line that grows, so that many of them take no more room than one. Pure. */
import type { Line } from './lines.ts';

/** A line of joins takes further ones for as long as nothing was said below it, and otherwise for this long. */
export const JOIN_WINDOW_MS = 60_000;
/** Lines that are looked through for it: in a quick chat it is out of sight before the minute is over. */
const LOOKED_THROUGH = 20;

/** Where the line is that `join` belongs to; -1 when it needs one of its own. */
export function openJoinsAt(lines: readonly Line[], join: Line): number {
  const last = lines.length - 1;
  if (lines[last]?.kind === 'joined') return last;
  for (let index = last; index >= 0 && index > last - LOOKED_THROUGH; index -= 1) {
    const line = lines[index];
    if (!line || join.at - line.at >= JOIN_WINDOW_MS) break;
    if (line.kind === 'joined') return index;
  }
  return -1;
}

/** The line with the other's people; the same object when they are all there already, as after a short absence. */
export function joinedBy(line: Line, join: Line): Line {
  const present = new Set([line.user?.id, ...line.others]);
  const others = [join.user?.id ?? '', ...join.others].filter((id) => !present.has(id));
  return others.length > 0 ? { ...line, others: [...line.others, ...others] } : line;
}
