/** What the player shows, decided in one place from what is known. */
import type { StreamState } from '../../wire.ts';

export type PlayerState =
  | 'starting'
  | 'playing'
  | 'paused'
  | 'buffering'
  | 'waiting'
  | 'error'
  | 'unplayable'
  | 'ended';

/**
 * How far playback has come: no picture yet, pictures, the end of the stream, no way on without a new try, or nothing
 * that this browser can decode.
 */
export type Phase = 'starting' | 'running' | 'ended' | 'failed' | 'unplayable';

export interface PlayerFacts {
  phase: Phase;
  paused: boolean;
  /** Nothing is left to play for the moment. */
  stalled: boolean;
  /** It does not start before somebody presses play. */
  needsPress: boolean;
  stream: StreamState;
}

export function stateOf(facts: PlayerFacts): PlayerState {
  if (facts.phase === 'failed') return 'error';
  if (facts.phase === 'unplayable' || facts.phase === 'ended') return facts.phase;
  const moving = facts.phase === 'running' && !facts.stalled && !facts.paused;
  // What is already here is played to its last frame before the slate covers it.
  if (facts.stream === 'waiting' && !moving) return 'waiting';
  if (facts.phase === 'starting') return facts.needsPress ? 'paused' : 'starting';
  if (facts.paused) return 'paused';
  return facts.stalled ? 'buffering' : 'playing';
}
