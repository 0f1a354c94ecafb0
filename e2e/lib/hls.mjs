// Reads back what the server serves, with tools that are not ours: fetch for the playlists, ffprobe and ffmpeg for media.
import { run } from './command.mjs';
import { eventually } from './eventually.mjs';

export const MASTER = '/hls/stream.m3u8';
export const VIDEO = '/hls/0/video.m3u8';
export const AUDIO = '/hls/audio/stream.m3u8';

/** A first part is there within a second or so; a loaded machine takes longer. */
const LIVE_DEADLINE_MS = 20_000;
/** ffmpeg reads a live playlist in real time. */
const READ_DEADLINE_MS = 45_000;

/** `{ status, headers, text }` of a playlist or anything else, whatever the status is. */
export async function get(server, path, headers = {}) {
  const response = await fetch(new URL(path, server.http), { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The lines of a playlist; anything but 200 throws. */
export async function playlist(server, path = VIDEO) {
  const { status, text } = await get(server, path);
  if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text.slice(0, 200)}`);
  if (!text.startsWith('#EXTM3U')) throw new Error(`${path} is no playlist: ${text.slice(0, 200)}`);
  return parse(text);
}

/** The facts of a media playlist that tests ask about. Lines stay available as `lines`. */
export function parse(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = (tag) => lines.filter((line) => line.startsWith(`${tag}:`)).map((line) => line.slice(tag.length + 1));
  const number = (tag) => (values(tag).length > 0 ? Number(values(tag)[0]) : undefined);
  const mediaSequence = number('#EXT-X-MEDIA-SEQUENCE');
  return {
    text,
    lines,
    mediaSequence,
    targetDuration: number('#EXT-X-TARGETDURATION'),
    segments: lines.filter((line) => !line.startsWith('#')),
    durations: values('#EXTINF').map((value) => Number.parseFloat(value)),
    parts: values('#EXT-X-PART').map(attributes),
    maps: values('#EXT-X-MAP').map((value) => attributes(value).URI),
    stretches: stretchesIn(lines, mediaSequence),
    dates: values('#EXT-X-PROGRAM-DATE-TIME').map((value) => Date.parse(value)),
    discontinuities: lines.filter((line) => line === '#EXT-X-DISCONTINUITY').length,
    hint: values('#EXT-X-PRELOAD-HINT').map(attributes)[0],
    control: values('#EXT-X-SERVER-CONTROL').map(attributes)[0] ?? {},
    hasEnded: lines.includes('#EXT-X-ENDLIST'),
  };
}

/** Whole segments by the init segment that they need, and the number of the first: `[{ map, first, segments }]`. */
function stretchesIn(lines, mediaSequence) {
  const stretches = [];
  let number = mediaSequence;
  for (const line of lines) {
    const [tag, value] = line.split(/:(.*)/);
    if (tag === '#EXT-X-MAP') stretches.push({ map: attributes(value).URI, first: number, segments: [] });
    if (line.startsWith('#')) continue;
    stretches.at(-1)?.segments.push(line);
    number += 1;
  }
  return stretches;
}

/** The stretches of a live or ended list with their bytes: `[{ init, first, segments }]`. */
export async function stretchesOf(server, path = VIDEO) {
  const bytes = async (name) => {
    const response = await fetch(new URL(name, new URL(path, server.http)));
    if (response.status !== 200) throw new Error(`${name} of ${path} was answered with ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
  const found = [];
  for (const { map, first, segments } of (await playlist(server, path)).stretches) {
    const stretch = { init: await bytes(map), first, segments: [] };
    for (const name of segments) stretch.segments.push(await bytes(name));
    found.push(stretch);
  }
  return found;
}

/** Every list that the list of renditions names, once: `[{ path, kind }]`, where `kind` is `video` or `audio`. */
export function renditionsIn(text) {
  const lines = text.split('\n');
  const kinds = new Map();
  for (const [at, line] of lines.entries()) {
    const [tag, value = ''] = line.split(/:(.*)/);
    const { URI, RESOLUTION } = attributes(value);
    if (tag === '#EXT-X-MEDIA') kinds.set(URI, 'audio');
    if (tag === '#EXT-X-STREAM-INF') kinds.set(lines[at + 1], RESOLUTION ? 'video' : 'audio');
  }
  return [...kinds].map(([name, kind]) => ({ path: `/hls/${name}`, kind }));
}

/** `A=1,B="x,y"` as `{ A: '1', B: 'x,y' }`. */
export function attributes(value) {
  const pairs = value.matchAll(/([A-Z0-9-]+)=("([^"]*)"|[^,]*)/g);
  return Object.fromEntries([...pairs].map(([, name, raw, quoted]) => [name, quoted ?? raw]));
}

/** Waits until a playlist meets `wanted` (by default: it is live and lists a part or a segment), and returns it. */
export function untilPlaylist(
  server,
  wanted = isPlayable,
  { path = VIDEO, deadlineMs = LIVE_DEADLINE_MS, giveUp } = {},
) {
  return eventually(
    async () => {
      const found = await playlist(server, path);
      return (await wanted(found)) ? found : undefined;
    },
    { deadlineMs, giveUp },
  );
}

/** The list of a stream that has ended stays for a while, and must not be taken for the one that is to come. */
function isPlayable({ parts, segments, hasEnded }) {
  return !hasEnded && (parts.length > 0 || segments.length > 0);
}

/** Waits until a live list has `count` whole segments: what players without low latency need. */
export function untilSegments(server, count = 1, options) {
  return untilPlaylist(server, ({ segments, hasEnded }) => !hasEnded && segments.length >= count, options);
}

/** Waits until the stream has ended for viewers: ENDLIST, or nothing there any more. */
export function untilEnded(server, { path = VIDEO, deadlineMs = LIVE_DEADLINE_MS } = {}) {
  return eventually(
    async () => {
      const { status, text } = await get(server, path);
      return status === 404 || (status === 200 && parse(text).hasEnded);
    },
    { deadlineMs },
  );
}

/**
 * The packets ffprobe finds behind a URL or in a file: `{ video: [{ dts, pts, duration, isKey, size }], audio: […] }`,
 * times in seconds. `seconds` bounds a live playlist, which has no end.
 */
export async function packetsOf(url, { seconds } = {}) {
  const answer = await probe(url, [
    ...(seconds === undefined ? [] : ['-read_intervals', `%+${seconds}`]),
    ...['-show_streams', '-show_packets'],
    ...['-show_entries', 'stream=index,codec_type:packet=stream_index,pts_time,dts_time,duration_time,size,flags'],
  ]);
  const tracks = { video: [], audio: [] };
  for (const packet of answer.packets) {
    const { codec_type: kind } = answer.streams.find((stream) => stream.index === packet.stream_index);
    tracks[kind]?.push({
      dts: Number(packet.dts_time),
      pts: Number(packet.pts_time),
      duration: Number(packet.duration_time),
      isKey: packet.flags.includes('K'),
      size: Number(packet.size),
    });
  }
  return tracks;
}

/** The streams ffprobe finds behind a URL or in a file, as it describes them. */
export async function streamsOf(url) {
  return (await probe(url, ['-show_streams'])).streams;
}

async function probe(url, args) {
  const command = ['-v', 'error', '-of', 'json', ...args, url];
  const { code, stdout, stderr } = await run('ffprobe', command, { deadlineMs: READ_DEADLINE_MS });
  if (code !== 0) throw new Error(`ffprobe could not read ${url}: ${stderr}`);
  return JSON.parse(stdout);
}

/** What ffmpeg complains about when it decodes `seconds` of a URL; an empty text is a clean stream. */
export async function decodeComplaints(url, { seconds = 4 } = {}) {
  const command = ['-v', 'error', '-xerror', '-i', url, '-t', String(seconds), '-f', 'null', '-'];
  const { code, stderr } = await run('ffmpeg', ['-nostdin', ...command], { deadlineMs: READ_DEADLINE_MS });
  return code === 0 ? stderr.trim() : `ffmpeg ended with ${code}: ${stderr.trim()}`;
}

/** The full address of a playlist, for tools and players. */
export function urlOf(server, path = MASTER) {
  return new URL(path, server.http).href;
}
