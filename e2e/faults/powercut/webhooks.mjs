// A webhook: every line that anybody heard arrives, and never under two delivery ids.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { sessionClient } from '../../lib/admin.mjs';
import { enter, register } from '../../lib/chat.mjs';
import { afterwards } from '../../lib/cleanup.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { operatorAsks } from './busy.mjs';
import { Entries } from './entries.mjs';
import { keepTalking } from './talking.mjs';

const PEOPLE = 3;
/** More than five thousand are given up, oldest first; with so many the receiver is well. */
const MANY_WAITING = 2_000;
export const SECRET = 'a secret of the test';
/** Receivers are told to refuse what is older. */
const TOLERANCE_S = 300;
/** A receiver that is too slow on a busy machine is left in peace for a while, unless somebody hurries. */
const HURRY_AFTER_MS = 2000;
/** When nothing has arrived for this long although somebody hurries, nothing more will. */
const SILENCE_MS = 45_000;
const ARRIVAL_DEADLINE_MS = 600_000;

/** A `PowerCutLedger` of `world.mjs`. */
export class WebhookLedger {
  most = 20;

  /** @param {(below: number) => number} random decides how the receiver answers in a round */
  constructor(folder, random) {
    this.entries = new Entries(join(folder, 'webhooks'));
    this.random = random;
    this.people = [];
    this.clients = [];
  }

  async prepare({ server, admin, file }) {
    this.admin = admin;
    this.receiver = await startReceiver(file);
    const wanted = { url: this.receiver.url, events: ['CHAT'], secret: SECRET, allowInternal: true };
    const made = await sessionClient(server, admin).post('/api/admin/webhooks/create', wanted);
    assert.equal(made.status, 200, made.text);
    this.webhook = made.json().id;
    const names = Array.from({ length: PEOPLE }, (_, number) => `listener ${number}`);
    this.people = await Promise.all(names.map((name) => register(server, name)));
  }

  async enter(server) {
    const [{ waiting }] = await operatorAsks(server, this.admin, '/api/admin/webhooks');
    const mood = ['well', 'well', 'silent', 'failing'][this.random(4)];
    this.receiver.mood = waiting > MANY_WAITING ? 'well' : mood;
    if (this.receiver.mood === 'well') await this.#hurry(server);
    const onEvent = ({ type, id }) => type === 'CHAT' && this.entries.add(id);
    this.clients = await Promise.all(this.people.map((person) => enter(server, person, { onEvent })));
  }

  /** Any change of a webhook sends what waits at once. */
  async #hurry(server) {
    await operatorAsks(server, this.admin, '/api/admin/webhooks/update', { id: this.webhook, enabled: true });
  }

  async write({ round, onAcknowledged }) {
    await Promise.all(this.clients.map((client) => keepTalking(client, round, onAcknowledged)));
  }

  /** What arrives is judged at the end; here nobody may be left who still hears of the server before. */
  async judge() {
    await Promise.all(this.clients.map(({ closed }) => closed));
  }

  /** Nobody talks any more: waits until all has arrived, or nothing arrives any more. */
  async finish(server) {
    const { receiver } = this;
    const heard = this.#heard();
    let hurriedAt = Date.now();
    receiver.arrivedAt = hurriedAt;
    receiver.recover();
    await this.#hurry(server);
    const hasEnded = async () => {
      if (Date.now() - Math.max(hurriedAt, receiver.arrivedAt) > HURRY_AFTER_MS) {
        await this.#hurry(server);
        hurriedAt = Date.now();
      }
      [{ waiting: this.waiting }] = await operatorAsks(server, this.admin, '/api/admin/webhooks');
      return this.waiting === 0 && judgeArrived(heard, receiver.arrived).lost === 0;
    };
    const giveUp = () => Date.now() - receiver.arrivedAt > SILENCE_MS;
    const ended = eventually(hasEnded, { deadlineMs: ARRIVAL_DEADLINE_MS, giveUp });
    await ended.catch((error) => console.log(error.message)); // the verdict says what is missing
  }

  #heard() {
    return new Set(this.entries.all().map(([id]) => id));
  }

  assertKept(rounds) {
    const heard = this.#heard();
    const { arrived } = this.receiver;
    const { lost, renamed, forged } = judgeArrived(heard, arrived);
    const { waiting } = this;
    console.log(
      `webhooks: rounds=${rounds} heard=${heard.size} requests=${arrived.length} lost=${lost} renamed=${renamed} ` +
        `forged=${forged} waiting=${waiting}`,
    );
    assert.ok(heard.size >= rounds, 'each round heard something');
    assert.deepEqual({ lost, renamed, forged, waiting }, { lost: 0, renamed: 0, forged: 0, waiting: 0 });
  }
}

/**
 * Lines that were heard and never taken; lines under two deliveries and deliveries of two lines; and requests that the
 * server did not sign.
 * @param {Set<string>} heard
 * @param {{delivery: string, id: string, isTaken: boolean, isGenuine: boolean}[]} arrived
 */
export function judgeArrived(heard, arrived) {
  const taken = new Set(arrived.filter(({ isTaken }) => isTaken).map(({ id }) => id));
  const deliveriesOf = new Map();
  const linesOf = new Map();
  for (const { delivery, id } of arrived) {
    deliveriesOf.set(id, (deliveriesOf.get(id) ?? new Set()).add(delivery));
    linesOf.set(delivery, (linesOf.get(delivery) ?? new Set()).add(id));
  }
  return {
    lost: [...heard].filter((id) => !taken.has(id)).length,
    renamed: [...deliveriesOf.values(), ...linesOf.values()].filter(({ size }) => size !== 1).length,
    forged: arrived.filter(({ isGenuine }) => !isGenuine).length,
  };
}

/** Whether the webhook's secret signed this body lately. */
export function isSigned(header, body, nowSeconds = Date.now() / 1000) {
  const [, time, proof] = /^t=(\d+)\.s=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  const wanted = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
  return proof === wanted && Math.abs(nowSeconds - Number(time)) < TOLERANCE_S;
}

/** Remembers what arrives until the file has ended, and answers as `mood` says. */
async function startReceiver(file) {
  const unanswered = [];
  const receiver = {
    arrived: [],
    /** When something arrived last. */
    arrivedAt: 0,
    /** `'well'`, `'silent'` (takes it and does not answer) or `'failing'`. */
    mood: 'well',
    /** Is well from now on, and answers those who still wait. */
    recover: () => {
      receiver.mood = 'well';
      for (const { request, response } of unanswered.splice(0)) {
        if (response.destroyed) continue;
        request.isTaken = true;
        response.writeHead(204).end();
      }
    },
  };
  const server = createServer((message, response) => {
    const chunks = [];
    message.on('data', (chunk) => chunks.push(chunk));
    message.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const request = {
        delivery: message.headers['rillcast-delivery'],
        id: JSON.parse(body).eventData.id,
        isTaken: receiver.mood === 'well',
        isGenuine: isSigned(message.headers['rillcast-signature'], body),
      };
      receiver.arrived.push(request);
      receiver.arrivedAt = Date.now();
      if (receiver.mood === 'silent') unanswered.push({ request, response });
      else response.writeHead(request.isTaken ? 204 : 503).end();
    });
    message.on('error', () => {}); // the power is off
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(file, () => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${server.address().port}/hook`;
  return receiver;
}
