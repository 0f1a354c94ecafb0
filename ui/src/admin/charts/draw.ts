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

/** Where on the drawing the lines are; beside it there is room for the labels of the axes. */
export interface PlotArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

const WHOLE: PlotArea = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

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

export const placeTime = (at: number, scale: Scale, plot: PlotArea): number =>
  plot.x + plot.width - ((scale.to - at) / scale.spanMs) * plot.width;

export const placeValue = (value: number, scale: Scale, plot: PlotArea): number =>
  plot.y + plot.height * (1 - Math.min(value / scale.top, 1));

export function drawLine(points: Point[], scale: Scale, plot: PlotArea = WHOLE): Drawing {
  const placed: PlacedPoint[] = points
    .map(({ at, value }) => ({ at, x: placeTime(at, scale, plot), y: placeValue(value, scale, plot) }))
    .filter((point) => point.x >= plot.x && point.x <= plot.x + plot.width);

  const runs: PlacedPoint[][] = [];
  for (const point of placed) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && point.at - last.at <= scale.gapMs) run.push(point);
    else runs.push([point]);
  }
  const bottom = plot.y + plot.height + (plot === WHOLE ? MARGIN : 0);
  return {
    line: runs.map((run) => lineOf(run, plot)).join(''),
    area: runs.map((run) => areaOf(run, bottom)).join(''),
  };
}

const spot = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** A point alone has no line to be seen by: it is a dash. */
function lineOf(run: PlacedPoint[], plot: PlotArea): string {
  const [first] = run;
  if (!first) return '';
  if (run.length > 1) return `M${run.map(({ x, y }) => spot(x, y)).join('L')}`;
  const left = Math.min(Math.max(first.x - DASH / 2, plot.x), plot.x + plot.width - DASH);
  return `M${spot(left, first.y)}h${DASH}`;
}

function areaOf(run: PlacedPoint[], bottom: number): string {
  const ends = [run[0], run.at(-1)].map((end) => `${end?.x.toFixed(1)} ${bottom}`);
  return `M${ends[0]}L${run.map(({ x, y }) => spot(x, y)).join('L')}L${ends[1]}Z`;
}

/** At most so many of them, evenly spread, the newest always among them: enough to read as a table. */
export function thinOut<T>(entries: T[], most: number): T[] {
  if (entries.length <= most) return entries;
  const step = entries.length / most;
  return Array.from({ length: most }, (_, index) => entries[Math.ceil((index + 1) * step) - 1] as T);
}
