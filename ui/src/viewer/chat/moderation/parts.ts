/** What moderators open, and what makes one, is fetched with its texts when it is opened. */
import { addTexts } from '../../../i18n/index.ts';

export type ModerationParts = typeof import('./entry.ts');

let fetching: Promise<ModerationParts> | undefined;

/** Rejects without a connection, and may then be asked again. */
export function fetchModeration(): Promise<ModerationParts> {
  fetching ??= fetchNow().catch((problem) => {
    fetching = undefined;
    throw problem;
  });
  return fetching;
}

async function fetchNow(): Promise<ModerationParts> {
  const parts = await import('./entry.ts');
  await addTexts(parts.texts);
  return parts;
}
