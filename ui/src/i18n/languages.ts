/**
 * The languages of the pages. One is offered once all of its catalogues are there (docs/translating.md); until then its
 * entry only says how it is written.
 */
interface LanguageFacts {
  /** In the language itself. */
  name: string;
  /** Absent is left to right. */
  direction?: 'rtl';
  /**
   * `incomplete`: texts are missing, so it is not offered. `unread`: nobody who grew up with it has read it yet, so the
   * pages ask their readers for corrections. Absent is neither.
   */
  state?: 'incomplete' | 'unread';
}

export const LANGUAGES = {
  en: { name: 'English' },
  de: { name: 'Deutsch' },
  fr: { name: 'Français', state: 'unread' },
  es: { name: 'Español', state: 'unread' },
  ar: { name: 'العربية', direction: 'rtl', state: 'unread' },
} satisfies Record<string, LanguageFacts> as Record<'en' | 'de' | 'fr' | 'es' | 'ar', LanguageFacts>;

export type Language = keyof typeof LANGUAGES;

/** What readers can choose; the tests hold these to every key. */
export const offered = () =>
  (Object.keys(LANGUAGES) as Language[]).filter((tag) => LANGUAGES[tag].state !== 'incomplete');

export const isOffered = (text: string): text is Language => offered().includes(text as Language);
