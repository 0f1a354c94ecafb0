/** The person's own choices: colours and language. */
import { For, type JSX } from 'solid-js';
import { chooseLanguage, LANGUAGES, type Language, language, offered, t } from '../i18n/index.ts';
import { theme, toggleTheme } from '../theme.ts';
import { Icon } from './Icon.tsx';

export function ThemeToggle(): JSX.Element {
  const label = () => (theme() === 'dark' ? t('common.theme.light') : t('common.theme.dark'));
  return (
    <button type="button" class="icon-button theme-toggle" aria-label={label()} title={label()} onClick={toggleTheme}>
      <Icon name={theme() === 'dark' ? 'sun' : 'moon'} />
    </button>
  );
}

export function LanguagePicker(): JSX.Element {
  return (
    <label class="language-picker">
      <Icon name="globe" />
      <span class="visually-hidden">{t('common.language')}</span>
      <select value={language()} onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}>
        <For each={offered()}>
          {(code) => (
            <option value={code} lang={code} selected={code === language()}>
              {LANGUAGES[code].name}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}
