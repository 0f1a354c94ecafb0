/** Which of the lines are in the page: a stretch of bounded length that moves with the reader. Pure. */
import type { Line, LineLog } from './lines.ts';

/** First and last line of the stretch, by `seq`. */
export interface Span {
  from: number;
  to: number;
}

/** Shown at the bottom: some screens full. */
export const ROWS_AT_END = 150;
/** Added at once when the reader comes to an end of the stretch. */
export const ROWS_PER_STEP = 60;
/** Never more rows than this in the page; the other end is taken out instead. */
export const MOST_ROWS = 240;
/** How far the start is moved to reach a line with a name. */
const HEAD_SEARCH = 30;

function spanOf(log: LineLog, start: number, end: number): Span {
  const last = Math.min(end, log.all.length) - 1;
  let first = Math.max(start, 0);
  for (let step = 0; step < HEAD_SEARCH && first > 0 && log.all[first]?.continues; step += 1) first -= 1;
  return { from: log.all[first]?.seq ?? 0, to: log.all[last]?.seq ?? 0 };
}

export function endSpan(log: LineLog): Span {
  return spanOf(log, log.all.length - ROWS_AT_END, log.all.length);
}

/** The same end with more before it. */
export function earlierSpan(log: LineLog, span: Span): Span {
  const start = log.indexFrom(span.from) - ROWS_PER_STEP;
  return spanOf(log, start, Math.min(log.indexAfter(span.to), Math.max(start, 0) + MOST_ROWS));
}

/** The same start with more after it. */
export function laterSpan(log: LineLog, span: Span): Span {
  const end = log.indexAfter(span.to) + ROWS_PER_STEP;
  return spanOf(log, Math.max(log.indexFrom(span.from), Math.min(end, log.all.length) - MOST_ROWS), end);
}

/** Around one line, to show it. */
export function spanAround(log: LineLog, seq: number): Span {
  const index = log.indexFrom(seq);
  return spanOf(log, index - ROWS_PER_STEP, index + ROWS_PER_STEP);
}

export function rowsOf(log: LineLog, span: Span): Line[] {
  return log.all.slice(log.indexFrom(span.from), log.indexAfter(span.to));
}

export function hasEarlier(log: LineLog, span: Span): boolean {
  return log.indexFrom(span.from) > 0;
}

/** How many lines are below the stretch. */
export function countLater(log: LineLog, span: Span): number {
  return log.all.length - log.indexAfter(span.to);
}
