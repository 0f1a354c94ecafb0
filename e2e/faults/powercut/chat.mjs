// The chat: what anybody heard is kept, once, in the order in which it was heard; and whoever comes back hears on from
// there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { enter, history, register } from '../../lib/chat.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { operatorAsks } from './busy.mjs';
import { Entries } from './entries.mjs';
import { keepTalking } from './talking.mjs';

const PEOPLE = 6;
/** The operator's list ends here, and so does what a page gets. */
const LISTED = 5000;
const IN_HISTORY = 50;

/** A `PowerCutLedger` of `world.mjs`. */
export class ChatLedger {
  most = 36;

  constructor(folder) {
    this.entries = new Entries(join(folder, 'chat'));
    this.people = [];
    this.lastIds = [];
    this.clients = [];
    this.order = [];
    this.doubled = 0;
  }

  async prepare({ server, admin }) {
    this.admin = admin;
    const names = Array.from({ length: PEOPLE }, (_, number) => `person ${number}`);
    this.people = await Promise.all(names.map((name) => register(server, name)));
  }

  /** Everybody comes in and hears what they have missed. */
  async enter(server) {
    this.clients = await Promise.all(
      this.people.map((person, number) => {
        const lastId = this.lastIds[number];
        let isFirst = true;
        const onEvent = ({ type, id }) => {
          if (type !== 'CHAT') return;
          // Those who come back may be told a line again that they have.
          if (!isFirst || id !== lastId) this.#hear(number, id);
          isFirst = false;
        };
        return enter(server, person, { lastId, onEvent });
      }),
    );
  }

  #hear(number, id) {
    this.entries.add(number, id);
    this.lastIds[number] = id;
  }

  async write({ round, onAcknowledged }) {
    await Promise.all(this.clients.map((client) => keepTalking(client, round, onAcknowledged)));
  }

  async judge(server) {
    await Promise.all(this.clients.map(({ closed }) => closed));
    const listed = await operatorAsks(server, this.admin, '/api/admin/chat/messages');
    const found = judgeList(listed.reverse(), this.order);
    this.order = found.order;
    this.doubled += found.doubled;
    judgeHistory(await eventually(() => history(server, this.people[0])), this.order);
  }

  /** Nobody talks any more: everybody comes back once and hears the rest, and nothing else. */
  async finish(server) {
    const last = this.order.at(-1);
    for (const [number, person] of this.people.entries()) {
      const onEvent = ({ type, id }) => type === 'CHAT' && this.#hear(number, id);
      const client = await enter(server, person, { lastId: this.lastIds[number], onEvent });
      await client.hears(() => this.lastIds[number] === last);
      await client.leave();
    }
  }

  assertKept(rounds) {
    const received = this.entries.all().length;
    const verdicts = heardBy(this.entries.all()).map((heard) => judgeHeard(heard, this.order));
    const sum = (what) => verdicts.reduce((total, verdict) => total + verdict[what], 0);
    const [lost, displaced, missed] = [sum('lost'), sum('displaced'), sum('missed')];
    const doubled = this.doubled + sum('doubled');
    console.log(
      `chat: rounds=${rounds} received=${received} lost=${lost} doubled=${doubled} displaced=${displaced} ` +
        `missed=${missed} kept=${this.order.length}`,
    );
    assert.ok(received >= rounds, 'each round heard something');
    assert.deepEqual({ lost, doubled, displaced, missed }, { lost: 0, doubled: 0, displaced: 0, missed: 0 });
  }
}

/** What each person heard, in their order. */
function heardBy(lines) {
  const heard = Array.from({ length: PEOPLE }, () => []);
  for (const [person, id] of lines) heard[Number(person)].push(id);
  return heard;
}

/** The ids of all lines, oldest first, going on from those that were there before; and how many are there twice. */
export function judgeList(lines, before, listed = LISTED) {
  const bodies = new Set(lines.map(({ body }) => body));
  const ids = lines.map(({ id }) => id);
  // The list has an end; what is older was looked at in an earlier round.
  const known = lines.length === listed ? before.slice(before.indexOf(ids[0])) : before;
  assert.deepEqual(ids.slice(0, known.length), known, 'what was there before the power cut has changed');
  const doubled = ids.length - new Set(ids).size + (lines.length - bodies.size);
  return { order: [...before, ...ids.slice(known.length)], doubled };
}

/** A page that is opened gets the newest lines. */
export function judgeHistory(lines, order, inHistory = IN_HISTORY) {
  const ids = lines.map(({ id }) => id);
  assert.deepEqual(ids, order.slice(-inHistory), 'a page does not get the newest lines');
}

/** Heard but not kept; heard twice; heard with a hole or in another order than all others; and not heard at the end. */
export function judgeHeard(heard, order) {
  const positions = new Map(order.map((id, place) => [id, place]));
  const known = heard.filter((id) => positions.has(id));
  const positionBefore = (index) => (index === 0 ? -1 : positions.get(known[index - 1]));
  return {
    lost: heard.length - known.length,
    doubled: heard.length - new Set(heard).size,
    displaced: known.filter((id, index) => positions.get(id) !== positionBefore(index) + 1).length,
    missed: order.length - 1 - positionBefore(known.length),
  };
}
