// People who talk: every kind of line that a chat can hold.
import { join, register, sayAndHear } from '../../lib/chat.mjs';

/** Who says what; a third word names the line that is answered. */
const LINES = [
  ['Marta', 'good evening everybody :wave:'],
  ['otter-friend', 'hi Marta! how is the water today?'],
  ['Marta', 'higher than last week, it rained the whole night', 'how is the water'],
  ['Jonas K.', '🦦 🔥 🚀'],
  ['Jonas K.', 'that bridge is *exactly* where we stood in spring'],
  ['otter-friend', 'is there a map of the walk? somebody posted https://example.org/walks/old-mill a while ago'],
  ['a-very-long-name-that-goes-on', 'supercalifragilisticexpialidociousandthensomemorewithoutanyspacesinit'],
  ['مريم', 'مساء الخير، كم يبلغ ارتفاع الماء اليوم؟'],
  ['Marta', '`ffmpeg -i walk.mkv` does it for me', 'is there a map'],
  ['Jonas K.', 'ok'],
  [
    'Jonas K.',
    'and now a longer thought, as people have them on long walks: it wraps over several lines, and the name above it is shown only once for all of these.',
  ],
];

/** More than fits into any window. */
const REPEATED = 4;

export async function evening(world) {
  const { server, api } = world;
  const people = {};
  for (const name of new Set(LINES.map(([name]) => name))) people[name] = await join(server, name);
  world.people = Object.values(people);
  let said = [];
  for (let turn = 0; turn < REPEATED; turn += 1) {
    said = [];
    for (const [name, text, answered] of LINES) {
      const inReplyTo = answered && said.find(({ body }) => body.includes(answered))?.id;
      said.push(await sayAndHear(people[name], text, inReplyTo));
    }
  }
  const troll = await join(server, 'coin seller');
  world.people.push(troll);
  await sayAndHear(troll, 'buy my gold');
  await api.post('/api/admin/chat/users/setenabled', {
    userId: troll.person.id,
    enabled: false,
    reason: 'advertising',
  });
  await api.post('/api/admin/chat/users/setmoderator', { userId: people.Marta.person.id, isModerator: true });
  const noisy = await register(server, 'noisy');
  await api.post('/api/admin/chat/users/timeout', { userId: noisy.id, seconds: 36_000, reason: 'too loud' });
  await api.post('/api/admin/chat/pin', { id: said[0].id, pinned: true });
  await hold(world);
  /** Somebody whose lines nobody answers, to act upon. */
  world.target = { line: 'a longer thought', name: 'Jonas K.' };
}

/** Two lines that wait for a moderator. */
async function hold({ server, set, people }) {
  await set('chat/holdfirstmessage', true);
  for (const name of ['late visitor', 'later visitor']) {
    const person = await join(server, name);
    people.push(person);
    person.say('is this the stream with the otters? see https://example.org/otters');
    await person.hears(
      ({ type, notice, code }) => notice !== undefined || code !== undefined || type === 'CHAT_ACTION',
    );
  }
  await set('chat/holdfirstmessage', false);
}
