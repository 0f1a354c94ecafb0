import type { JSX } from 'solid-js';

/**
 * The lines on the water: a bundle that spreads on the left and gathers on the right, like a rill seen from its bank.
 * CSS lets them drift, and stops where motion is unwanted.
 */
const WIDTH = 1000;
const HEIGHT = 220;
/** Room for the drift on both sides. */
const OVERHANG = 120;
const STEP = 40;
const LINES = 9;

function pathOf(line: number): string {
  const depth = line / (LINES - 1);
  const points: string[] = [];
  for (let x = -OVERHANG; x <= WIDTH + OVERHANG; x += STEP) {
    const along = x / WIDTH;
    const spread = 150 - 85 * along;
    const swell = (9 + 13 * depth) * (1 - 0.35 * along);
    const y = 52 + depth * spread + swell * Math.sin(along * (9 - 3 * depth) + depth * 2.2);
    points.push(`${x} ${y.toFixed(1)}`);
  }
  return smooth(points);
}

/** Through the middles of the segments, so that the polyline becomes a curve. */
function smooth(points: string[]): string {
  const pairs = points.map((point) => point.split(' ').map(Number) as [number, number]);
  let path = `M${points[0]}`;
  for (let index = 1; index < pairs.length - 1; index += 1) {
    const [x, y] = pairs[index] ?? [0, 0];
    const [nextX, nextY] = pairs[index + 1] ?? [0, 0];
    path += `Q${x} ${y} ${(x + nextX) / 2} ${((y + nextY) / 2).toFixed(1)}`;
  }
  return path;
}

const PATHS = Array.from({ length: LINES }, (_, line) => ({
  d: pathOf(line),
  opacity: (0.62 - 0.055 * line).toFixed(2),
}));

export function WaterLines(): JSX.Element {
  return (
    <svg class="water-lines" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {PATHS.map((line) => (
        <path d={line.d} opacity={line.opacity} />
      ))}
    </svg>
  );
}
