/**
 * hls.js reads the list of qualities once. Those that are encoded are listed some seconds after a stream has begun, so
 * who comes with its first picture would have to do without them. A second hls.js that plays nothing reads the list
 * again: what it finds is parsed, and without what this browser cannot play.
 */
import Hls, { type HlsConfig, type Level } from 'hls.js';
import { AUTOMATIC, PLAYLIST } from './engine.ts';
import { chooseSound, type Plays } from './twins.ts';

type AudioTrack = Hls['allAudioTracks'][number];

/** What is listed now. */
export interface LevelList {
  levels: Level[];
  tracks: AudioTrack[];
}

/** Calls back once, unless the list cannot be read or has nothing that can be played. Returns what ends it early. */
export function readList(config: Partial<HlsConfig>, plays: Plays, onListed: (listed: LevelList) => void): () => void {
  const reader = new Hls({ ...config, autoStartLoad: false });
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    // Others may still be listening to what is being said.
    queueMicrotask(() => reader.destroy());
  };
  reader.once(Hls.Events.MANIFEST_PARSED, () => {
    chooseSound(reader, plays);
    const listed = { levels: [...reader.levels], tracks: [...reader.allAudioTracks] };
    if (!isOver) onListed(listed);
    end();
  });
  reader.on(Hls.Events.ERROR, (_event, { fatal }) => {
    if (fatal) end();
  });
  reader.loadSource(PLAYLIST);
  return end;
}

/** The same picture with the same sound. */
const isSame = (one: Level, other: Level) =>
  one.uri === other.uri && one.audioGroups?.join() === other.audioGroups?.join();

/** As hls.js sorts them, which goes by places: further right is better. */
const byWorth = (one: Level, other: Level) => one.height - other.height || one.bitrate - other.bitrate;

/** The known levels, which remember what was loaded, among the new ones; undefined where there is nothing new. */
export function withNew(known: readonly Level[], listed: readonly Level[]): Level[] | undefined {
  const added = listed.filter((level) => !known.some((other) => isSame(level, other)));
  return added.length > 0 ? [...known, ...added].sort(byWorth) : undefined;
}

/** Fragments know the place of their level, also those that are not whole yet. */
function tellPlaces(levels: readonly Level[]): void {
  for (const [place, { details }] of levels.entries()) {
    const parts = details?.partList?.map(({ fragment }) => fragment) ?? [];
    for (const fragment of [...(details?.fragments ?? []), details?.fragmentHint, ...parts]) {
      if (!fragment) continue;
      fragment.level = place;
      if (fragment.initSegment) fragment.initSegment.level = place;
    }
  }
}

/**
 * Gives a running player more to choose from; false where there is nothing new. Requests that are under way know the
 * places of before, so they end and begin anew, which takes less time than there is in the buffer.
 */
export function takeIn(hls: Hls, { levels: listed, tracks }: LevelList): boolean {
  const levels = withNew(hls.levels, listed);
  if (!levels) return false;
  const current = hls.loadLevelObj;
  const chosen = hls.autoLevelEnabled ? undefined : hls.levels[hls.manualLevel];
  const first = hls.levels[hls.firstLevel];
  const known = hls.allAudioTracks;
  for (const track of tracks) if (!known.some(({ groupId }) => groupId === track.groupId)) known.push(track);

  hls.stopLoad();
  tellPlaces(levels);
  hls.trigger(Hls.Events.LEVELS_UPDATED, { levels });
  if (first) hls.firstLevel = levels.indexOf(first);
  // Tells it where the one is that it has been loading, and then that it may choose.
  if (current) hls.loadLevel = levels.indexOf(current);
  hls.loadLevel = chosen ? levels.indexOf(chosen) : AUTOMATIC;
  hls.startLoad();
  return true;
}
