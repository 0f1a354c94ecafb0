// A power cut while people talk: what anybody heard is kept, once, in the order in which it was heard; and whoever
// comes back hears on from there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { enter, history, register } from '../lib/chat.mjs';
import { mains } from '../lib/powercut.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const ROUNDS = IS_LONG ? 200 : 20;
const PEOPLE = 6;
/** The server takes about as many from one person at once when it protects itself from floods only. */
const MOST_LINES_EACH = 20;
/** The operator's list ends here, and so does what a page gets. */
const LISTED = 5000;
const IN_HISTORY = 50;

/** What each person heard, in their order. */
function heardBy(ledger) {
  const heard = Array.from({ length: PEOPLE }, () => []);
  for (const [person, id] of ledger.lines()) heard[Number(person)].push(id);
  return heard;
}

/** Talks until the server is gone, each time as soon as the line before has come back. */
async function keepTalking(client, name, round) {
  for (let number = 1; number <= MOST_LINES_EACH && client.isOpen(); number += 1) {
    const body = `${name} says line ${number} of round ${round}`;
    client.say(body);
    const isBack = client.hears((event) => event.type === 'CHAT' && event.body === `<p>${body}</p>`);
    if (!(await isBack.catch(() => false))) return; // the power is off
  }
}

/** The ids of all lines, oldest first, going on from those that were there before. */
async function storedOrder(server, before) {
  const lines = (await basicClient(server).get('/api/admin/chat/messages')).json().reverse();
  const bodies = new Set(lines.map(({ body }) => body));
  const ids = lines.map(({ id }) => id);
  // The list has an end; what is older was looked at in an earlier round.
  const known = lines.length === LISTED ? before.slice(before.indexOf(ids[0])) : before;
  assert.deepEqual(ids.slice(0, known.length), known, 'what was there before the power cut has changed');
  const doubled = ids.length - new Set(ids).size + (lines.length - bodies.size);
  return { order: [...before, ...ids.slice(known.length)], doubled };
}

/** Heard but not kept; heard twice; and heard with a hole or in another order than all others. */
function judge(heard, order) {
  const places = new Map(order.map((id, place) => [id, place]));
  const known = heard.filter((id) => places.has(id));
  const isNext = (id, index) => index === 0 || places.get(id) === places.get(known[index - 1]) + 1;
  return {
    lost: heard.length - known.length,
    doubled: heard.length - new Set(heard).size,
    displaced: known.filter((id, index) => !isNext(id, index)).length,
  };
}

test('every line that anybody heard survives a power cut, once and in its place', async (t) => {
  const settings = ['--set', 'chat_spam_protection=false', '--set', 'chat_join_messages=false'];
  const plug = await mains(t, ['--admin-password', PASSWORD, ...settings]);
  const { ledger, random } = plug;
  let server = await plug.start();
  const names = Array.from({ length: PEOPLE }, (_, number) => `person ${number}`);
  const people = await Promise.all(names.map((name) => register(server, name)));
  const lastIds = people.map(() => undefined);
  let order = [];
  let doubled = 0;

  const look = async () => {
    const found = await storedOrder(server, order);
    order = found.order;
    doubled += found.doubled;
    const recent = await history(server, people[0]);
    assert.deepEqual(
      recent.map(({ id }) => id),
      order.slice(-IN_HISTORY),
    );
  };

  for (let round = 1; round <= ROUNDS; round += 1) {
    let heard = 0;
    const clients = await Promise.all(
      people.map((person, number) => {
        const seen = new Set();
        const onEvent = ({ type, id }) => {
          // Those who come back may be told a line again that they have.
          if (type !== 'CHAT' || (id === lastIds[number] && seen.size === 0)) return;
          seen.add(id);
          ledger.write(number, id);
          lastIds[number] = id;
          heard += 1;
        };
        return enter(server, person, { lastId: lastIds[number], onEvent });
      }),
    );
    const talking = clients.map((client, number) => keepTalking(client, names[number], round));
    const enough = heard + 1 + random(200);
    await plug.cut(() => heard >= enough, talking);
    await Promise.all(clients.map(({ closed }) => closed));
    server = await plug.start();
    await look();
  }

  // Nobody talks any more: everybody comes back once and hears the rest.
  const verdicts = [];
  for (const [number, person] of people.entries()) {
    const rest = order.slice(order.indexOf(lastIds[number]) + 1);
    const client = await enter(server, person, { lastId: lastIds[number] });
    await client.hears(({ id }) => rest.length === 0 || id === rest.at(-1));
    for (const { id } of client.events.filter(({ type }) => type === 'CHAT')) ledger.write(number, id);
    await client.leave();
  }
  for (const [number, heard] of heardBy(ledger).entries()) {
    verdicts.push(judge(heard, order));
    assert.equal(heard.at(-1), order.at(-1), `${names[number]} did not hear the last line`);
  }
  await plug.end();

  const sum = (what) => verdicts.reduce((total, verdict) => total + verdict[what], 0);
  const received = ledger.lines().length;
  const result = { lost: sum('lost'), doubled: doubled + sum('doubled'), displaced: sum('displaced') };
  const { lost, displaced } = result;
  console.log(
    `rounds=${ROUNDS} received=${received} lost=${lost} doubled=${result.doubled} displaced=${displaced} kept=${order.length}`,
  );
  assert.ok(received >= ROUNDS, 'each round heard something');
  assert.deepEqual(result, { lost: 0, doubled: 0, displaced: 0 });
});
