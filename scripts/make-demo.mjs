#!/usr/bin/env node
// Makes crates/media/assets/demo.flv, the built-in stream of `rillcast demo`: a picture that shows what a stream should
// do (seconds, frames, an even sweep) with a note per second, in a loop whose end fits its beginning.
//
//   node scripts/make-demo.mjs            the clip
//   node scripts/make-demo.mjs --shots    also some frames as PNG below e2e/shots/
//
// 16 s are 480 frames at 30 fps, 8 closed groups of pictures, and exactly 750 AAC frames at 48 kHz.
// Needs Chromium (draws), ffmpeg with libx264 (encodes) and the packages of e2e/. The result is committed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const { chromium } = createRequire(join(ROOT, 'e2e', 'package.json'))('playwright-core');

const OUT = join(ROOT, 'crates', 'media', 'assets', 'demo.flv');
const SECONDS = 16;
const FPS = 30;
const AUDIO_FRAMES = (SECONDS * 48_000) / 1024;
/** The clip is inside the binary. */
const MAX_BYTES = 600_000;
/** Frames worth looking at: the seam, the middle, the change of a second. */
const SHOTS = [0, 15, 29, 30, 220, 479];

/** Draws frame `frame`; runs in the page, so everything it needs is inside. Every motion has a whole number of turns. */
function draw(canvas, frame, { seconds, fps }) {
  const [width, height] = [1280, 720];
  const frames = seconds * fps;
  const turn = (frame / frames) * 2 * Math.PI;
  const c = canvas.getContext('2d');

  const deep = c.createLinearGradient(140, 0, 0, height);
  deep.addColorStop(0, '#10424b');
  deep.addColorStop(1, '#0a252c');
  c.fillStyle = deep;
  c.fillRect(0, 0, width, height);

  const water = () => {
    const lines = 7;
    c.lineWidth = 2;
    for (let line = 0; line < lines; line += 1) {
      const depth = line / (lines - 1);
      c.strokeStyle = `rgb(95 208 197 / ${0.6 - 0.42 * depth})`;
      c.beginPath();
      for (let x = 0; x <= width; x += 8) {
        const along = x / width;
        const swell = (12 + 16 * depth) * (1 - 0.35 * along);
        const y = 516 + depth * (180 - 105 * along) + swell * Math.sin(along * (9 - 3 * depth) + depth * 2.2 - turn);
        if (x === 0) c.moveTo(x, y);
        else c.lineTo(x, y);
      }
      c.stroke();
    }
  };

  const mark = (x, y, size) => {
    c.save();
    c.translate(x, y);
    c.scale(size / 64, size / 64);
    const fill = c.createLinearGradient(0, 0, 22, 64);
    fill.addColorStop(0, '#12707a');
    fill.addColorStop(1, '#08303a');
    c.fillStyle = fill;
    c.beginPath();
    c.roundRect(0, 0, 64, 64, 16);
    c.fill();
    c.lineCap = 'round';
    c.lineWidth = 5;
    const waves = [
      ['#8ff0e4', 'M12 23c7-7 13-7 20 0s13 7 20 0'],
      ['#4fc3bb', 'M12 35c7-7 13-7 20 0s13 7 20 0'],
      ['#2b949a', 'M22 47c4-3.5 6.5-3.5 10 0s6 3.5 10 0'],
    ];
    for (const [colour, path] of waves) {
      c.strokeStyle = colour;
      c.stroke(new Path2D(path));
    }
    c.restore();
  };

  const text = (
    words,
    x,
    y,
    size,
    colour,
    { weight = 400, align = 'left', family = '"DejaVu Sans Condensed"' } = {},
  ) => {
    c.font = `${weight} ${size}px ${family}, sans-serif`;
    c.textAlign = align;
    c.fillStyle = colour;
    c.fillText(words, x, y);
  };

  const dial = (x, y, radius) => {
    const second = frame / fps;
    c.lineCap = 'round';
    for (let tick = 0; tick < seconds; tick += 1) {
      const angle = (tick / seconds) * 2 * Math.PI - Math.PI / 2;
      const isPast = tick <= Math.floor(second);
      c.strokeStyle = isPast ? '#8ff0e4' : '#2f6a70';
      c.lineWidth = tick % 4 === 0 ? 6 : 4;
      const inner = radius - (tick % 4 === 0 ? 26 : 18);
      c.beginPath();
      c.moveTo(x + Math.cos(angle) * inner, y + Math.sin(angle) * inner);
      c.lineTo(x + Math.cos(angle) * radius, y + Math.sin(angle) * radius);
      c.stroke();
    }
    const hand = turn - Math.PI / 2;
    c.fillStyle = '#f4fffd';
    c.beginPath();
    c.arc(x + Math.cos(hand) * (radius + 22), y + Math.sin(hand) * (radius + 22), 9, 0, 2 * Math.PI);
    c.fill();
    const whole = String(Math.floor(second)).padStart(2, '0');
    text(whole, x, y + 34, 112, '#e9f6f4', { weight: 700, align: 'center' });
    text(`frame ${String(frame).padStart(3, '0')}`, x, y + 78, 26, '#a9cbc9', {
      align: 'center',
      family: '"DejaVu Sans Mono"',
    });
  };

  /** One way in two seconds, as long as a group of pictures. */
  const sweep = (x, y, long) => {
    const part = (frame % (2 * fps)) / (2 * fps);
    c.lineCap = 'round';
    c.lineWidth = 8;
    c.strokeStyle = '#1c4a52';
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + long, y);
    c.stroke();
    c.fillStyle = '#5fd0c5';
    c.beginPath();
    c.arc(x + long * part, y, 11, 0, 2 * Math.PI);
    c.fill();
  };

  water();
  mark(88, 88, 88);
  text('Rillcast', 200, 134, 52, '#e9f6f4', { weight: 700 });
  text('Demo stream', 202, 172, 26, '#a9cbc9');
  text('It works: this comes from your server.', 88, 304, 32, '#e9f6f4', { weight: 700 });
  text('One note per second, one sweep every two.', 88, 350, 27, '#a9cbc9');
  sweep(92, 404, 470);
  dial(972, 262, 168);
}

function ffmpeg(args, options) {
  const done = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { stdio: 'inherit', ...options });
  if (done.status !== 0) throw new Error(`ffmpeg ended with ${done.status}`);
}

async function makePicture(file, hasShots) {
  const encoder = spawn(
    'ffmpeg',
    [
      ...['-v', 'error', '-y', '-f', 'image2pipe', '-c:v', 'png', '-framerate', String(FPS), '-i', 'pipe:0'],
      ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'],
      ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
      ...['-c:v', 'libx264', '-threads', '1', '-preset', 'veryslow', '-profile:v', 'high', '-bf', '0'],
      ...['-g', String(2 * FPS), '-keyint_min', String(2 * FPS), '-sc_threshold', '0'],
      ...['-crf', '29', '-x264-params', 'aq-mode=3:chroma-qp-offset=-6'],
      ...['-flags:v', '+bitexact', '-fflags', '+bitexact', file],
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    chromiumSandbox: false,
    args: ['--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.setContent('<canvas width="1280" height="720"></canvas>');
    await page.addScriptTag({ content: `window.draw = ${draw}` });
    for (let frame = 0; frame < SECONDS * FPS; frame += 1) {
      const url = await page.evaluate(
        ([at, about]) => {
          const canvas = document.querySelector('canvas');
          window.draw(canvas, at, about);
          return canvas.toDataURL('image/png');
        },
        [frame, { seconds: SECONDS, fps: FPS }],
      );
      const png = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
      if (!encoder.stdin.write(png)) await once(encoder.stdin, 'drain');
      if (hasShots && SHOTS.includes(frame)) writeFileSync(join(ROOT, 'e2e', 'shots', `demo-${frame}.png`), png);
    }
  } finally {
    await browser.close();
    encoder.stdin.end();
  }
  const [code] = await once(encoder, 'close');
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`);
}

/** A plucked note per second out of a pentatonic scale; its echo fades before the next one, and nothing clicks. */
function makeSound(folder) {
  const hertz = [220, 330, 440, 294, 392, 330, 262, 392];
  const note = hertz.reduceRight(
    (rest, pitch, at) => `if(lt(mod(floor(t),${hertz.length}),${at + 1}),${pitch},${rest})`,
  );
  const envelope = 'min(1,mod(t,1)*80)*exp(-4.5*mod(t,1))*(1-pow(mod(t,1),8))';
  const overtones = (third) => `sin(2*PI*ld(0)*t)+0.3*sin(4*PI*ld(0)*t)+${third}*sin(6*PI*ld(0)*t)`;
  // The two sides differ a little, which sounds wide.
  const [left, right] = [0.12, 0.05].map((third) => `st(0,${note})*0+0.16*${envelope}*(${overtones(third)})`);
  const rounds = join(folder, 'rounds.aac');
  ffmpeg([
    ...['-f', 'lavfi', '-i', `aevalsrc='${left}|${right}':s=48000:d=${SECONDS * 3}`],
    ...['-c:a', 'aac', '-threads', '1', '-b:a', '44k', '-flags:a', '+bitexact', '-f', 'adts', rounds],
  ]);
  const sound = join(folder, 'sound.aac');
  const cut = [join(ROOT, 'scripts', 'clips.py'), 'cut', rounds, sound, String(AUDIO_FRAMES + 1), String(AUDIO_FRAMES)];
  if (spawnSync('python3', cut, { stdio: 'inherit' }).status !== 0) throw new Error('cutting the sound failed');
  return sound;
}

const hasShots = process.argv.includes('--shots');
if (hasShots) mkdirSync(join(ROOT, 'e2e', 'shots'), { recursive: true });
mkdirSync(dirname(OUT), { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'rillcast-demo-'));
try {
  const picture = join(folder, 'picture.mp4');
  await makePicture(picture, hasShots);
  const sound = makeSound(folder);
  const maps = ['-map', '0:v', '-map', '1:a', '-c', 'copy', '-map_metadata', '-1'];
  // Without the encoder's settings, which x264 writes into every first frame.
  const plain = ['-bsf:v', 'filter_units=remove_types=6', '-fflags', '+bitexact', '-f', 'flv'];
  ffmpeg(['-i', picture, '-i', sound, ...maps, ...plain, OUT]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const size = statSync(OUT).size;
console.log(`${OUT}: ${size} bytes`);
if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
