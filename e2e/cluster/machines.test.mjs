// Two machines with one PostgreSQL and one NATS are one server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, history, join } from '../lib/chat.mjs';
import { adminOf, clusterFor, machinesAt } from '../lib/cluster.mjs';
import { eventually } from '../lib/eventually.mjs';

/** Lines come faster than people write. */
const FAST = ['--set', 'chat_spam_protection=false'];
const LINES = 20;

const linesOf = (client) => client.events.filter(({ type }) => type === 'CHAT');
const idsOf = (client) => linesOf(client).map(({ id }) => id);
const bodiesOf = (client) => linesOf(client).map(({ body }) => body.replaceAll(/<[^>]*>/g, ''));

// One after the other at the same two machines: starting them takes longer than all of this. The last one kills one.
test('two machines are one server', async (t) => {
  const [left, right] = await clusterFor(t, ['left', 'right'], { args: FAST });
  const admin = await adminOf(left);
  const it = (name, check) => t.test(name, check);

  await it('two machines list each other, and what is said at one is heard at both, once and in one order', async () => {
    for (const machine of [left, right]) {
      const nodes = await eventually(async () => {
        const found = await machinesAt(machine, admin);
        return found.length === 2 && found;
      });
      assert.deepEqual(nodes.map(({ name }) => name).sort(), ['left', 'right']);
    }
    const ada = await join(left, 'Ada');
    const bob = await join(right, 'Bob');
    for (let number = 0; number < LINES; number += 1) {
      ada.say(`ada ${number}`);
      bob.say(`bob ${number}`);
    }
    for (const client of [ada, bob]) {
      await eventually(() => linesOf(client).length >= 2 * LINES, { giveUp: () => !client.isOpen() });
    }
    assert.deepEqual(idsOf(ada), idsOf(bob), 'one order');
    assert.equal(new Set(idsOf(ada)).size, 2 * LINES, 'nothing twice');
    const wanted = (name) => Array.from({ length: LINES }, (_, number) => `${name} ${number}`);
    for (const name of ['ada', 'bob']) {
      const own = bodiesOf(bob).filter((body) => body.startsWith(name));
      assert.deepEqual(own, wanted(name), 'nothing lost');
    }
    for (const machine of [left, right]) {
      const kept = (await history(machine, ada.person)).filter(({ type }) => type === 'CHAT').map(({ id }) => id);
      assert.deepEqual(kept, idsOf(ada), 'whoever comes later reads it in the same order');
    }
    await Promise.all([ada.leave(), bob.leave()]);
  });

  await it('a ban at one machine closes the connection at the other, and lets nobody in again', async () => {
    const troll = await join(right, 'Troll');
    const witness = await join(right, 'Eve');
    troll.say('buy my coins');
    const line = await witness.hears(({ body }) => /coins/.test(body ?? ''));
    const userId = troll.person.id;
    const banned = await admin.at(left).post('/api/admin/chat/users/setenabled', { userId, enabled: false });
    assert.equal(banned.status, 200, banned.text);
    await troll.closed;
    await witness.hears(({ type, ids }) => type === 'VISIBILITY-UPDATE' && ids?.includes(line.id));
    for (const machine of [left, right]) await assert.rejects(enter(machine, troll.person));
    await witness.leave();
  });

  await it('whoever was at a machine that dies comes back at another and misses nothing, and its work is taken over', async () => {
    const ada = await join(left, 'Ada');
    const bob = await join(right, 'Bob');
    bob.say('I am here');
    const last = await bob.hears(({ type, body }) => type === 'CHAT' && /here/.test(body));
    await ada.hears(({ id }) => id === last.id);
    const dead = (await machinesAt(left, admin)).find(({ name }) => name === 'right');
    await right.kill();
    await bob.closed;
    for (const word of ['one', 'two', 'three']) ada.say(word);
    await ada.hears(({ body }) => /three/.test(body ?? ''));

    const back = await enter(left, bob.person, { lastId: last.id });
    await back.hears(({ body }) => /three/.test(body ?? ''));
    back.say('four');
    await back.hears(({ body }) => /four/.test(body ?? ''));
    assert.deepEqual(bodiesOf(back), ['one', 'two', 'three', 'four']);

    await eventually(async () => {
      const nodes = await machinesAt(left, admin);
      const work = nodes.find(({ name }) => name === 'left').holds;
      return dead.holds.every((name) => work.includes(name));
    });
    await Promise.all([ada.leave(), back.leave()]);
  });
});
