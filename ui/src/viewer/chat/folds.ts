/** Runs of hidden lines as one, so that a moderator sees the room and not what was taken out of it. Pure. */
import type { Line } from './lines.ts';

/** Two are no longer than what would stand for them. */
export const FEWEST_FOLDED = 3;

/** Lines that go on below a fold, with the name the fold took away; always the same one, or its row would be new. */
const headed = new WeakMap<Line, Line>();
function withHead(line: Line): Line {
  const head = headed.get(line) ?? { ...line, continues: false };
  headed.set(line, head);
  return head;
}

export interface Folded {
  /** Of a fold only its first line. */
  rows: Line[];
  /** The ids that a fold stands for, by that of its first line. */
  folds: Map<string, string[]>;
}

/** A run with a line that `isOpened` stays as it is. */
export function folded(
  lines: readonly Line[],
  isHidden: (id: string) => boolean,
  isOpened: (id: string) => boolean,
): Folded {
  const rows: Line[] = [];
  const folds = new Map<string, string[]>();
  let run: Line[] = [];
  const endRun = (): boolean => {
    const ids = run.map(({ id }) => id);
    const isFold = ids.length >= FEWEST_FOLDED && !ids.some(isOpened);
    if (isFold) folds.set(ids[0] as string, ids);
    rows.push(...(isFold ? run.slice(0, 1) : run));
    run = [];
    return isFold;
  };
  for (const line of lines) {
    if (isHidden(line.id)) run.push(line);
    else rows.push(endRun() && line.continues ? withHead(line) : line);
  }
  endRun();
  return { rows, folds };
}
