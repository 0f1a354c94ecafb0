// Past streams with what was said meanwhile, and what their page says of itself.
import { SET_UP } from './admin.mjs';
import { untilState } from './broadcast.mjs';
import { eventually } from './eventually.mjs';
import { get } from './hls.mjs';
import { publish } from './publisher.mjs';

/** For a server that records everything, for everybody to see, with the chat. */
export const RECORDS = {
  args: [
    ...SET_UP,
    ...['--set', 'recording=on', '--set', 'recording_visibility=public', '--set', 'recording_chat=true'],
    ...['--set', 'recording_min_free_gigabytes=0'],
  ],
};

const json = async (server, path) => JSON.parse((await get(server, path)).text);

/** What everybody is told. */
export const publicVideos = (server) => json(server, '/api/videos?limit=50');
export const videoItem = (server, id) => json(server, `/api/videos/${id}`);
export const videoChat = (server, id) => json(server, `/api/videos/${id}/chat?from=0&to=600`);

/** Sends a clip for so many seconds, and returns what the list says of it once it is over; `during` runs meanwhile. */
export async function pastStream(server, { seconds, during }) {
  const publisher = publish(server);
  try {
    const { lastConnectTime } = await untilState(server, 'live');
    await during();
    await eventually(async () => {
      const { serverTime } = await json(server, '/api/status');
      return Date.parse(serverTime) - Date.parse(lastConnectTime) >= seconds * 1000;
    });
    await publisher.stop();
  } finally {
    await publisher.kill();
  }
  await untilState(server, 'offline');
  return eventually(async () => (await publicVideos(server)).results[0]);
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
