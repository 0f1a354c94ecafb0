/**
 * Which sound a picture is heard with. Where not every browser can play what the broadcaster sends, the list has every
 * picture twice, at the same address: with that sound, and with AAC that an encoder beside the server makes of it. hls.js
 * would choose between them by bitrate, and the encoder may die: nobody should depend on it who need not.
 */

/** The group of sound that is encoded, as `hls::master` calls it. */
export const ENCODED = 'aac';
/** MP3, as the list calls it. */
const MP3 = 'mp4a.40.34';
/** What browsers may call it inside of MP4. Chromium plays it under no name, and hls.js lists it all the same. */
const MP3_NAMES = ['mp3', MP3];

/** What is used of hls.js's Level. */
interface Listed {
  uri: string;
  codecs: string;
  /** Undefined where there is no picture. */
  videoCodec?: string | undefined;
  audioGroups?: (string | undefined)[] | undefined;
}

/** What is used of hls.js. */
export interface Player {
  readonly levels: readonly Listed[];
  firstLevel: number;
  removeLevel: (place: number) => void;
}

/** Whether the media source of this browser plays a type. */
export type Plays = (type: string) => boolean;

const isEncoded = ({ audioGroups }: Listed) => audioGroups?.includes(ENCODED) ?? false;
/** Sounds without a picture show the same, wherever they are. */
const pictureOf = ({ uri, videoCodec }: Listed) => (videoCodec === undefined ? '' : uri);

/** Everything else that it cannot play hls.js has left out. */
function canPlay({ codecs }: Listed, plays: Plays): boolean {
  return !codecs.split(',').includes(MP3) || MP3_NAMES.some((name) => plays(`audio/mp4; codecs="${name}"`));
}

function isUnwanted(level: Listed, levels: readonly Listed[], plays: Plays): boolean {
  const isTwin = (other: Listed) => pictureOf(other) === pictureOf(level) && isEncoded(other) !== isEncoded(level);
  const twin = levels.find(isTwin);
  if (!twin) return false;
  const own = isEncoded(level) ? twin : level;
  return isEncoded(level) === canPlay(own, plays);
}

/** Leaves each picture in the list once: with the broadcaster's sound where this browser plays it, or else with AAC. */
export function chooseSound(hls: Player, plays: Plays): void {
  const { levels, firstLevel } = hls;
  const unwanted = levels.filter((level) => isUnwanted(level, levels, plays));
  for (const level of unwanted) hls.removeLevel(hls.levels.indexOf(level));
  // hls.js remembers the first of the list by its place, which is another one's now.
  const first = levels[firstLevel];
  if (first && unwanted.length > 0) {
    hls.firstLevel = hls.levels.findIndex((level) => pictureOf(level) === pictureOf(first));
  }
}
