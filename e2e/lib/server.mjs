// Starts the real binary on free ports with a data folder of its own, and stops it again.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterwards, atExit } from './cleanup.mjs';
import { eventually } from './eventually.mjs';

const START_DEADLINE_MS = 30_000;
/** The server promises to be gone ten seconds after SIGTERM. */
const STOP_DEADLINE_MS = 15_000;
/** Enough to see why a start failed, without keeping a whole debug log. */
const MAX_LOG_CHARS = 1_000_000;

const running = new Set();
atExit(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Settings of the person who runs the tests must not reach the server under test. */
export function cleanEnvironment(extra = {}) {
  const inherited = Object.entries(process.env).filter(
    // The plugin engine is where the machine has it; everything else is for the test to say.
    ([name]) => !name.startsWith('RILLCAST_') || name.startsWith('RILLCAST_PLUGIN_ENGINE'),
  );
  return { ...Object.fromEntries(inherited), ...extra };
}

/** Options for a server that encodes nothing, so that what is passed through can be looked at alone. */
export const WITHOUT_FFMPEG = { env: { RILLCAST_FFMPEG_PATH: '/nowhere/ffmpeg' } };

/** As `startServer`, and killed when test `t` has ended. */
export async function serverFor(t, options) {
  const server = await startServer(options);
  afterwards(t, server.kill);
  return server;
}

/**
 * @param {{args?: string[], env?: Record<string, string>, dataDir?: string, listen?: string, open?: number[],
 *   binary?: string}} options
 *   `dataDir` is for starting twice on the same data; it is then the caller's to remove.
 *   `listen` is for being found again where an earlier one was.
 *   `open` are files of ours that it is started with, from descriptor 3 on.
 *   `binary` is for a program that starts the real one in its own way.
 * @returns {Promise<{http: string, rtmp: string, setupUrl: string | null, streamKey: string | null, dataDir: string,
 *   pid: number, logs: () => string, logLength: () => number,
 *   stop: (options?: {deadlineMs?: number}) => Promise<number | null>, kill: () => Promise<void>}>}
 */
export async function startServer({
  args = [],
  env = {},
  dataDir,
  listen = '127.0.0.1:0',
  open = [],
  binary = process.env.RILLCAST_BIN,
} = {}) {
  if (!binary) throw new Error('set RILLCAST_BIN to the path of the rillcast binary');
  const scratch = await mkdtemp(join(tmpdir(), 'rillcast-e2e-'));
  const data = dataDir ?? join(scratch, 'data');
  const readyFile = join(scratch, 'ready.json');

  const child = spawn(
    binary,
    [
      ...['--data-dir', data],
      ...['--listen', listen],
      ...['--rtmp-listen', '127.0.0.1:0'],
      ...['--ready-file', readyFile],
      ...args,
    ],
    { env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe', ...open] },
  );
  running.add(child);
  let output = '';
  let logLength = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      logLength += text.length;
      output = (output + text).slice(-MAX_LOG_CHARS);
    });
  }
  let ended;
  const exit = new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, error }));
    child.once('close', (code) => resolve({ code }));
  }).then((result) => {
    ended = result;
    running.delete(child);
    return result;
  });

  const end = async (signal, { deadlineMs = STOP_DEADLINE_MS } = {}) => {
    if (!ended) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
    const { code } = await exit;
    clearTimeout(timer);
    await rm(scratch, { recursive: true, force: true });
    return code;
  };

  try {
    const ready = await eventually(
      async () => {
        if (ended) throw new Error(`the server ended with ${ended.error ?? `code ${ended.code}`}`);
        return JSON.parse(await readFile(readyFile, 'utf8'));
      },
      { deadlineMs: START_DEADLINE_MS, giveUp: () => ended !== undefined },
    );
    return {
      ...ready,
      dataDir: data,
      pid: child.pid,
      logs: () => output,
      /** Characters it has written in all, those that `logs` no longer has too. */
      logLength: () => logLength,
      /** Ends it the polite way; resolves to the exit code, null when it had to be killed. */
      stop: (options) => end('SIGTERM', options),
      /** Ends it as a power cut would. */
      kill: async () => void (await end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL');
    throw new Error(`the server did not start: ${error.message}\n${output}`);
  }
}
