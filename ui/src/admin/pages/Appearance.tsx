import type { JSX } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { PAGES } from '../settings.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

export function Appearance(): JSX.Element {
  return (
    <SettingsPage>
      <SettingsCard title={ta('appearance.title')} text={ta('appearance.text')} keys={PAGES.appearance} />
    </SettingsPage>
  );
}
