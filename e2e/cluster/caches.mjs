// What every cache in front of the stream has to do, with a real server behind it.
import assert from 'node:assert/strict';
import { eventually } from '../lib/eventually.mjs';
import { MASTER, playlist, untilSegments, VIDEO } from '../lib/hls.mjs';
import { countingProxy } from '../lib/cluster-proxies.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';

const CROWD = 100;
const FOLDER = VIDEO.slice(0, VIDEO.lastIndexOf('/') + 1);

async function ask(place, path) {
  const response = await fetch(place.http + path, { headers: { 'Accept-Encoding': 'gzip' } });
  return { status: response.status, text: await response.text() };
}

/** A server with a stream, a counter in front of it, and the cache that `start(t, [left, right])` puts before that. */
export async function cachedStream(t, start) {
  const args = ['--trusted-proxies', '127.0.0.1'];
  const server = await serverFor(t, { ...WITHOUT_FFMPEG, args });
  const origin = await countingProxy(t, server);
  // One that is counted stands for both machines: they have the same names and bytes.
  const cache = await start(t, [origin, origin]);
  publisherFor(t, server);
  await untilSegments(server, 2);
  return { server, origin, cache };
}

/** A hundred players ask for a part that is still to come: one request reaches the server, and all get its answer. */
export async function collapsesEqualReloads({ server, origin, cache }) {
  for (let round = 0; round < 3; round += 1) {
    const { mediaSequence, segments } = await playlist(server);
    // Two segments ahead, so that nobody comes when it is there already.
    const path = `${VIDEO}?_HLS_msn=${mediaSequence + segments.length + 1}&_HLS_part=0`;
    const answers = await Promise.all(Array.from({ length: CROWD }, () => ask(cache, path)));
    assert.equal(origin.count(path), 1, `${origin.count(path)} requests for ${path}`);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  }
  const { segments } = await playlist(server);
  const path = FOLDER + segments.at(-1);
  await Promise.all(Array.from({ length: CROWD }, () => ask(cache, path)));
  assert.equal(origin.count(path), 1, 'a segment is fetched once');
}

/** What is of the moment is never from the cache: nobody sees an old list. */
export async function keepsNothingOfTheMoment({ server, origin, cache }) {
  for (const path of [MASTER, VIDEO]) {
    const before = origin.count(path);
    for (let number = 1; number <= 3; number += 1) {
      assert.equal((await ask(cache, path)).status, 200);
      assert.equal(origin.count(path), before + number, path);
    }
  }
  // Nor is a name that was asked for too early nothing for longer than its second.
  const { mediaSequence, segments } = await playlist(server);
  const wanted = mediaSequence + segments.length + 1;
  const early = segments.at(-1).replace(/-\d+\.m4s$/, `-${wanted}.m4s`);
  assert.equal((await ask(cache, FOLDER + early)).status, 404);
  await eventually(async () => (await ask(server, FOLDER + early)).status === 200);
  await eventually(async () => (await ask(cache, FOLDER + early)).status === 200);
}
