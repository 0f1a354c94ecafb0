import type { JSX } from 'solid-js';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { ta } from '../../i18n/admin.ts';
import { lazyPage } from '../LazyPage.tsx';
import { Favicon } from '../look/Favicon.tsx';
import { PAGES, SettingByKey } from '../settings.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

const LookEditor = lazyPage<EditorProps<unknown>>(async () => (await import('../look/LookEditor.tsx')).LookEditor);

/** With an editor of its own. */
const LOOK = 'appearance';

export function Appearance(): JSX.Element {
  return (
    <SettingsPage>
      <section class="card">
        <header>
          <h2>{ta('appearance.title')}</h2>
          <p class="muted small">{ta('appearance.text')}</p>
        </header>
        <SettingByKey key={LOOK} editor={LookEditor} />
      </section>
      <section class="card">
        <Favicon />
      </section>
      <SettingsCard
        title={ta('look.code.title')}
        text={ta('look.code.text')}
        keys={PAGES.appearance.filter((key) => key !== LOOK)}
      />
    </SettingsPage>
  );
}
