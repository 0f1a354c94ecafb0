// One viewer: hls.js in a real browser, and what it did as JSON on standard output when standard input ends.
//
//   node player.mjs URL CONFIG_JSON
//
// Prints `{"playing":true}` as soon as the picture moves, and at the end a report: latency (wall clock minus the
// PROGRAM-DATE-TIME of the shown picture), stalls (times at which the picture stood still), errors, dropped frames.
// With `readsClock` in the configuration, the clock that glass.py draws into the pictures is read back: [seen at, made at].
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const { chromium } = createRequire(join(ROOT, 'e2e', 'package.json'))('playwright-core');
const HLS = createRequire(join(ROOT, 'ui', 'package.json')).resolve('hls.js/dist/hls.min.js');

const FLAGS = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--autoplay-policy=no-user-gesture-required',
];
const START_DEADLINE_MS = 40_000;

/** Runs in the page: plays, and keeps a diary in `window.diary`. */
function play([url, { readsClock, ...config }]) {
  /** As in glass.py: so many blocks in the upper rows, of so many pixels. */
  const [BLOCKS, BLOCK, STRIP] = [32, 20, 40];
  const SAMPLE_MS = 50;
  /** A decoder's hiccup is no stall. */
  const STALL_MS = 250;
  const video = document.querySelector('video');
  const hls = new window.Hls({ lowLatencyMode: true, ...config });
  const diary = {
    startedAt: Date.now(),
    playingAt: null,
    latencies: [],
    stalls: [],
    fatal: [],
    errors: {},
    rates: [],
    clock: [],
  };
  window.diary = diary;
  window.video = video;
  hls.on(window.Hls.Events.ERROR, (_, error) => {
    diary.errors[error.details] = (diary.errors[error.details] ?? 0) + 1;
    if (error.fatal)
      diary.fatal.push({ at: Date.now(), details: error.details, reason: String(error.error ?? error.reason ?? '') });
    if (error.fatal && error.type === window.Hls.ErrorTypes.NETWORK_ERROR && diary.playingAt === null) {
      // The stream may not be there yet.
      setTimeout(() => hls.loadSource(url), 200);
      diary.fatal.pop();
    }
  });
  hls.attachMedia(video);
  hls.loadSource(url);
  video.play().catch(() => {});
  const canvas = new OffscreenCanvas(BLOCKS * BLOCK, STRIP);
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const readClock = () => {
    const seenAt = Date.now();
    brush.drawImage(video, 0, 0, BLOCKS * BLOCK, STRIP, 0, 0, BLOCKS * BLOCK, STRIP);
    const { data } = brush.getImageData(0, STRIP / 2, BLOCKS * BLOCK, 1);
    let madeAt = 0;
    // The middle of each block, where the encoder has least to do with its neighbours.
    for (let bit = 0; bit < BLOCKS; bit += 1) if (data[(bit * BLOCK + BLOCK / 2) * 4] > 127) madeAt += 2 ** bit;
    diary.clock.push([seenAt, madeAt]);
    video.requestVideoFrameCallback(readClock);
  };
  if (readsClock) video.requestVideoFrameCallback(readClock);
  let [lastTime, movedAt] = [0, null];
  setInterval(() => {
    const now = Date.now();
    if (video.currentTime !== lastTime) {
      if (movedAt !== null && now - movedAt > STALL_MS) diary.stalls.push({ from: movedAt, to: now });
      diary.playingAt ??= now;
      [lastTime, movedAt] = [video.currentTime, now];
      const latency = hls.playingDate ? now - hls.playingDate.getTime() : hls.latency * 1000;
      diary.latencies.push([now, Math.round(latency)]);
      diary.rates.push(video.playbackRate);
    }
    diary.standsSince = movedAt !== null && now - movedAt > STALL_MS ? movedAt : null;
  }, SAMPLE_MS);
}

function summarise() {
  const { diary, video } = window;
  const quality = video.getVideoPlaybackQuality();
  const frames = { shown: quality.totalVideoFrames, dropped: quality.droppedVideoFrames };
  return {
    ...diary,
    rates: undefined,
    fastest: Math.max(...diary.rates, 0),
    frames,
    size: [video.videoWidth, video.videoHeight],
  };
}

const [url, config = '{}'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: false,
  args: FLAGS,
});
try {
  const page = await browser.newPage();
  await page.setContent('<video muted autoplay playsinline width="640" height="360"></video>');
  await page.addScriptTag({ path: HLS });
  await page.evaluate(play, [url, JSON.parse(config)]);
  const toldToStop = new Promise((resolve) => process.stdin.resume().once('end', resolve));
  const hasStarted = () => window.diary.playingAt !== null;
  await page.waitForFunction(hasStarted, undefined, { timeout: START_DEADLINE_MS }).catch(async () => {
    const { errors, fatal } = await page.evaluate(() => window.diary);
    throw new Error(`the picture does not move: ${JSON.stringify({ errors, fatal })}`);
  });
  console.log(JSON.stringify({ playing: true }));
  await toldToStop;
  console.log(JSON.stringify(await page.evaluate(summarise)));
} finally {
  await browser.close();
}
