import { type JSX, Show } from 'solid-js';
import { LANGUAGES, language, t } from '../i18n/index.ts';

/** Below pages in a language that nobody who grew up with it has read yet; the file is the guide in the sources. */
export function CorrectionNote(): JSX.Element {
  return (
    <Show when={LANGUAGES[language()].state === 'unread'}>
      <p class="correction-note muted">
        {t('common.correct')} <bdi>(docs/translating.md)</bdi>
      </p>
    </Show>
  );
}
