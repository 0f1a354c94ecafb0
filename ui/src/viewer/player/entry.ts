/**
 * Where a picture can begin. Decoders start at key frames only, and hls.js takes it that there is one wherever it
 * starts. Broadcasters with key frames far apart prove it wrong: it would wait for the next one, for ever if that is
 * far off. Our server titles the segments that begin in the middle of a group of pictures.
 */

/** As `hls::playlist` writes it behind EXTINF. */
const CONTINUES = 'continues';

interface Piece {
  start: number;
}

/** What is used of hls.js's LevelDetails. */
export interface List {
  fragments: (Piece & { title: string | null })[];
  partList: (Piece & { index: number; independent: boolean })[] | null;
}

/** Whether every segment can be started at, as it is with an ordinary broadcaster; also the one that is not whole yet. */
export function beginsAnywhere(list: List): boolean {
  const parts = list.partList ?? [];
  return (
    list.fragments.every(({ title }) => title !== CONTINUES) &&
    parts.every(({ index, independent }) => index > 0 || independent)
  );
}

/** Whether what hls.js is loading begins with a key frame: a part, or a whole segment. */
export function beginsWithKeyFrame(frag: { title: string | null }, part?: { independent: boolean } | null): boolean {
  return part ? part.independent : frag.title !== CONTINUES;
}

/**
 * How far behind a key frame to begin. The list of the sound begins up to one of its frames later than that of the
 * picture, and hls.js takes a place before a list for no place at all: it would load the sound close to live, the
 * picture at the key frame, and show neither.
 */
const INSIDE_SECONDS = 0.25;

/**
 * A place just inside the last group of pictures that begins up to `position`; undefined if all that is listed depends
 * on something older.
 */
export function entryBefore(list: List, position: number): number | undefined {
  const segments = list.fragments.filter(({ title }) => title !== CONTINUES);
  const parts = (list.partList ?? []).filter(({ independent }) => independent);
  const starts = [...segments, ...parts].map(({ start }) => start).filter((start) => start <= position);
  return starts.length > 0 ? Math.max(...starts) + INSIDE_SECONDS : undefined;
}
