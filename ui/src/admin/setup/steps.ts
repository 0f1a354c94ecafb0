/** The steps of the first run and their addresses; a reload stays at its step, and the setup link leads back to it. */
import { readPreference, writePreference } from '../../storage.ts';

export const STEPS = ['account', 'address', 'stream'] as const;
export type Step = (typeof STEPS)[number];

/** Where the operator was last; the first step is over once there is a password. */
const REMEMBERED = 'setup-step';

/** The step of a route below `/admin/`; undefined elsewhere. */
export function stepOf(route: string): Exclude<Step, 'account'> | undefined {
  if (route === 'setup') return readPreference(REMEMBERED) === 'stream' ? 'stream' : 'address';
  if (route === 'setup/address') return 'address';
  return route === 'setup/stream' ? 'stream' : undefined;
}

export const addressOfStep = (step: Exclude<Step, 'account'>): string => `/admin/setup/${step}`;

export function rememberStep(step: Step | undefined): void {
  writePreference(REMEMBERED, step ?? null);
}
