// playlist-check follows a live stream as players do and says which rules of HLS and low-latency HLS it breaks.
import assert from 'node:assert/strict';
import { run } from './command.mjs';
import { urlOf } from './hls.mjs';

/** It ends by itself; this is for one that hangs. */
const SLACK_MS = 20_000;

/**
 * Follows the stream and fails with the rules it breaks. `meanwhile` runs beside it: the stream may have a hard time. `path`
 * is another multivariant playlist than that of the live stream, whose lists must end as those of the live stream do.
 */
export async function keepsRules(server, { seconds, path, meanwhile = async () => {} }) {
  const program = process.env.PLAYLIST_CHECK_BIN;
  if (!program) throw new Error('set PLAYLIST_CHECK_BIN to the path of playlist-check');
  const beside = path === undefined ? [] : ['--live', urlOf(server)];
  const args = [urlOf(server, path), ...beside, '--seconds', String(seconds)];
  const following = run(program, args, { deadlineMs: seconds * 1000 + SLACK_MS });
  const [{ code, stdout, stderr }] = await Promise.all([following, meanwhile()]);
  assert.equal(code, 0, `playlist-check ended with ${code}:\n${stdout}${stderr}`);
}
