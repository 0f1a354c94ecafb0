/** Moderators go on seeing hidden lines, also those that were hidden before they came. */
import { type Accessor, createEffect, untrack } from 'solid-js';
import { toast } from '../../design/toasts.tsx';
import { t } from '../../i18n/index.ts';
import { type LineLog, lineFrom } from './lines.ts';
import type { Moderation } from './moderation.ts';

export interface HiddenLinesOptions {
  log: LineLog;
  moderation: Moderation;
  isKept: Accessor<boolean>;
  isConnected: Accessor<boolean>;
  onChange: () => void;
}

export function keepHiddenLines(options: HiddenLinesOptions) {
  const { log, moderation } = options;

  const load = async () => {
    const hidden = await moderation.hidden();
    if (!Array.isArray(hidden) || !untrack(options.isKept)) return;
    for (const { id, deletedAt } of hidden) log.hide([id], deletedAt !== undefined);
    log.merge(hidden.flatMap((entry) => lineFrom(entry, Date.now()) ?? []));
    options.onChange();
  };

  createEffect(() => {
    const isKept = options.isKept();
    log.keepHidden(isKept);
    untrack(options.onChange);
    // Anew after every loss: what was hidden in the meantime is not sent again. Without an answer they are missing.
    if (isKept && options.isConnected()) void load().catch(() => {});
  });

  return {
    showAgain: async (id: string) => {
      try {
        await moderation.show([id]);
      } catch {
        toast(t('chat.failed'));
      }
    },
  };
}
