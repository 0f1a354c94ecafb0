// What the server says about the broadcast: to viewers, to the operator, and in its history.
import { join } from 'node:path';
import { sqlite } from './command.mjs';
import { eventually } from './eventually.mjs';
import { get } from './hls.mjs';

const STATE_DEADLINE_MS = 20_000;

/** What every viewer's page asks: `{ online, streamState, lastConnectTime … }`. */
export async function status(server) {
  return JSON.parse((await get(server, '/api/status')).text);
}

/** Waits until the stream is `offline`, `live` or `waiting` for a publisher that was lost. */
export function untilState(server, wanted, { deadlineMs = STATE_DEADLINE_MS } = {}) {
  return eventually(
    async () => {
      const now = await status(server);
      if (now.streamState !== wanted) throw new Error(`the stream is ${now.streamState}, not ${wanted}`);
      return now;
    },
    { deadlineMs },
  );
}

/** How often an event of this kind was written down: `StreamStarted`, `StreamStopped`. */
export async function countEvents(server, kind) {
  const file = join(server.dataDir, 'rillcast.db');
  return Number(await sqlite(file, `SELECT count(*) FROM events WHERE kind = '${kind}'`));
}

/** Waits until an event of this kind was written `count` times: the database is told after the viewers are. */
export function untilEvents(server, kind, count) {
  return eventually(async () => {
    const found = await countEvents(server, kind);
    if (found !== count) throw new Error(`there are ${found} events ${kind}, not ${count}`);
    return true;
  });
}

/** The broadcasts in the history, as the operator (a `basicClient`) sees them. */
export async function pastStreams(admin) {
  return (await admin.get('/api/admin/streams')).json();
}
