// People at a cluster to which something happens: node chaos.mjs '{"all": …, "steady": …, "hit": …}'
//
// `all` and `steady` are addresses, `hit` is the name of a machine: whoever is there came through HAProxy, as people do.
// Says `ready` when everybody is there. When its input ends, it waits for what is under way and prints a report. A line is
// acknowledged when its own author hears it. Whoever is thrown out comes back with what was heard last.
import { enter, register } from '../e2e/lib/chat.mjs';
import { eventually } from '../e2e/lib/eventually.mjs';
import { parse, VIDEO } from '../e2e/lib/hls.mjs';

const BETWEEN_LINES_MS = 100;
const AGAIN_MS = 250;
const UNDER_WAY_MS = 20_000;
// HAProxy deals them out: some are where something happens.
const VIEWERS = 6;
const MOST_PARTS = 1_000;
const MOST_TRIES = 20;
const RELOAD_MS = 6_000;

const about = JSON.parse(process.argv[2]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let isOver = false;

/** Somebody who stays at an address, and at first at a machine, if it has a name. */
async function person(name, http, machine) {
  const who = await register({ http }, name);
  /** How often each line was heard. */
  const heard = new Map();
  const self = { heard, losses: 0, longestSilenceMs: 0, client: undefined };
  let lastId;
  let lastAt = performance.now();
  const onEvent = ({ type, id, body }) => {
    const number = type === 'CHAT' ? /chaos (\d+)/.exec(body)?.[1] : undefined;
    if (number === undefined) return;
    lastId = id;
    heard.set(Number(number), (heard.get(Number(number)) ?? 0) + 1);
    self.longestSilenceMs = Math.max(self.longestSilenceMs, performance.now() - lastAt);
    lastAt = performance.now();
  };
  self.client = await enterAt(machine, () => enter({ http }, who, { onEvent }));
  const stay = async () => {
    while (!isOver) {
      await self.client.closed;
      if (isOver) return;
      self.losses += 1;
      while (!isOver) {
        try {
          self.client = await enter({ http }, who, { lastId, onEvent });
          break;
        } catch {
          await pause(AGAIN_MS);
        }
      }
    }
  };
  void stay();
  return self;
}

/** Comes in until HAProxy has led to that machine; it leads to where the fewest are, so the others stay meanwhile. */
async function enterAt(machine, come) {
  const others = [];
  let client = await come();
  while (machine && client.node() !== machine) {
    if (others.length > MOST_TRIES) throw new Error(`HAProxy does not lead to ${machine}`);
    others.push(client);
    client = await come();
  }
  for (const other of others) other.drop();
  return client;
}

/** Follows the list through HAProxy, and remembers the longest time without a new part. */
function viewer() {
  const self = { parts: 0, longestGapMs: 0 };
  const watch = async () => {
    let place = 0;
    let lastAt = performance.now();
    let query = '';
    while (!isOver) {
      try {
        const response = await fetch(about.all + VIDEO + query, { signal: AbortSignal.timeout(RELOAD_MS) });
        const text = await response.text();
        if (response.status !== 200) throw new Error(`${response.status}`);
        const { mediaSequence, segments, hint, lines } = parse(text);
        const open = mediaSequence + segments.length;
        const lastSegment = lines.findLastIndex((line) => !line.startsWith('#'));
        const openParts = lines.slice(lastSegment + 1).filter((line) => line.startsWith('#EXT-X-PART:')).length;
        // Forward only: HAProxy may lead to a machine that is behind.
        const now = open * MOST_PARTS + openParts;
        if (now > place) {
          if (self.parts > 0) self.longestGapMs = Math.max(self.longestGapMs, performance.now() - lastAt);
          [place, lastAt] = [now, performance.now()];
          self.parts += 1;
        }
        query = hint ? `?_HLS_msn=${open}&_HLS_part=${openParts}` : '';
        if (!hint) await pause(AGAIN_MS);
      } catch {
        query = '';
        await pause(AGAIN_MS);
      }
    }
    // One that did not come back stands still to the end.
    self.longestGapMs = Math.max(self.longestGapMs, performance.now() - lastAt);
  };
  self.ended = watch();
  return self;
}

const [talker, listener] = [
  await person('Talker', about.steady),
  await person('Listener', about.all, about.hit),
];
const viewers = Array.from({ length: VIEWERS }, viewer);
let sent = 0;
const talking = setInterval(() => {
  if (!talker.client.isOpen()) return;
  talker.client.say(`chaos ${sent}`);
  sent += 1;
}, BETWEEN_LINES_MS);
await eventually(() => listener.heard.size > 0);
console.log('ready');

for await (const _ of process.stdin);
clearInterval(talking);
const isThere = () => [...talker.heard.keys()].every((number) => listener.heard.has(number));
await eventually(() => talker.heard.size === sent && isThere(), { deadlineMs: UNDER_WAY_MS }).catch(() => {});
isOver = true;
await Promise.all(viewers.map(({ ended }) => ended));
const acknowledged = [...talker.heard.keys()];
const lost = acknowledged.filter((number) => !listener.heard.has(number));
const report = {
  sent,
  acknowledged: acknowledged.length,
  lost: lost.length,
  lostNumbers: lost,
  doubled: [...talker.heard.values(), ...listener.heard.values()].filter((times) => times > 1).length,
  losses: [talker.losses, listener.losses],
  longestSilenceMs: listener.longestSilenceMs,
  parts: viewers.map(({ parts }) => parts),
  longestGapMs: Math.max(...viewers.map(({ longestGapMs }) => longestGapMs)),
};
console.log(JSON.stringify(report));
process.exit(0);
