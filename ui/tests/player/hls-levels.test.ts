import { describe, expect, test, vi } from 'vitest';
import { FakeHls, type Level, latest, level, make, onQualities, video } from './hls-fakes.ts';

describe('where further qualities are listed later', () => {
  const source = () => level('0', 1080, 6_000_000);
  function begun() {
    const { engine, hls } = make();
    hls.levels = [source()];
    hls.loadLevelObj = hls.levels[0] ?? null;
    hls.say('parsed');
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(4);
    return { engine, hls };
  }
  async function listedNow({ engine, hls }: ReturnType<typeof begun>, levels: Level[]) {
    engine.refreshQualities();
    const reader = latest();
    reader.levels = levels;
    reader.allAudioTracks = [{ groupId: 'audio' }, { groupId: 'aac' }];
    reader.say('parsed');
    await loads(hls, { independent: true });
    return reader;
  }
  /** It begins to load a part, or a segment in one. */
  async function loads(hls: FakeHls, part?: { independent: boolean }, title: string | null = null) {
    hls.say('loading', { frag: { type: 'main', sn: 7, title }, part });
    await Promise.resolve();
  }

  test('they are taken in, and what plays goes on', async () => {
    const player = begun();
    const { engine, hls } = player;
    const [playing] = hls.levels;
    const reader = await listedNow(player, [
      level('2', 360, 800_000),
      level('1', 720, 2_000_000, 'mp4a.40.2', 'aac'),
      source(),
    ]);
    expect(hls.levels.map(({ height }) => height)).toEqual([360, 720, 1080]);
    expect(hls.levels[2]).toBe(playing);
    expect(hls.loadLevels).toEqual([2, -1]);
    expect(hls.allAudioTracks.map(({ groupId }) => groupId)).toEqual(['audio', 'aac']);
    expect(hls.stopLoad).toHaveBeenCalledTimes(1);
    expect(hls.startLoad).toHaveBeenCalledTimes(1);
    expect(hls.loadSource).toHaveBeenCalledTimes(1);
    expect(onQualities.mock.lastCall?.[0].map(({ id, height }) => [id, height])).toEqual([
      [1, 360],
      [2, 720],
      [0, 1080],
    ]);
    engine.setQuality(0);
    expect(hls.loadLevels.at(-1)).toBe(2);
    expect(reader.destroy).toHaveBeenCalled();
  });

  test('they are taken in only before something that begins with a key frame, which a browser waits for then', async () => {
    const player = begun();
    const { hls } = player;
    hls.say('loading', { frag: { type: 'main', sn: 6, title: null } });
    player.engine.refreshQualities();
    latest().levels = [level('1', 720, 2_000_000), source()];
    latest().say('parsed');
    await loads(hls, { independent: false });
    await loads(hls, undefined, 'continues');
    hls.say('loading', { frag: { type: 'audio', sn: 7, title: null } });
    hls.say('loading', { frag: { type: 'main', sn: 'initSegment', title: null } });
    await Promise.resolve();
    expect(hls.levels).toHaveLength(1);
    expect(hls.stopLoad).not.toHaveBeenCalled();
    await loads(hls);
    expect(hls.levels).toHaveLength(2);
    await loads(hls);
    expect(hls.stopLoad).toHaveBeenCalledTimes(1);
  });

  test('who chose one keeps it', async () => {
    const player = begun();
    const { hls } = player;
    hls.autoLevelEnabled = false;
    hls.manualLevel = 0;
    await listedNow(player, [level('1', 720, 2_000_000), source()]);
    expect(hls.loadLevels).toEqual([1, 1]);
  });

  test('nothing stops where nothing is new', async () => {
    const player = begun();
    const { hls } = player;
    await listedNow(player, [source()]);
    expect(hls.stopLoad).not.toHaveBeenCalled();
    expect(onQualities).toHaveBeenCalledTimes(1);
  });

  test('nobody looks before there is a picture', () => {
    const { engine, hls } = begun();
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(0);
    engine.refreshQualities();
    expect(latest()).toBe(hls);
  });
});

describe('where the list has every picture with two sounds', () => {
  /** As hls.js sorts them: by height, then by bitrate, whatever the sound is. */
  function listed(sound: string) {
    const { engine, hls } = make();
    hls.levels = [
      level('1', 480, 1_100_000, 'mp4a.40.2', 'aac'),
      level('1', 480, 1_200_000, sound),
      level('0', 1080, 6_100_000, 'mp4a.40.2', 'aac'),
      level('0', 1080, 6_200_000, sound),
    ];
    // The source stands first.
    hls.firstLevel = 3;
    return { engine, hls };
  }
  const groups = (hls: FakeHls) => hls.levels.map(({ uri, audioGroups }) => [uri.split('/')[2], audioGroups?.[0]]);

  test('who can play the broadcaster’s sound does not depend on the encoder', () => {
    const { engine, hls } = listed('Opus');
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'audio'],
      ['0', 'audio'],
    ]);
    expect(hls.firstLevel).toBe(1);
    expect(onQualities).toHaveBeenCalledExactlyOnceWith([
      { id: 0, height: 480, kbps: 1200 },
      { id: 1, height: 1080, kbps: 6200 },
    ]);
    engine.setQuality(1);
    expect(hls.levels[hls.loadLevels.at(-1) ?? -1]?.uri).toBe('/hls/0/stream.m3u8');
  });

  test('who cannot play it is left with AAC', () => {
    const { hls } = listed('Opus');
    // hls.js has left out what this browser does not know.
    hls.levels = hls.levels.filter(({ audioGroups }) => audioGroups?.includes('aac'));
    hls.firstLevel = 1;
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'aac'],
      ['0', 'aac'],
    ]);
    expect(hls.firstLevel).toBe(1);
  });

  test.each<[string, string[], string]>([
    ['Chromium, which plays MP3 inside of MP4 under no name', [], 'aac'],
    ['Firefox, which calls it by its own', ['audio/mp4; codecs="mp3"'], 'audio'],
    ['a browser that calls it what the list does', ['audio/mp4; codecs="mp4a.40.34"'], 'audio'],
  ])('MP3 in %s', (_name, types, group) => {
    FakeHls.plays = (type) => types.includes(type);
    const { hls } = listed('mp4a.40.34');
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', group],
      ['0', group],
    ]);
  });

  test('MP3 stays where there is nothing else', () => {
    FakeHls.plays = () => false;
    const { hls } = listed('mp4a.40.34');
    hls.levels = hls.levels.filter(({ audioGroups }) => audioGroups?.includes('audio'));
    hls.say('parsed');
    expect(hls.levels).toHaveLength(2);
  });

  test('sound without a picture is chosen in the same way', () => {
    const { hls } = make();
    hls.levels = [level('aac', 0, 130_000, 'mp4a.40.2', 'aac'), level('audio', 0, 160_000, 'Opus')];
    hls.say('parsed');
    expect(groups(hls)).toEqual([['audio', 'audio']]);
  });

  test('a quality that wants less sound keeps it beside a source with its own', () => {
    const { hls } = make();
    hls.levels = [level('1', 480, 1_100_000, 'mp4a.40.2', 'aac'), level('0', 1080, 6_200_000)];
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'aac'],
      ['0', 'audio'],
    ]);
  });
});
