/** How far a new key has come, in one sentence. */
import { ta } from '../../../i18n/admin.ts';
import type { AccountKey } from '../wire.ts';

/** The server names no more of those that have not answered. */
const MAX_NAMED = 100;

export const isUnderWay = (key: AccountKey): boolean => key.handoverUntil !== null && key.waitingFor.length > 0;

export function progressOf(key: AccountKey): string {
  const waiting = key.waitingFor.length;
  const isTakenBack = !key.canTakeBack;
  if (waiting === 0) return ta(isTakenBack ? 'fedi.key.restored.all' : 'fedi.key.reached.all');
  if (waiting >= MAX_NAMED) return ta('fedi.key.waiting.many', { count: waiting });
  const count = Math.max(key.knownTo, waiting);
  return ta(isTakenBack ? 'fedi.key.restored' : 'fedi.key.reached', { reached: count - waiting, count });
}
