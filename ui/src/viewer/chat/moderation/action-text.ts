/** One sentence for an entry of the log. */
import { dateTime } from '../../../i18n/format.ts';
import type { ModerationEntry } from '../../../wire.ts';
import { tm } from './texts.ts';

const WORDS = {
  hide: 'log.hide',
  show: 'log.show',
  ban: 'log.ban',
  unban: 'log.unban',
  timeout: 'log.timeout',
  untimeout: 'log.untimeout',
  moderator: 'log.moderator',
  unmoderator: 'log.unmoderator',
  'delete-user': 'log.delete',
  approve: 'log.approve',
  reject: 'log.reject',
  restrict: 'log.restrict',
} as const;

const isKnown = (action: string): action is keyof typeof WORDS => Object.hasOwn(WORDS, action);

/** A name from right to left must not turn the sentence around it. */
const isolated = (name: string) => `\u2068${name}\u2069`;

export function actionText({ action, actor, actorName, target, targetName, detail }: ModerationEntry): string {
  const who = actor === 'operator' ? tm('log.operator') : isolated(actorName);
  const whom = isolated(targetName || tm('log.somebody'));
  if (!isKnown(action)) return `${who}: ${action}`;
  if (action === 'moderator' && actor === target) return tm('log.invited', { whom });
  if (action === 'restrict') return tm('log.restrict', { who, what: detail });
  const until = Number.isNaN(Date.parse(detail)) ? '' : dateTime(detail);
  if (action === 'ban' && until) return tm('log.banUntil', { who, whom, until });
  return tm(WORDS[action], { who, whom, until });
}
