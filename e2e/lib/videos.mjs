// Past streams: how one is made, and what the server and its page say of it.
import { untilState } from './broadcast.mjs';
import { eventually } from './eventually.mjs';
import { get } from './hls.mjs';
import { publisherFor } from './publisher.mjs';

/** For a server that records everything, for everybody to see, with the chat. */
export const RECORDS = {
  env: {
    RILLCAST_RECORDING: 'on',
    RILLCAST_RECORDING_VISIBILITY: 'public',
    RILLCAST_RECORDING_CHAT: 'true',
    RILLCAST_RECORDING_MIN_FREE_GIGABYTES: '0',
  },
};

/** How much of a stream is enough to go to places in it. */
const SECONDS = 12;

export const publicVideos = async (server, query = '') =>
  JSON.parse((await get(server, `/api/videos?limit=50${query}`)).text);

export const videoItem = async (server, id) => JSON.parse((await get(server, `/api/videos/${id}`)).text);

/** Sends a clip for so many seconds, and returns what the list says of it once it is over; `during` runs meanwhile. */
export async function pastStream(t, server, { seconds = SECONDS, during = async () => {}, ...options } = {}) {
  const before = (await publicVideos(server)).total;
  const publisher = publisherFor(t, server, options);
  const { lastConnectTime } = await untilState(server, 'live');
  await during();
  await eventually(async () => {
    const { serverTime } = JSON.parse((await get(server, '/api/status')).text);
    return Date.parse(serverTime) - Date.parse(lastConnectTime) >= seconds * 1000;
  });
  await publisher.stop();
  await untilState(server, 'offline');
  return eventually(async () => {
    const page = await publicVideos(server);
    if (page.total <= before) throw new Error('the recording is not in the list');
    return page.results[0];
  });
}

/** `{ state, position, paused }` of the player of a past stream. */
export const replayOf = (page) =>
  page.evaluate(() => {
    const player = document.querySelector('#player');
    const video = player?.querySelector('video');
    if (!video) return undefined;
    return { state: player.dataset.state, position: video.currentTime, paused: video.paused, ready: video.readyState };
  });

/** Waits until it shows something at or behind that second, and at most `within` seconds behind it. */
export const untilAt = (page, seconds, within = 3) =>
  eventually(async () => {
    const now = await replayOf(page);
    const isThere = now && now.ready >= 2 && now.position >= seconds - 0.5 && now.position <= seconds + within;
    if (!isThere) throw new Error(`the video is not at ${seconds}: ${JSON.stringify(now)}`);
    return now;
  });

/** Notes for every message of the chat at which second of the video it appears; call before it plays. */
export async function noteMessages(page) {
  await page.evaluate(() => {
    window.appeared = [];
    const note = () => {
      const video = document.querySelector('#player video');
      for (const row of document.querySelectorAll('.chat-line:not([data-noted])')) {
        row.dataset.noted = '';
        window.appeared.push({ text: row.querySelector('.chat-body')?.textContent ?? '', at: video?.currentTime });
      }
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
    note();
  });
  return () => page.evaluate(() => window.appeared);
}
