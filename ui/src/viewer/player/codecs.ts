/** What in the list of qualities a browser cannot decode, in the words people know. */
import type { Plays } from './twins.ts';

export interface UnplayableCodec {
  /** As in "HEVC"; undefined where nobody can say. */
  codec: string | undefined;
  /** Whether it is the picture that cannot be shown; otherwise it is the sound. */
  isPicture: boolean;
  /** The playlist of the sound, where that alone can be played. */
  sound: string | undefined;
}

/** What is used of the list as hls.js has read it, before it leaves anything out. */
export interface CodecList {
  levels: readonly { attrs: { CODECS?: string | undefined; AUDIO?: string | undefined } }[];
  audioTracks: readonly { groupId?: string | undefined; url: string }[];
}

const PICTURES: Record<string, string> = {
  avc1: 'H.264',
  avc3: 'H.264',
  hvc1: 'HEVC',
  hev1: 'HEVC',
  av01: 'AV1',
  vp09: 'VP9',
};
const SOUNDS: Record<string, string> = { opus: 'Opus', flac: 'FLAC', mp4a: 'AAC' };
const MP3 = 'mp4a.40.34';

/** The name of a format without what follows it. */
const kindOf = (codec: string) => codec.slice(0, 4).toLowerCase();
const isPicture = (codec: string) => kindOf(codec) in PICTURES;
const nameOf = (codec: string) => (codec === MP3 ? 'MP3' : (PICTURES[kindOf(codec)] ?? SOUNDS[kindOf(codec)] ?? codec));

function canPlay(codec: string, plays: Plays): boolean {
  const type = isPicture(codec) ? 'video' : 'audio';
  // The list writes "Opus" and "fLaC" as its standard does, browsers want them in small letters.
  return [codec, codec.toLowerCase()].some((name) => plays(`${type}/mp4; codecs="${name}"`));
}

export function unplayableIn({ levels, audioTracks }: CodecList, plays: Plays): UnplayableCodec {
  const listed = levels.map(({ attrs }) => ({ codecs: (attrs.CODECS ?? '').split(','), group: attrs.AUDIO }));
  const refused = listed.flatMap(({ codecs }) => codecs.filter((codec) => codec !== '' && !canPlay(codec, plays)));
  const first = refused.find(isPicture) ?? refused[0];
  const heard = listed.find(({ codecs }) => codecs.some((codec) => !isPicture(codec) && canPlay(codec, plays)));
  const track = audioTracks.find(({ groupId }) => heard && groupId === heard.group);
  return {
    codec: first && nameOf(first),
    isPicture: first === undefined || isPicture(first),
    sound: track?.url || undefined,
  };
}
