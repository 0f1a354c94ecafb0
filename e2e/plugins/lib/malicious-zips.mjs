// Packages that lie about what is in them, or lead where they must not.
import { deflateRawSync } from 'node:zlib';
import { entriesOf } from './packages.mjs';
import { zip } from './zip.mjs';

const packed = (slug, ...more) => zip([...entriesOf({ slug }, ''), ...more]);

const EMPTY = { content: Buffer.alloc(0), packed: deflateRawSync('') };
const many = (count) => Array.from({ length: count }, (_, number) => ({ name: `public/${number}`, ...EMPTY }));

/** Zeros, packed once: sixty mebibytes of them are sixty kilobytes. */
const zeros = Buffer.alloc(65 * 1024 * 1024);
const packedZeros = new Map();
function large(name, mebibytes) {
  const content = zeros.subarray(0, mebibytes * 1024 * 1024);
  if (!packedZeros.has(mebibytes)) packedZeros.set(mebibytes, deflateRawSync(content));
  return { name, content, packed: packedZeros.get(mebibytes) };
}

/** A name, what makes the package of a slug (some are large), and what the refusal says. */
export const MALICIOUS_ZIPS = [
  ['a name that climbs out', (slug) => packed(slug, { name: '../../escaped.py', content: 'x' }), /\.\./],
  [
    'a name that climbs out from a folder',
    (slug) => packed(slug, { name: 'public/../../../escaped.py', content: 'x' }),
    /\.\./,
  ],
  ['an absolute name', (slug) => packed(slug, { name: '/etc/escaped.py', content: 'x' }), /absolute name/],
  [
    'a name with backslashes',
    (slug) => packed(slug, { name: 'public\\..\\..\\escaped.py', content: 'x' }),
    /backslash/,
  ],
  [
    'a symbolic link',
    (slug) => packed(slug, { name: 'public/a', content: '/etc/passwd', mode: 0o120777 }),
    /symbolic link/,
  ],
  [
    'a device',
    (slug) => packed(slug, { name: 'public/a', content: '', mode: 0o020666 }),
    /neither a file nor a folder/,
  ],
  ['the same name twice', (slug) => packed(slug, { name: 'plugin.py', content: 'while True: pass' }), /is there twice/],
  ['an encrypted entry', (slug) => packed(slug, { name: 'public/a', content: 'x', flags: 1 }), /encrypted/],
  [
    'a hundred thousand entries',
    (slug) => zip([...entriesOf({ slug }, ''), ...many(100_000)], { count: 100_002 % 65_536 }),
    /34466 entries, at most 2000 are allowed/,
  ],
  [
    'a hundred thousand entries that are not counted',
    (slug) => zip([...entriesOf({ slug }, ''), ...many(100_000)], { count: 2 }),
    /has more than it says/,
  ],
  [
    'a hundred thousand entries of a larger format',
    (slug) => zip([...entriesOf({ slug }, ''), ...many(100_000)], { count: 0xffff }),
    /Zip64/,
  ],
  ['a bomb in one entry', (slug) => packed(slug, large('public/a', 65)), /larger than 64 MiB/],
  [
    'a bomb in many',
    (slug) => packed(slug, ...['a', 'b', 'c', 'd', 'e'].map((name) => large(`public/${name}`, 60))),
    /256 MiB/,
  ],
  [
    'a bomb that says it is small',
    (slug) => packed(slug, { ...large('public/a', 60), unpacked: 10 }),
    /"public\/a" is larger than it says/,
  ],
  [
    'a size that is too large',
    (slug) => packed(slug, { name: 'public/a', content: 'x', unpacked: 1000 }),
    /smaller than it says/,
  ],
  ['a checksum of something else', (slug) => packed(slug, { name: 'public/a', content: 'x', checksum: 1 }), /checksum/],
  [
    'a thousand entries that share their bytes',
    (slug) => packed(slug, ...many(1000).map((entry) => ({ ...entry, offset: 0 }))),
    /has another name in its own header/,
  ],
  [
    'rubbish where an entry should be',
    (slug) => packed(slug, { name: 'public/a', packed: Buffer.alloc(50, 0xff) }),
    /unpacked/,
  ],
  ['nothing', () => Buffer.alloc(0), /empty/],
  ['no archive', () => Buffer.from('#!/bin/sh\necho hello\n'.repeat(10)), /not a ZIP/],
];
