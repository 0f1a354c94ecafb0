// Shaka Packager as a judge of what the server writes: it reads files strictly, and warns of what some player stumbles
// over.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from './cleanup.mjs';
import { run } from './command.mjs';
import { get, MASTER, renditionsIn, stretchesOf } from './hls.mjs';

/** The size and kind of any box. */
const BOX_BYTES = 8;

/** What is in the boxes of this kind; bytes that make no sense cannot hold it up. */
function inside(data, kind) {
  const found = [];
  for (let at = 0; at + BOX_BYTES <= data.length; ) {
    const size = data.readUInt32BE(at);
    if (data.toString('latin1', at + 4, at + BOX_BYTES) === kind) found.push(data.subarray(at + BOX_BYTES, at + size));
    at += Math.max(size, BOX_BYTES);
  }
  return found;
}

/** How many frames the fragments of a file have. */
function framesIn(data) {
  const tracks = inside(data, 'moof').flatMap((fragment) => inside(fragment, 'traf'));
  const runs = tracks.flatMap((track) => inside(track, 'trun'));
  // Behind the version and the flags.
  return runs.reduce((sum, body) => sum + body.readUInt32BE(4), 0);
}

/**
 * What Shaka Packager says about an init segment and its segments beyond that it reads them. `kind` is `video` or
 * `audio`, and `file` where they are put together.
 *
 * It says nothing when bytes are missing in the end, and writes what it has: so the frames are counted that it wrote.
 */
export async function packagerComplaints(packager, { init, segments }, { kind, file }) {
  const output = `${file}.out.mp4`;
  await writeFile(file, Buffer.concat([init, ...segments]));
  const { code, stdout, stderr } = await run(packager, [`in=${file},stream=${kind},output=${output}`]);
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  if (code !== 0) return [`it ended with ${code}`, ...lines];
  const complaints = lines.filter((line) => !/^I\d{4} /.test(line) && line !== 'Packaging completed successfully.');
  const expected = segments.reduce((sum, segment) => sum + framesIn(segment), 0);
  const written = framesIn(await readFile(output));
  return written === expected ? complaints : [...complaints, `it wrote ${written} of ${expected} frames`];
}

/**
 * What Shaka Packager says about all that viewers are offered at present: `[{ folder, complaints }]`, one for each init
 * segment of each list. `leftOut` are folders that it is not asked about.
 */
export async function packagerVerdicts(t, packager, server, { leftOut = [] } = {}) {
  const scratch = await scratchFolder(t);
  const verdicts = [];
  for (const { path, kind } of renditionsIn((await get(server, MASTER)).text)) {
    const folder = path.split('/').at(-2);
    if (leftOut.includes(folder)) continue;
    // An init segment may be listed before its first segment is whole.
    const stretches = (await stretchesOf(server, path)).filter(({ segments }) => segments.length > 0);
    for (const [at, stretch] of stretches.entries()) {
      const file = join(scratch, `${folder}-${at}.mp4`);
      verdicts.push({ folder, complaints: await packagerComplaints(packager, stretch, { kind, file }) });
    }
  }
  return verdicts;
}
