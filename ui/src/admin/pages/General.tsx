import type { JSX } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { LogoUpload } from '../LogoUpload.tsx';
import { OfflinePictureUpload } from '../OfflinePictureUpload.tsx';
import { ScheduleCard } from './ScheduleCard.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

export function General(): JSX.Element {
  return (
    <SettingsPage>
      <SettingsCard
        title={ta('general.identity')}
        text={ta('general.identity.text')}
        keys={['name', 'serversummary', 'tags']}
      >
        <LogoUpload />
      </SettingsCard>
      <SettingsCard title={ta('general.page')} text={ta('general.page.text')} keys={['pagecontent', 'offlinemessage']}>
        <OfflinePictureUpload />
      </SettingsCard>
      <SettingsCard title={ta('general.links')} keys={['socialhandles', 'nsfw']} />
      <ScheduleCard />
    </SettingsPage>
  );
}
