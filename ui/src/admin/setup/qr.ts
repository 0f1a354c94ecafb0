/**
 * QR codes for the addresses of pages, after ISO/IEC 18004: bytes only, error correction M, up to version 10.
 *
 * An encoder of our own, because the libraries for it bring what an address never needs: other alphabets, colours,
 * pictures, canvas and file output. This is a hundred lines that never change.
 */

/** Error correction M, by version from 1: codewords in all, blocks, correction codewords in each block. */
const VERSIONS: readonly (readonly [total: number, blocks: number, correction: number])[] = [
  [26, 1, 10],
  [44, 1, 16],
  [70, 1, 26],
  [100, 2, 18],
  [134, 2, 24],
  [172, 4, 16],
  [196, 4, 18],
  [242, 4, 22],
  [292, 5, 22],
  [346, 5, 26],
];

/** Where the centres of alignment patterns are, in both directions, by version from 1. */
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];

/** From this version on a code says which version it is. */
const SAYS_VERSION = 7;

const EXP = new Uint8Array(255);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}

const at = (list: ArrayLike<number>, index: number): number => list[index] ?? 0;

/** In the field with 256 elements. */
export function multiply(left: number, right: number): number {
  return left && right ? at(EXP, (at(LOG, left) + at(LOG, right)) % 255) : 0;
}

/** The Reed-Solomon codewords that follow these. */
export function correctionOf(data: readonly number[], count: number): number[] {
  let generator = [1];
  for (let power = 0; power < count; power += 1) {
    const root = at(EXP, power);
    generator = [...generator, 0].map((term, index) => term ^ multiply(at(generator, index - 1), root));
  }
  const rest: number[] = new Array(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ at(rest, 0);
    rest.shift();
    rest.push(0);
    for (let index = 0; index < count; index += 1)
      rest[index] = at(rest, index) ^ multiply(at(generator, index + 1), factor);
  }
  return rest;
}

/** A number followed by the rest of its division by the generator, as the format and the version are written. */
function withRemainder(value: number, generator: number, bits: number): number {
  let rest = value << bits;
  for (let bit = 31 - Math.clz32(rest); bit >= bits; bit = 31 - Math.clz32(rest)) rest ^= generator << (bit - bits);
  return (value << bits) | rest;
}

/** The fifteen bits beside the corners; the level M is 00. */
export const formatBits = (mask: number): number => withRemainder(mask, 0x537, 10) ^ 0x5412;

/** The eighteen bits of large codes. */
export const versionBits = (version: number): number => withRemainder(version, 0x1f25, 12);

/** The codewords of a version in the order in which they are drawn. */
export function codewords(bytes: Uint8Array, version: number): number[] {
  const [total, blocks, correction] = VERSIONS[version - 1] ?? [0, 1, 0];
  const capacity = total - blocks * correction;
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  push(0, -bits.length & 7);
  for (let filler = 0xec; bits.length < capacity * 8; filler ^= 0xec ^ 0x11) push(filler, 8);

  const data: number[] = [];
  for (let bit = 0; bit < bits.length; bit += 8) data.push(Number.parseInt(bits.slice(bit, bit + 8).join(''), 2));
  // The last blocks are one longer, where it does not come out even.
  const short = Math.floor(capacity / blocks);
  const shortBlocks = blocks - (capacity % blocks);
  const parts = Array.from({ length: blocks }, (_, block) => {
    const from = block * short + Math.max(0, block - shortBlocks);
    return data.slice(from, from + short + (block < shortBlocks ? 0 : 1));
  });
  const interleaved = (lists: number[][]) =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, index) =>
      lists.flatMap((list) => list.slice(index, index + 1)),
    ).flat();
  return [...interleaved(parts), ...interleaved(parts.map((part) => correctionOf(part, correction)))];
}

/** Which modules a mask turns over. */
export const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Rows of dark and light; undefined where nothing is drawn yet. */
type Grid = (boolean | undefined)[][];

/** Everything that depends on the version alone; the place of the format is kept free with light modules. */
export function skeleton(version: number): Grid {
  const size = version * 4 + 17;
  const grid: Grid = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
  const put = (x: number, y: number, dark: boolean) => {
    const row = grid[y];
    if (row && x >= 0 && x < size) row[x] = dark;
  };
  /** Rings around a centre, of which those at these distances are light. */
  const target = (centreX: number, centreY: number, radius: number, light: number[]) => {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        put(centreX + dx, centreY + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  };
  for (let index = 0; index < size; index += 1) {
    put(index, 6, index % 2 === 0);
    put(6, index, index % 2 === 0);
  }
  const centres = ALIGNMENT[version - 1] ?? [];
  const last = centres.at(-1);
  for (const x of centres) {
    for (const y of centres) {
      const isAtFinder = (x === 6 && (y === 6 || y === last)) || (x === last && y === 6);
      if (!isAtFinder) target(x, y, 2, [1]);
    }
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    target(x, y, 4, [2, 4]);
  }
  drawFormat(put, size, 0);
  if (version >= SAYS_VERSION) {
    const bits = versionBits(version);
    for (let bit = 0; bit < 18; bit += 1) {
      const far = size - 11 + (bit % 3);
      const near = Math.floor(bit / 3);
      put(far, near, ((bits >> bit) & 1) === 1);
      put(near, far, ((bits >> bit) & 1) === 1);
    }
  }
  return grid;
}

function drawFormat(put: (x: number, y: number, dark: boolean) => void, size: number, bits: number): void {
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((bits >> bit) & 1) === 1;
    // Around the corner at the top left, past the timing lines.
    if (bit < 8) put(8, bit < 6 ? bit : bit + 1, dark);
    else put(bit === 8 ? 7 : 14 - bit, 8, dark);
    // And once more, half of it at each of the other two.
    if (bit < 8) put(size - 1 - bit, 8, dark);
    else put(8, size - 15 + bit, dark);
  }
  put(8, size - 8, true);
}

/** Where the bits of the codewords go, in their order: up and down in columns of two, around what is drawn. */
export function* path(grid: Grid): Generator<readonly [x: number, y: number]> {
  const size = grid.length;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (grid[y]?.[x] === undefined) yield [x, y];
    }
    isUp = !isUp;
  }
}

/** How hard a drawing is to read: long runs, blocks, what looks like a corner, and too much of one colour. */
function penalty(rows: boolean[][]): number {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true));
  let points = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (text.match(/(?=10111010000|00001011101)/g) ?? []).length;
  }
  let dark = 0;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const colour = rows[y]?.[x];
      if (colour) dark += 1;
      const isBlock = colour === rows[y]?.[x + 1] && colour === rows[y + 1]?.[x] && colour === rows[y + 1]?.[x + 1];
      if (isBlock) points += 3;
    }
  }
  return points + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}

/** The smallest version that holds as many bytes; undefined where none does. */
export function versionFor(length: number): number | undefined {
  const index = VERSIONS.findIndex(([total, blocks, correction], position) => {
    const header = position + 1 < 10 ? 12 : 20;
    return (total - blocks * correction) * 8 >= header + length * 8;
  });
  return index < 0 ? undefined : index + 1;
}

/** The code as rows, true for dark; undefined where the text is too long. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  if (!version) return undefined;
  const grid = skeleton(version);
  const size = grid.length;
  const words = codewords(bytes, version);
  const places = [...path(grid)];
  const drawings = MASKS.map((isTurned, mask) => {
    const rows = grid.map((row) => row.map((dark) => dark === true));
    places.forEach(([x, y], index) => {
      const bit = (at(words, index >> 3) >> (7 - (index & 7))) & 1;
      const row = rows[y];
      if (row) row[x] = (bit === 1) !== isTurned(x, y);
    });
    const put = (x: number, y: number, dark: boolean) => {
      const row = rows[y];
      if (row) row[x] = dark;
    };
    drawFormat(put, size, formatBits(mask));
    return { rows, points: penalty(rows) };
  });
  return drawings.reduce((best, one) => (one.points < best.points ? one : best)).rows;
}
