// The codecs of Enhanced RTMP: the clips that hold them, and tools that are newer than those of the system.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './command.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SCRIPT = join(ROOT, 'scripts/streaming_tools.py');
const INSTALL_MS = 240_000;
const SKIPPED = 77;

/** Where a clip of `scripts/enhanced_clips.py` is. */
export function enhancedClip(name) {
  return join(ROOT, 'crates/media/tests/clips', `${name}.flv`);
}

/** A ring that claims to be whole must not pass without them. */
const ARE_NEEDED = process.env.CI === 'true' || process.env.RILLCAST_RING === 'all';

/** Paths of a newer `{ ffmpeg, ffprobe, packager }`; undefined where they cannot be had and need not be. */
export async function streamingTools() {
  const { code, stdout, stderr } = await run('python3', [SCRIPT], { deadlineMs: INSTALL_MS });
  if (code === 0) return JSON.parse(stdout);
  if (code !== SKIPPED || ARE_NEEDED) throw new Error(`no newer tools can be installed: ${stderr}`);
  return undefined;
}
