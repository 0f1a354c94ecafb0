// Servers in every condition that a page can show. Each is started when the first state needs it, and all states share it.
import { join } from 'node:path';
import { sessionClient, setUp } from '../../lib/admin.mjs';
import { untilState } from '../../lib/broadcast.mjs';
import { register } from '../../lib/chat.mjs';
import { NO_FLOOD_PROTECTION } from '../../lib/chat-page.mjs';
import { sqlite } from '../../lib/command.mjs';
import { publish } from '../../lib/publisher.mjs';
import { startServer, WITHOUT_FFMPEG } from '../../lib/server.mjs';
import { evening } from './evening.mjs';
import { furnish } from './furniture.mjs';
import { install } from './plugins.mjs';
import { RECORDS, REWINDS, recordings } from './recordings.mjs';

const NAME = 'Brook Radio';

/** `{ server, api, set, cookies }` of a server that is set up; all later states use its one session. */
async function settled({ args = [], env, name = NAME } = {}) {
  const server = await startServer({ args: [...args, ...NO_FLOOD_PROTECTION], env });
  const admin = await setUp(server, { name });
  const cookies = admin.cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: server.http };
  });
  return { server, set: admin.set, cookie: admin.cookie, cookies, api: sessionClient(server, admin) };
}

/** A chat that is open without a stream, in which something else is special. */
async function talking(settings, options) {
  const world = await settled(options);
  await world.set('chat/whenoffline', 'always');
  for (const [path, value] of Object.entries(settings)) await world.set(path, value);
  return world;
}

const MAKERS = {
  /** As it is after the program was started for the first time. */
  fresh: async () => ({ server: await startServer() }),
  /** Set up, and nothing else. */
  empty: () => settled({ name: undefined }),
  /** Nothing is on, but people talk, and everything is filled in. A picture that moves costs most of a core. */
  offline: async () => {
    const world = await talking({}, { env: WITHOUT_FFMPEG.env });
    await furnish(world);
    await past(world);
    await evening(world);
    await install(world);
    return world;
  },
  /** The same with a stream. */
  live: async () => {
    const world = await settled({ args: ['demo'] });
    await furnish(world);
    await untilState(world.server, 'live');
    await evening(world);
    return world;
  },
  /** Streams of the past that were recorded, with what was said meanwhile. */
  recorded: async () => {
    const world = await settled(RECORDS);
    await recordings(world);
    return world;
  },
  /** A stream in which one can go back. */
  rewinding: async () => {
    const world = await settled({ args: ['demo', ...REWINDS] });
    await world.set('streamtitle', 'Friday walk to the old mill');
    await untilState(world.server, 'live');
    return world;
  },
  /** The publisher was lost. */
  waiting: async () => {
    const world = await settled({ env: WITHOUT_FFMPEG.env });
    await world.set('streamtitle', 'Friday walk to the old mill');
    // As long as can be: all pictures of it follow each other.
    await world.set('video/graceseconds', 300);
    const publisher = publish(world.server);
    await untilState(world.server, 'live');
    await publisher.kill();
    await untilState(world.server, 'waiting');
    return world;
  },
  slow: () => talking({ 'chat/slowmode': 30 }),
  holding: () => talking({ 'chat/holdfirstmessage': true }),
  paused: () => talking({ 'chat/knownpeopleonly': true }),
  signedIn: () => talking({ 'chat/requireauthentication': true }),
  /** Another program has damaged the database: whether somebody has signed in cannot be looked up. */
  broken: async () => {
    const world = await settled();
    await sqlite(join(world.server.dataDir, 'rillcast.db'), 'ALTER TABLE sessions RENAME TO lost');
    return world;
  },
  chatless: () => talking({ 'chat/disable': true }),
};

/** A broadcast that is over, for the pages about those. */
async function past({ server, api }) {
  const publisher = publish(server, { loop: false, speed: 4 });
  await untilState(server, 'live');
  await publisher.ended;
  await api.post('/api/admin/disconnect', {});
  await untilState(server, 'offline');
}

/**
 * With somebody in front of the page whom the chat knows already: only so many new ones may come from one address. A chat
 * that is off takes nobody.
 */
async function withVisitor(world) {
  if (world.api) world.visitor = await register(world.server).catch(() => undefined);
  return world;
}

/** `use(name)` starts the world when it is not there yet; `end()` ends all. */
export function createWorlds() {
  const made = new Map();
  return {
    use: (name) => {
      if (!made.has(name)) made.set(name, MAKERS[name]().then(withVisitor));
      return made.get(name);
    },
    /** What a server did not take while it was filled: its pages show less than they could. */
    refused: async () => (await Promise.allSettled(made.values())).flatMap(({ value }) => value?.refused ?? []),
    end: async () => {
      const all = await Promise.allSettled(made.values());
      for (const { value } of all) {
        for (const person of value?.people ?? []) person.drop();
        await value?.server.stop();
      }
    },
  };
}
