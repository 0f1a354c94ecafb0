/** From numbers over time to lines on a drawing. Knows no DOM. */

/** One unit of the drawing is one hundred and twentieth of its span. */
export const WIDTH = 120;
export const HEIGHT = 40;
/** Above and below, so that a line along the edge is not cut in half. */
const MARGIN = 1;
export const VIEW_BOX = `0 ${-MARGIN} ${WIDTH} ${HEIGHT + 2 * MARGIN}`;
/** How wide a point is drawn that has no neighbours. */
const DASH = 2;

export interface Point {
  /** Milliseconds since 1970. */
  at: number;
  value: number;
}

export interface Scale {
  /** The right end, in milliseconds since 1970. */
  to: number;
  spanMs: number;
  /** More than this without a point is a gap in the line, not a slope. */
  gapMs: number;
  /** The value at the upper edge. */
  top: number;
}

interface PlacedPoint {
  at: number;
  x: number;
  y: number;
}

export interface Drawing {
  line: string;
  area: string;
}

/** The next of 1, 2, 5, 10, 20, 50 … above the value. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

export const highestOf = (points: Point[]): number => points.reduce((most, point) => Math.max(most, point.value), 0);

export const lowestOf = (points: Point[]): number =>
  points.reduce((least, point) => Math.min(least, point.value), points[0]?.value ?? 0);

export function drawLine(points: Point[], scale: Scale): Drawing {
  const placed: PlacedPoint[] = points
    .map((point) => ({
      at: point.at,
      x: WIDTH - ((scale.to - point.at) / scale.spanMs) * WIDTH,
      y: HEIGHT * (1 - Math.min(point.value / scale.top, 1)),
    }))
    .filter((point) => point.x >= 0 && point.x <= WIDTH);

  const runs: PlacedPoint[][] = [];
  for (const point of placed) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && point.at - last.at <= scale.gapMs) run.push(point);
    else runs.push([point]);
  }
  return { line: runs.map(lineOf).join(''), area: runs.map(areaOf).join('') };
}

const spot = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A point alone has no line to be seen by: it is a dash. */
function lineOf(run: PlacedPoint[]): string {
  const [first] = run;
  if (!first) return '';
  if (run.length > 1) return `M${run.map(({ x, y }) => spot(x, y)).join('L')}`;
  const left = Math.min(Math.max(first.x - DASH / 2, 0), WIDTH - DASH);
  return `M${spot(left, first.y)}h${DASH}`;
}

function areaOf(run: PlacedPoint[]): string {
  const ends = [run[0], run.at(-1)].map((end) => `${end?.x.toFixed(1)} ${HEIGHT + MARGIN}`);
  return `M${ends[0]}L${run.map(({ x, y }) => spot(x, y)).join('L')}L${ends[1]}Z`;
}

/** At most so many of them, evenly spread, the newest always among them: enough to read as a table. */
export function thinOut<T>(entries: T[], most: number): T[] {
  if (entries.length <= most) return entries;
  const step = entries.length / most;
  return Array.from({ length: most }, (_, index) => entries[Math.ceil((index + 1) * step) - 1] as T);
}
