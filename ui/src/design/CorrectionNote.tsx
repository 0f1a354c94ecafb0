import { type JSX, Show } from 'solid-js';
import { LANGUAGES, language, t } from '../i18n/index.ts';

/** docs/translating.md for readers. A placeholder until the project has a domain. */
const TRANSLATING = 'https://rillcast.example/translating';

/** Below pages in a language that nobody who grew up with it has read yet. */
export function CorrectionNote(): JSX.Element {
  return (
    <Show when={LANGUAGES[language()].state === 'unread'}>
      <a class="correction-note" href={TRANSLATING} rel="noopener">
        {t('common.correct')}
      </a>
    </Show>
  );
}
