import type { JSX } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { PasswordCard } from '../PasswordCard.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

export function Server(): JSX.Element {
  return (
    <SettingsPage>
      <SettingsCard title={ta('server.address')} keys={['serverurl']} />
      <SettingsCard title={ta('server.broadcasting')} text={ta('server.broadcasting.text')} keys={['streamkeys']} />
      <SettingsCard title={ta('server.privacy')} keys={['hideviewercount', 'disablesearchindexing']} />
      <PasswordCard />
    </SettingsPage>
  );
}
