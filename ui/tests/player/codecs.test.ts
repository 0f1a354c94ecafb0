import { describe, expect, test } from 'vitest';
import { type CodecList, unplayableIn } from '../../src/viewer/player/codecs.ts';

const TRACKS = [
  { groupId: 'audio', url: '/hls/audio/audio.m3u8' },
  { groupId: 'aac', url: '/hls/aac/audio.m3u8' },
];
const list = (...levels: [codecs: string, group?: string][]): CodecList => ({
  levels: levels.map(([CODECS, AUDIO]) => ({ attrs: { CODECS, AUDIO } })),
  audioTracks: TRACKS,
});
const without = (...codecs: string[]) => {
  return (type: string) => !codecs.some((codec) => type.includes(codec));
};

describe('what a browser cannot decode', () => {
  test.each<[string, CodecList, string[], string | undefined, boolean, string | undefined]>([
    ['HEVC, with its sound', list(['hvc1.1.6.L93.90,mp4a.40.2', 'audio']), ['hvc1'], 'HEVC', true, TRACKS[0]?.url],
    ['HEVC without sound', list(['hvc1.1.6.L93.90']), ['hvc1'], 'HEVC', true, undefined],
    ['AV1', list(['av01.0.00M.08,Opus', 'audio']), ['av01', 'Opus'], 'AV1', true, TRACKS[0]?.url],
    ['sound', list(['avc1.64001f,fLaC', 'audio']), ['fLaC', 'flac'], 'FLAC', false, undefined],
    [
      'both, where the sound is listed as AAC too',
      list(['hvc1.1.6.L93.90,fLaC', 'audio'], ['hvc1.1.6.L93.90,mp4a.40.2', 'aac']),
      ['hvc1', 'fLaC', 'flac'],
      'HEVC',
      true,
      TRACKS[1]?.url,
    ],
    ['MP3', list(['avc1.64001f,mp4a.40.34', 'audio']), ['mp4a.40.34'], 'MP3', false, undefined],
    ['what nobody knows', list(['zzzz.1']), ['zzzz'], 'zzzz.1', false, undefined],
    ['what the list does not say', list(['']), [], undefined, true, undefined],
  ])('%s', (_name, listed, unknown, codec, isPicture, sound) => {
    expect(unplayableIn(listed, without(...unknown))).toEqual({ codec, isPicture, sound });
  });
});
