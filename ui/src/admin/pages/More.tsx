import { type JSX, Show } from 'solid-js';
import { EmptyState } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { useSettings } from '../settings.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

/** Settings the server has and these pages have no place for yet. */
export function More(): JSX.Element {
  const settings = useSettings();
  const keys = () => settings.unknown().map((setting) => setting.path);
  return (
    <SettingsPage>
      <Show when={keys().length > 0} fallback={<EmptyState>{ta('more.empty')}</EmptyState>}>
        <SettingsCard title={ta('more.title')} text={ta('more.text')} keys={keys()} />
      </Show>
    </SettingsPage>
  );
}
