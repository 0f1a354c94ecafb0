import { describe, expect, test } from 'vitest';
import {
  codewords,
  correctionOf,
  formatBits,
  MASKS,
  multiply,
  path,
  qrCode,
  skeleton,
  versionBits,
  versionFor,
} from '../src/admin/setup/qr.ts';

/** What a reader does: finds the mask, takes the bits along the way, puts the blocks together and checks them. */
function read(rows: boolean[][]): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const isDark = (x: number, y: number) => rows[y]?.[x] === true;
  // The copy beside the upper right and lower left corners, from the most significant bit.
  const places = [
    ...Array.from({ length: 7 }, (_, index) => [8, size - 1 - index]),
    ...Array.from({ length: 8 }, (_, index) => [size - 8 + index, 8]),
  ] as [number, number][];
  const format = places.reduce((bits, [x, y]) => bits * 2 + Number(isDark(x, y)), 0);
  const mask = MASKS.findIndex((_, index) => formatBits(index) === format);
  expect(mask).toBeGreaterThanOrEqual(0);
  const bits = [...path(skeleton(version))].map(([x, y]) => isDark(x, y) !== MASKS[mask]?.(x, y));
  const words: number[] = [];
  for (let bit = 0; bit + 8 <= bits.length; bit += 8) {
    words.push(bits.slice(bit, bit + 8).reduce((word, dark) => word * 2 + Number(dark), 0));
  }
  // Versions 1 to 4 are enough here; only the last has two blocks.
  const [blocks, correction] = { 1: [1, 10], 2: [1, 16], 3: [1, 26], 4: [2, 18] }[version] as [number, number];
  const parts = Array.from({ length: blocks }, (_, block) => words.filter((_word, index) => index % blocks === block));
  for (const part of parts) {
    for (let power = 0, root = 1; power < correction; power += 1, root = multiply(root, 2)) {
      expect(part.reduce((sum, word) => multiply(sum, root) ^ word, 0)).toBe(0);
    }
  }
  const data = parts.flatMap((part) => part.slice(0, -correction));
  const text = data.map((word) => word.toString(2).padStart(8, '0')).join('');
  expect(text.slice(0, 4)).toBe('0100');
  const length = Number.parseInt(text.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, index) => Number.parseInt(text.slice(12 + index * 8, 20 + index * 8), 2));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

describe('a QR code', () => {
  test('has the correction codewords of the worked example in the field’s textbooks', () => {
    const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
    expect(correctionOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
  });

  test('writes format and version as the standard’s tables have them', () => {
    const formats = Array.from({ length: 8 }, (_, mask) => formatBits(mask).toString(2).padStart(15, '0'));
    expect(formats).toEqual([
      '101010000010010',
      '101000100100101',
      '101111001111100',
      '101101101001011',
      '100010111111001',
      '100000011001110',
      '100111110010111',
      '100101010100000',
    ]);
    expect(versionBits(7)).toBe(0x07c94);
    expect(versionBits(10)).toBe(0x0a4d3);
  });

  test.each([
    ['https://a.example/', 2],
    ['x', 1],
    ['https://live.example.org:8443/', 3],
    ['https://live.example.org/größe/a-rather-long-path/and-more', 4],
  ])('of %s can be read again', (text, version) => {
    const rows = qrCode(text) ?? [];
    expect(rows).toHaveLength(version * 4 + 17);
    expect(read(rows)).toBe(text);
  });

  test('has its three corners, its timing and the module that is always dark', () => {
    const rows = qrCode('https://live.example.org/') ?? [];
    const finder = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'];
    const size = rows.length;
    for (const [x, y] of [
      [0, 0],
      [size - 7, 0],
      [0, size - 7],
    ] as const) {
      const drawn = rows.slice(y, y + 7).map((row) =>
        row
          .slice(x, x + 7)
          .map(Number)
          .join(''),
      );
      expect(drawn).toEqual(finder);
    }
    expect(
      rows[6]
        ?.slice(8, size - 8)
        .map(Number)
        .join(''),
    ).toMatch(/^(10)*1$/);
    expect(rows[size - 8]?.[8]).toBe(true);
  });

  test.each([
    [1, 14, 15],
    [6, 106, 107],
    [9, 180, 181],
  ])('of version %i holds what the standard says', (version, most, tooMany) => {
    expect(versionFor(most)).toBe(version);
    expect(versionFor(tooMany)).toBe(version + 1);
  });

  test('has as many codewords as its version has room for', () => {
    for (const [version, total] of [
      [5, 134],
      [7, 196],
      [10, 346],
    ] as const) {
      expect(codewords(new Uint8Array(20), version)).toHaveLength(total);
      expect([...path(skeleton(version))].length >> 3).toBe(total);
    }
  });

  test('is not drawn for a text that is too long', () => {
    expect(qrCode('x'.repeat(213))).toHaveLength(57);
    expect(qrCode('x'.repeat(214))).toBeUndefined();
  });
});
