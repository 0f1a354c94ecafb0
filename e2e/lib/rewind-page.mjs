// Players of others that go back in a live stream: hls.js and Shaka Player, on a page with nothing but a picture.
import { createRequire } from 'node:module';
import { eventually } from './eventually.mjs';

const require = createRequire(import.meta.url);
export const REWIND = '/hls/rewind.m3u8';
/** Loading, one segment, and a machine that is busy with others. */
const PLAY_DEADLINE_MS = 30_000;

/** Players with the file that holds them, and what makes them play `url` in the only picture of the page. */
export const JUDGES = {
  'hls.js': {
    file: () => require.resolve('hls.js/dist/hls.min.js'),
    begin: (url) => {
      const hls = new window.Hls({ lowLatencyMode: true, backBufferLength: 10 });
      hls.on(window.Hls.Events.ERROR, (_, { details, fatal, reason }) => {
        window.complaints.push(`${fatal ? 'fatal ' : ''}${details} ${reason ?? ''}`);
      });
      hls.loadSource(url);
      hls.attachMedia(window.video);
      window.judge = {
        first: () => hls.levels[hls.currentLevel].details.fragmentStart,
        live: () => hls.liveSyncPosition,
      };
    },
  },
  'Shaka Player': {
    file: () => require.resolve('shaka-player/dist/shaka-player.compiled.js'),
    begin: async (url) => {
      const { shaka } = window;
      shaka.polyfill.installAll();
      const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => window.complaints.push(`error ${detail.code}`));
      player.configure({ streaming: { lowLatencyMode: true } });
      await player.attach(window.video);
      await player.load(url);
      window.judge = {
        first: () => player.seekRange().start,
        live: () => player.seekRange().end - 3,
      };
    },
  },
};

/** Opens a page of the server's own origin that plays `path` with a judge, and waits until its picture moves. */
export async function playWith(page, server, judge, path = REWIND) {
  const address = new URL('/a-page-of-the-test', server.http).href;
  await page.route(address, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><video muted></video>' }),
  );
  await page.goto(address);
  await page.addScriptTag({ path: judge.file() });
  await page.evaluate(() => {
    window.video = document.querySelector('video');
    window.complaints = [];
    // How long a picture that plays had to wait for more, at most.
    window.longestWait = 0;
    let since;
    const end = () => {
      if (since !== undefined) window.longestWait = Math.max(window.longestWait, performance.now() - since);
      since = undefined;
    };
    window.video.addEventListener('waiting', () => {
      since = window.video.seeking ? undefined : performance.now();
    });
    for (const event of ['playing', 'seeking', 'timeupdate']) window.video.addEventListener(event, end);
  });
  await page.evaluate(judge.begin, new URL(path, server.http).href);
  await page.evaluate(() => void window.video.play());
  await untilMoves(page);
}

/** `{ time, first, live, complaints }` of the player, in seconds of its own time line. */
export function stateOf(page) {
  return page.evaluate(() => ({
    time: window.video.currentTime,
    first: window.judge.first(),
    live: window.judge.live(),
    complaints: window.complaints,
  }));
}

/** Waits until the picture has moved on for some seconds; returns for how many it had to wait for more, at most. */
export async function untilMoves(page, seconds = 1) {
  const look = () => page.evaluate(() => ({ time: window.video.currentTime, isSeeking: window.video.seeking }));
  const from = await look();
  let begun;
  await eventually(
    async () => {
      const { time, isSeeking } = await look();
      if (begun === undefined && !isSeeking && time > from.time) {
        // Until the first picture it may take its time.
        begun = time;
        await page.evaluate(() => {
          window.longestWait = 0;
        });
      }
      if (begun === undefined || time - begun < seconds) throw new Error(`the picture stands at ${time}`);
      return true;
    },
    { deadlineMs: PLAY_DEADLINE_MS + seconds * 1000 },
  );
  return (await page.evaluate(() => window.longestWait)) / 1000;
}

/** Goes to where `place` is, `'first'` or `'live'`, and waits until the picture moves there. */
export async function seekTo(page, place, seconds) {
  await page.evaluate((wanted) => {
    const { first, live } = window.judge;
    // The very first segment may leave the list meanwhile.
    window.video.currentTime = wanted === 'first' ? first() + 3 : live();
  }, place);
  return untilMoves(page, seconds);
}
