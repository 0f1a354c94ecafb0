/**
 * hls.js from its sources, with what our stream needs and nothing else: audio in a playlist of its own is what its
 * "light" build lacks, and the full build is three times as large. No part of it that we use is changed.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { withoutLog } from './hls-log.ts';
import { inPlaceOf } from './in-place-of.ts';

const HLS = new URL('node_modules/hls.js/', import.meta.url);
const ABSENT = fileURLToPath(new URL('src/viewer/player/hls-absent.ts', import.meta.url));

/** The optional parts, by the names of its own build. */
const PARTS = {
  ALT_AUDIO: true,
  CMCD: false,
  CONTENT_STEERING: false,
  EME_DRM: false,
  IFRAMES: false,
  INTERSTITIALS: false,
  M2TS_ADVANCED_CODECS: false,
  MEDIA_CAPABILITIES: false,
  SUBTITLES: false,
  VARIABLE_SUBSTITUTION: false,
};
// A part that a newer version adds would otherwise be an undefined name in the browser.
const undecided = [...readFileSync(new URL('src/define-plugin.d.ts', HLS), 'utf8').matchAll(/__USE_(\w+)__/g)]
  .map((match) => match[1] ?? '')
  .filter((name) => !(name in PARTS));
if (undecided.length > 0) throw new Error(`decide on these parts of hls.js: ${undecided.join(', ')}`);

export const hlsDefines = {
  __VERSION__: JSON.stringify(JSON.parse(readFileSync(new URL('package.json', HLS), 'utf8')).version),
  __IN_WORKER__: 'false',
  __HLS_WORKER_BUNDLE__: 'undefined',
  ...Object.fromEntries(Object.entries(PARTS).map(([name, used]) => [`__USE_${name}__`, String(used)])),
};

export const hlsAliases = [
  { find: /^hls\.js$/, replacement: fileURLToPath(new URL('src/hls.ts', HLS)) },
  // Only the parts that are off import these.
  { find: /^@svta\/cml-(cmcd|utils)$/, replacement: fileURLToPath(new URL('src/empty-es.js', HLS)) },
];

/**
 * Modules that its build has no switch for. Our stream is MP4 in the clear and without metadata, goes to the browser as
 * it is, and is asked for with XMLHttpRequest; which quality is shown depends on the connection alone.
 */
const LEFT_OUT = new Set([
  // What takes other containers apart and makes MP4 of them.
  ...['./audio/aacdemuxer', './audio/ac3-demuxer', './audio/mp3demuxer', '../demux/tsdemuxer', './mp4-generator'],
  // Encryption.
  ...['../crypt/decrypter', './loader/key-loader'],
  // Metadata and captions.
  ...['./controller/id3-track-controller', './utils/cues'],
  // Qualities by the size of the picture and by dropped frames.
  ...['./controller/cap-level-controller', './controller/fps-controller'],
  // Streaming of responses.
  './utils/fetch-loader',
]);
/** This one others import from too, who need the rest of it. */
const REMUXER = '../remux/mp4-remuxer';

const isOfHls = (path: string | undefined) => path?.includes('/hls.js/src/') ?? false;

const leaveOut = () =>
  inPlaceOf(
    new Set([...LEFT_OUT, REMUXER]),
    ABSENT,
    (source, importer) => isOfHls(importer) && (source !== REMUXER || importer.endsWith('/demux/transmuxer.ts')),
  );

/** Its log is off in every page of ours, and the sentences in it are a tenth of what a viewer downloads. */
function leaveOutLog(): Plugin {
  return {
    name: 'rillcast-hls-log',
    apply: 'build',
    enforce: 'post',
    transform: (code, id) => (isOfHls(id) ? { code: withoutLog(code), map: null } : undefined),
  };
}

/** The controls bring a list of their keys along, which never opens: ours are other ones. */
const leaveOutKeyList = () =>
  inPlaceOf(new Set(['./media-keyboard-shortcuts-dialog.js']), ABSENT, (_source, importer) =>
    importer.includes('/media-chrome/dist/'),
  );

export const playerParts = () => [leaveOut(), leaveOutLog(), leaveOutKeyList()];
