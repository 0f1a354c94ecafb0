// Chance that can be repeated.

/** From RILLCAST_E2E_SEED, or else from the time; whoever uses it prints it. */
export const SEED = Number(process.env.RILLCAST_E2E_SEED ?? Date.now() % 1_000_000);

/** Small and seeded (mulberry32): a function that returns a whole number below its argument. */
export function randomness(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
