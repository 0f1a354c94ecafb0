// Streams of the past, recorded with what was said meanwhile.
import { untilState } from '../../lib/broadcast.mjs';
import { join, sayAndHear } from '../../lib/chat.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { publish } from '../../lib/publisher.mjs';

/** However full the disk of this machine is. */
const ROOM = ['--set', 'recording_min_free_gigabytes=0'];

/** For a stream in which viewers can go back. */
export const REWINDS = ['--set', 'rewind_minutes=120', ...ROOM];

/** Everything is recorded, for everybody to see, with the chat. */
export const RECORDS = {
  args: [
    ...['recording=on', 'recording_visibility=public', 'recording_chat=true'].flatMap((set) => ['--set', set]),
    ...ROOM,
  ],
};

/** Oldest first. The last one is the first in every list. */
const STREAMS = [
  { title: 'Rain on the roof', tags: ['music'] },
  { title: '', tags: [] },
  {
    title: 'Friday walk to the old mill, with a long title that has to be cut somewhere on a small screen',
    summary: 'Along the river to the **old mill** and back.\n\nWith a guest from the second bridge on.',
    tags: ['slowtv', 'nature', 'music'],
  },
];
const LINES = [
  ['Marta', 'good evening everybody :wave:'],
  ['otter-friend', 'hi Marta! how is the water today?'],
  ['Marta', 'higher than last week, it rained the whole night'],
  ['مريم', 'مساء الخير، كم يبلغ ارتفاع الماء اليوم؟'],
];
/** Enough for a picture, a seek bar and chapters. */
const SECONDS = 12;

export async function recordings(world) {
  const { server, api, set } = world;
  world.people = [];
  for (const [at, { title, tags, summary }] of STREAMS.entries()) {
    const isLast = at === STREAMS.length - 1;
    await set('streamtitle', title);
    const publisher = publish(server);
    await untilState(server, 'live');
    if (isLast) await talk(world);
    await eventually(async () => {
      const { lastConnectTime, serverTime } = await (await fetch(`${server.http}/api/status`)).json();
      const seconds = (Date.parse(serverTime) - Date.parse(lastConnectTime)) / 1000;
      if (seconds < SECONDS) throw new Error(`on for ${seconds} s`);
    });
    await publisher.stop();
    await untilState(server, 'offline');
    const id = await eventually(async () => {
      const [newest, ...others] = (await api.get('/api/admin/videos?limit=25')).json().results;
      if (newest?.state !== 'finished' || others.length !== at) throw new Error('the recording is not finished');
      return newest.id;
    });
    await change(world, id, {
      tags,
      summary: summary ?? '',
      isKept: isLast,
      visibility: at === 1 ? 'private' : 'public',
    });
    world.recording = id;
  }
}

async function talk({ server, people }) {
  const known = {};
  for (const [name, text] of LINES) {
    known[name] ??= await join(server, name);
    await sayAndHear(known[name], text);
  }
  people.push(...Object.values(known));
}

async function change({ server, cookie }, id, body) {
  const answer = await fetch(`${server.http}/api/admin/videos/${id}`, {
    method: 'PATCH',
    headers: { Cookie: cookie, 'X-Rillcast-CSRF': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the recording was not changed: ${answer.status} ${await answer.text()}`);
}
