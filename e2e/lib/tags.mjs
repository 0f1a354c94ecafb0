// A publisher that sends the tags of a file exactly as they are: forms that ffmpeg does not write, and words that it does
// not say. Only as much RTMP as that takes.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterwards } from './cleanup.mjs';
import { eventually } from './eventually.mjs';
import { publishUrl } from './publisher.mjs';

const HANDSHAKE_BYTES = 1536;
/** Larger than any message of the clips, so that each is one chunk. */
const CHUNK_BYTES = 65_536;
const COMMAND = 20;
const FLV_HEAD_BYTES = 13;
const TAG_HEAD_BYTES = 11;

const bytes = (...values) => Buffer.from(values);
const name = (value) => Buffer.concat([bytes(value.length >> 8, value.length & 0xff), Buffer.from(value)]);
const text = (value) => Buffer.concat([bytes(2), name(value)]);
const NULL = bytes(5);

function number(value) {
  const out = Buffer.alloc(9);
  out.writeDoubleBE(value, 1);
  return out;
}

function object(entries) {
  const fields = Object.entries(entries).flatMap(([key, value]) => [name(key), value]);
  return Buffer.concat([bytes(3), ...fields, bytes(0, 0, 9)]);
}

function message(chunkStream, kind, timestamp, stream, payload) {
  const head = Buffer.alloc(12);
  head.writeUInt8(chunkStream, 0);
  head.writeUIntBE(timestamp, 1, 3);
  head.writeUIntBE(payload.length, 4, 3);
  head.writeUInt8(kind, 7);
  head.writeUInt32LE(stream, 8);
  return Buffer.concat([head, payload]);
}

const command = (stream, ...values) => message(3, COMMAND, 0, stream, Buffer.concat(values));

/** The tags of an FLV file: `[{ kind, timestamp, body }]`. */
export async function tagsOf(file) {
  const data = await readFile(file);
  const tags = [];
  for (let at = FLV_HEAD_BYTES; at + TAG_HEAD_BYTES <= data.length; ) {
    const size = data.readUIntBE(at + 1, 3);
    const timestamp = data.readUIntBE(at + 4, 3);
    const body = data.subarray(at + TAG_HEAD_BYTES, at + TAG_HEAD_BYTES + size);
    tags.push({ kind: data[at], timestamp, body });
    at += TAG_HEAD_BYTES + size + 4;
  }
  return tags;
}

/**
 * Connects to `server` and publishes, until test `t` has ended. `capabilities` is the `capsEx` of Enhanced RTMP.
 * `said` is everything the server said; its messages are short enough to be whole in it.
 */
export async function tagPublisherFor(t, server, { capabilities } = {}) {
  const url = new URL(publishUrl(server));
  const [, application, key] = url.pathname.split('/');
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  afterwards(t, () => socket.destroy());
  let said = '';
  let isClosed = false;
  socket.setEncoding('latin1').on('data', (chunk) => {
    said += chunk;
  });
  // A server that ends may reset what it does not read any more.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  socket.write(Buffer.concat([bytes(3), Buffer.alloc(HANDSHAKE_BYTES)]));
  await eventually(() => said.length >= 1 + 2 * HANDSHAKE_BYTES);
  const hello = { app: text(application), tcUrl: text(url.href) };
  if (capabilities !== undefined) hello.capsEx = number(capabilities);
  socket.write(
    Buffer.concat([
      Buffer.from(said.slice(1, 1 + HANDSHAKE_BYTES), 'latin1'),
      message(2, 1, 0, 0, bytes(0, CHUNK_BYTES >> 16, (CHUNK_BYTES >> 8) & 0xff, CHUNK_BYTES & 0xff)),
      command(0, text('connect'), number(1), object(hello)),
      command(0, text('createStream'), number(2), NULL),
      command(1, text('publish'), number(3), NULL, text(key)),
    ]),
  );
  await eventually(() => said.includes('NetStream.Publish.Start'), { giveUp: () => isClosed });
  return {
    said: () => said,
    isClosed: () => isClosed,
    send: (tags) => {
      for (const { kind, timestamp, body } of tags) socket.write(message(kind === 8 ? 4 : 6, kind, timestamp, 1, body));
    },
    /** Ends the publication in good order. */
    stop: () => socket.write(command(0, text('deleteStream'), number(4), NULL, number(1))),
  };
}
