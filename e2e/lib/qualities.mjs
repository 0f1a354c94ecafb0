// Further qualities of the picture: as the operator asks for them, as viewers get them, and the ffmpeg that makes them.
import { readdirSync, readFileSync } from 'node:fs';
import { setUp } from './admin.mjs';
import { untilState } from './broadcast.mjs';
import { eventually } from './eventually.mjs';
import { attributes, get, MASTER } from './hls.mjs';
import { serverFor } from './server.mjs';

/**
 * Of the clip `360p`, in an order that is neither that of their sizes nor that of their bitrates. They cost little: the
 * machine has a browser to feed as well.
 */
export const QUALITIES = [
  { name: 'Half', scaledWidth: 320, scaledHeight: 180, framerate: 30, videoBitrate: 150, cpuUsageLevel: 0 },
  { name: 'Untouched', videoPassthrough: true },
  { name: 'Tiny', scaledWidth: 160, scaledHeight: 90, framerate: 15, videoBitrate: 80, cpuUsageLevel: 0 },
];
/** As the list of qualities has them. */
export const SIZES = ['320x180', '640x360', '160x90'];
/** What is left without an encoder. */
export const SOURCE_SIZE = '640x360';

/** A first key frame, an encoder that starts beside a browser, and the pause after one that failed. */
const LISTED_DEADLINE_MS = 60_000;
/** The first output of the encoder; each further one has the next number. */
const OUTPUT = /^pipe:[3-9]$/;

/** Asks for qualities; they hold for the next stream. `admin` is a client as `setUp` returns it. */
export function askFor(admin, qualities = QUALITIES) {
  return admin.set('video/streamoutputvariants', qualities);
}

/**
 * A server with these qualities, once it lists pictures of these sizes: `{ server, admin, publisher, listed }`. `publish`
 * is given the server, and returns a publisher.
 */
export async function ladderFor(t, { qualities = QUALITIES, sizes = SIZES, publish }) {
  const server = await serverFor(t);
  const admin = await setUp(server);
  await askFor(admin, qualities);
  const publisher = await publish(server);
  await untilState(server, 'live');
  return { server, admin, publisher, listed: await untilQualities(server, sizes) };
}

/** The pictures in the list of renditions, in its order: `[{ path, size, codecs }]`. */
export function qualitiesIn(text) {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [tag, values] = line.split(/:(.*)/);
    if (tag !== '#EXT-X-STREAM-INF') return [];
    const { RESOLUTION: size, CODECS: codecs } = attributes(values);
    return size ? [{ path: `/hls/${lines[at + 1]}`, size, codecs }] : [];
  });
}

/** Waits until the list of renditions has pictures of exactly these sizes, in this order, and returns them. */
export function untilQualities(server, sizes = SIZES, { deadlineMs = LISTED_DEADLINE_MS } = {}) {
  return eventually(
    async () => {
      const { text } = await get(server, MASTER);
      const found = qualitiesIn(text);
      const listed = found.map(({ size }) => size);
      if (listed.join() !== sizes.join()) throw new Error(`the list has ${listed}, not ${sizes}:\n${text}`);
      return found;
    },
    { deadlineMs },
  );
}

/** How the operator sees the encoder; null while nothing is encoded. */
export async function ladderOf(admin) {
  return (await admin.get('/api/admin/video/ladder')).ladder;
}

/** Waits until what the operator is told about the encoder meets `wanted`, and returns it. */
export function untilLadder(admin, wanted, { deadlineMs = LISTED_DEADLINE_MS } = {}) {
  return eventually(
    async () => {
      const { samples: _, ...ladder } = (await ladderOf(admin)) ?? {};
      if (!wanted(ladder)) throw new Error(`the encoder is not as wanted: ${JSON.stringify(ladder)}`);
      return ladder;
    },
    { deadlineMs },
  );
}

/** Programs that the server has started and that are in the system's list: `[{ id, program, state, words }]`. */
export function childrenOf(server) {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).flatMap((id) => {
    try {
      const [, program, state, parent] = readFileSync(`/proc/${id}/stat`, 'utf8').match(/^\d+ \((.*)\) (\S) (\d+)/s);
      if (Number(parent) !== server.pid) return [];
      return [{ id, program, state, words: readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0') }];
    } catch (error) {
      // Gone between one look and the next.
      if (error.code === 'ENOENT' || error.code === 'ESRCH') return [];
      throw error;
    }
  });
}

/** Waits for the one ffmpeg that makes `count` qualities, and returns its number; those for stills do not count. */
export function untilEncoder(server, count = QUALITIES.length - 1) {
  return eventually(() => {
    const outputs = (child) => child.words.filter((word) => OUTPUT.test(word)).length;
    const found = childrenOf(server).filter((child) => child.program === 'ffmpeg' && outputs(child) > 0);
    if (found.length !== 1 || outputs(found[0]) !== count)
      throw new Error(`there is not one encoder of ${count} qualities: ${JSON.stringify(found)}`);
    return found[0].id;
  });
}

/** Waits until no ffmpeg of the server is left, not even one that has ended and that nobody asked how. */
export function untilNoFfmpeg(server) {
  return eventually(() => {
    const left = childrenOf(server).filter(({ program }) => program === 'ffmpeg');
    if (left.length > 0) throw new Error(`still there: ${JSON.stringify(left)}`);
    return true;
  });
}

/** Waits until everything the server has started and that has ended is out of the system's list. */
export function untilNoZombie(server) {
  return eventually(() => {
    const dead = childrenOf(server).filter(({ state }) => state === 'Z');
    if (dead.length > 0) throw new Error(`dead and not buried: ${JSON.stringify(dead)}`);
    return true;
  });
}
