// Writes ZIP archives, honest ones and others: every field of an entry and of the end record can be made to lie.
import { crc32, deflateRawSync } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const PLAIN_FILE = 0o100644;
const DEFLATED = 8;
/** Made on Unix, so that the mode counts. */
const MADE_BY = 0x0314;

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string | Buffer} content
 * @property {Buffer} [packed] instead of what the content deflates to
 * @property {number} [unpacked] the size it claims to have
 * @property {number} [checksum]
 * @property {number} [mode]
 * @property {number} [flags]
 * @property {number} [offset] of the local header, for entries that share one
 */

/** @param {Entry} entry */
function parts(entry, at) {
  const content = Buffer.isBuffer(entry.content) ? entry.content : Buffer.from(entry.content ?? '');
  const packed = entry.packed ?? deflateRawSync(content);
  const name = Buffer.from(entry.name);
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(entry.flags ?? FLAGS, 2);
  facts.writeUInt16LE(DEFLATED, 4);
  facts.writeUInt32LE(entry.checksum ?? crc32(content), 10);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(entry.unpacked ?? content.length, 18);
  facts.writeUInt16LE(name.length, 22);

  const local = Buffer.concat([word(LOCAL), facts, name, packed]);
  const more = Buffer.alloc(14);
  more.writeUInt32LE(((entry.mode ?? PLAIN_FILE) << 16) >>> 0, 6);
  more.writeUInt32LE(entry.offset ?? at, 10);
  const central = Buffer.concat([word(CENTRAL), half(MADE_BY), facts, more, name]);
  return { local: entry.offset === undefined ? local : Buffer.alloc(0), central };
}

function word(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function half(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

/**
 * @param {Entry[]} entries
 * @param {{count?: number}} [claims] how many entries the end record speaks of
 */
export function zip(entries, { count = entries.length } = {}) {
  const bodies = [];
  const table = [];
  let at = 0;
  for (const entry of entries) {
    const { local, central } = parts(entry, at);
    bodies.push(local);
    table.push(central);
    at += local.length;
  }
  const directory = Buffer.concat(table);
  const numbers = [half(0), half(0), half(count), half(count), word(directory.length), word(at), half(0)];
  return Buffer.concat([...bodies, directory, word(END), ...numbers]);
}
