// A broadcast that the ffmpeg of most systems cannot publish: the pictures of one clip with the sound of another, over
// and over and as they pass, each in a loop of its own.
import { afterwards } from './cleanup.mjs';
import { tagPublisherFor, tagsOf } from './tags.mjs';

const PICTURE = 9;
const SOUND = 8;
/** How often it is looked whether something is due. */
const STEP_MS = 20;

/** Frames, and not what is said about all of them: H.264 as it has always been sent, sound as Enhanced RTMP sends it. */
function isFrame({ kind, body }) {
  return kind === PICTURE ? body[1] === 1 : (body[0] & 0x0f) === 1;
}

/** One kind of tags of a file, without end: what is said once, then the frames again and again. */
async function* trackOf(file, kind) {
  const tags = (await tagsOf(file)).filter((tag) => tag.kind === kind);
  const frames = tags.filter(isFrame);
  yield* tags.slice(0, tags.indexOf(frames[0]));
  const lasts = frames[1].timestamp - frames[0].timestamp;
  const length = frames.at(-1).timestamp + lasts;
  for (let round = 0; ; round += 1) {
    for (const frame of frames) yield { ...frame, timestamp: frame.timestamp + round * length };
  }
}

/**
 * Publishes the pictures of the file `picture` with the sound of the file `sound`, until test `t` has ended.
 * @returns {Promise<{stop: () => void}>} `stop` ends it in good order.
 */
export async function mixedPublisherFor(t, server, { picture, sound }) {
  const publisher = await tagPublisherFor(t, server);
  const tracks = await Promise.all(
    [trackOf(picture, PICTURE), trackOf(sound, SOUND)].map(async (tags) => ({
      tags,
      next: (await tags.next()).value,
    })),
  );
  const began = Date.now();
  let isOver = false;
  let timer;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  const step = async () => {
    const due = [];
    for (const track of tracks) {
      while (track.next.timestamp <= Date.now() - began) {
        due.push(track.next);
        track.next = (await track.tags.next()).value;
      }
    }
    if (isOver) return;
    publisher.send(due.sort((one, other) => one.timestamp - other.timestamp));
    timer = setTimeout(step, STEP_MS);
  };
  await step();
  afterwards(t, end);
  return {
    stop: () => {
      end();
      publisher.stop();
    },
  };
}
