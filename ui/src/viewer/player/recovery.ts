/** What to do about an error that stops playback. Pure: no timers, no player. */

/** `codec`: this browser does not know a codec, but a list that is read later may have others. */
export type Trouble = 'network' | 'media' | 'codec' | 'other';

export interface Remedy {
  /**
   * `reload` asks for the playlists again and keeps the last picture, `mend` rebuilds the buffers,
   * `recreate` starts from nothing.
   */
  action: 'reload' | 'mend' | 'recreate';
  afterMs: number;
  /** Several tries were in vain: the viewer should know, even though we go on trying. */
  worthTelling: boolean;
}

const FIRST_WAIT_MS = 1_000;
/** Thousands of viewers come back at once after a restart; ten seconds spread them without losing them. */
const LONGEST_WAIT_MS = 10_000;
/** About seven seconds of tries. */
const TELL_AFTER = 4;
/** About three seconds: an encoder for other codecs begins to be listed within these. */
const TELL_CODEC_AFTER = 3;
/** A second broken buffer this soon means that mending does not help. */
const MEND_AGAIN_AFTER_MS = 10_000;
/** Asking again for playlists that stay broken does not help either. */
const RELOADS = 3;

export function createRecovery(now: () => number, random: () => number = Math.random) {
  let failures = 0;
  let mendedAt = Number.NEGATIVE_INFINITY;

  const wait = () => {
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
    // Not all viewers in the same instant.
    return Math.round(longest * (0.75 + 0.25 * random()));
  };

  return {
    next(trouble: Trouble): Remedy {
      failures += 1;
      const worthTelling = failures >= (trouble === 'codec' ? TELL_CODEC_AFTER : TELL_AFTER);
      if (trouble === 'media' && now() - mendedAt > MEND_AGAIN_AFTER_MS) {
        mendedAt = now();
        return { action: 'mend', afterMs: 0, worthTelling };
      }
      const action = trouble === 'network' && failures <= RELOADS ? 'reload' : 'recreate';
      return { action, afterMs: wait(), worthTelling };
    },
    /** Pictures move again. */
    healthy(): void {
      failures = 0;
    },
  };
}
