// A server that has recorded a stream, for those who watch what is left of it.
import assert from 'node:assert/strict';
import { PASSWORD } from './admin.mjs';
import { untilState } from './broadcast.mjs';
import { eventually } from './eventually.mjs';
import { get } from './hls.mjs';
import { publisherFor } from './publisher.mjs';
import { serverFor } from './server.mjs';

const ARGS = [
  ...['--admin-password', PASSWORD],
  ...['--set', 'recording=on', '--set', 'recording_visibility=public'],
  ...['--set', 'recording_min_free_gigabytes=0'],
];

/**
 * Records a stream to its end, four times as fast as it plays; `options` are those of `publish`. Returns the server, the
 * recording as everybody finds it, and the address of its multivariant playlist.
 */
export async function recorded(t, options) {
  const server = await serverFor(t, { args: ARGS });
  const publisher = publisherFor(t, server, { loop: false, speed: 4, ...options });
  await untilState(server, 'live');
  await publisher.ended;
  await untilState(server, 'offline');
  const video = await eventually(async () => {
    const { results } = JSON.parse((await get(server, '/api/videos')).text);
    assert.equal(results.length, 1, 'the recording is not complete');
    return results[0];
  });
  return { server, video, url: new URL(video.playlist, server.http).href };
}

/** Changes a recording as the operator; returns it as the operator sees it. */
export async function change(server, { id }, changes) {
  const credentials = Buffer.from(`admin:${PASSWORD}`).toString('base64');
  const answer = await fetch(`${server.http}/api/admin/videos/${id}`, {
    method: 'PATCH',
    headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(changes),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}
