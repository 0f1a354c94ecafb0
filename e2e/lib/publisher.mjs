// A publisher: ffmpeg pushes a committed clip to a server over RTMP, and is stopped the way a person or a cable would.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterwards, atExit } from './cleanup.mjs';

const CLIPS = join(dirname(fileURLToPath(import.meta.url)), '..', 'clips');
/** A clean end takes one exchange with the server; a publisher that needs longer hangs. */
const STOP_DEADLINE_MS = 10_000;
const MAX_LOG_CHARS = 200_000;

const running = new Set();
atExit(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Where a clip of `scripts/make-clips.sh` is. */
export function clipPath(name) {
  return join(CLIPS, `${name}.flv`);
}

/** What is in a clip, by track: `{ video: { packets, keys, dts, offsets? … }, audio: { … } }`, times in milliseconds. */
export async function clipFacts(name) {
  return JSON.parse(await readFile(join(CLIPS, `${name}.json`), 'utf8'));
}

/** As `publish`, and killed when test `t` has ended. */
export function publisherFor(t, server, options) {
  const publisher = publish(server, options);
  afterwards(t, publisher.kill);
  return publisher;
}

/**
 * Pushes a clip to `server` (`{ rtmp, streamKey }`, as `startServer` returns it), by default in real time. Nothing is
 * encoded.
 *
 * A looped clip goes on with even times: the clips are cut so that both tracks end together. The exceptions are
 * `audio-only`, which ffmpeg repeats 20 ms early, and `mp3`, whose tracks cannot end together.
 *
 * @param {{rtmp: string, streamKey: string | null}} server
 * @param {{clip?: string, loop?: boolean, key?: string, paced?: boolean, speed?: number, inputArgs?: string[],
 *   args?: string[], program?: string, sound?: string}} options
 *   `clip` is a name, or the path of a file; `args` go before the address (`-output_ts_offset 16770`);
 *   `speed: 4` sends four seconds of the stream in each that passes, so that its segments, which stay as long as they
 *   are, come four times as often; `paced: false` sends as fast as the server takes it; `program` is another ffmpeg,
 *   `sound` the path of another file whose sound is sent instead.
 * @returns {{pid: number, logs: () => string, ended: Promise<number | null>, isRunning: () => boolean,
 *   stop: () => Promise<number | null>, kill: () => Promise<void>}}
 *   `ended` is the exit code, null after a signal that ended it at once.
 */
export function publish(
  server,
  {
    clip = 'plain',
    loop = true,
    key,
    paced = true,
    speed = 1,
    inputArgs = [],
    args = [],
    program = 'ffmpeg',
    sound,
  } = {},
) {
  const file = clip.includes('/') ? clip : clipPath(clip);
  const rate = speed === 1 ? ['-re'] : ['-readrate', String(speed)];
  const pacing = [...(paced ? rate : []), ...(loop ? ['-stream_loop', '-1'] : [])];
  const child = spawn(
    program,
    [
      ...['-hide_banner', '-loglevel', 'info', '-nostats'],
      ...[...pacing, ...inputArgs, '-i', file],
      ...(sound ? [...pacing, '-i', sound, '-map', '0:v', '-map', '1:a'] : ['-map', '0']),
      ...['-c', 'copy', ...args],
      ...['-f', 'flv', '-flvflags', 'no_duration_filesize', publishUrl(server, key)],
    ],
    { stdio: ['pipe', 'ignore', 'pipe'] },
  );
  running.add(child);
  // It may be gone by the time it is asked to stop.
  child.stdin.on('error', () => {});
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-MAX_LOG_CHARS);
  });
  let isRunning = true;
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      output += `\n${error.message}`;
      resolve(null);
    });
    child.once('close', resolve);
  }).then((code) => {
    isRunning = false;
    running.delete(child);
    return code;
  });

  const end = async (ask) => {
    if (isRunning) ask();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
    const code = await ended;
    clearTimeout(timer);
    return code;
  };

  return {
    pid: child.pid,
    logs: () => output,
    ended,
    isRunning: () => isRunning,
    /** As the stop button of an encoder: the stream is unpublished, then the connection closed. */
    stop: () => end(() => child.stdin.end('q')),
    /** As a crash: the connection ends without a word. */
    kill: async () => void (await end(() => child.kill('SIGKILL'))),
    /** As a cable that is pulled: the connection stays open and silent, until `resume`. */
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  };
}

/** The address with the key, however the server wrote it: `rtmp://host:port` or with an application. */
export function publishUrl(server, key = server.streamKey) {
  const base = /^rtmps?:/.test(server.rtmp) ? new URL(server.rtmp) : new URL(`rtmp://${server.rtmp}`);
  const application = base.pathname.replace(/^\/+|\/+$/g, '') || 'live';
  return `${base.protocol}//${base.host}/${application}/${key}`;
}
