/** Who may say what in the chat, and how it looks. */
import type { JSX } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { publicAddress } from '../home/addresses.ts';
import { SettingsCard, SettingsPage } from '../pages/SettingsPage.tsx';
import { useSettings } from '../settings.tsx';
import { ConnectionCard } from './ConnectionCard.tsx';
import { PanicSwitch } from './PanicSwitch.tsx';

const ACCESS = ['chat/disable', 'chat/paused', 'chat/whenoffline', 'chat/requireauthentication', 'chat/establishedusermode'];
const PROTECTION = [
  'chat/holdfirstmessage',
  'chat/holdcopiedmessages',
  'chat/spamprotectionenabled',
  'chat/slowmode',
  'chat/rejectduplicates',
  'chat/links',
];
const WORDS = ['chat/slurfilterenabled', 'chat/forbiddenwords', 'chat/forbiddenusernames', 'chat/suggestedusernames'];
const MESSAGES = ['welcomemessage', 'chat/historyhours', 'chat/logexport', 'chat/trustedhtml'];
const LOOK = ['chat/joinmessagesenabled', 'chat/joinmessagesmaxpeople'];

export function ChatSettings(): JSX.Element {
  return (
    <SettingsPage>
      <PanicSwitch explained />
      <SettingsCard title={ta('chatset.access')} text={ta('chatset.access.text')} keys={ACCESS} />
      <SettingsCard title={ta('chatset.protection')} text={ta('chatset.protection.text')} keys={PROTECTION} />
      <SettingsCard title={ta('chatset.words')} text={ta('chatset.words.text')} keys={WORDS} />
      <SettingsCard title={ta('chatset.messages')} keys={MESSAGES} />
      <SettingsCard title={ta('chatset.look')} keys={LOOK}>
        <Embeds />
        <p class="field-help">
          {ta('chatset.look.more')} <Link href="/admin/chat/emojis">{ta('nav.emojis')}</Link>,{' '}
          <Link href="/admin/config/appearance">{ta('nav.appearance')}</Link>
        </p>
      </SettingsCard>
      <ConnectionCard />
    </SettingsPage>
  );
}

/** The chat alone: for a scene in OBS or a page of one's own. */
function Embeds(): JSX.Element {
  const settings = useSettings();
  return (
    <>
      <div class="field">
        <span class="field-label">{ta('chatset.readonly')}</span>
        <CopyField label={ta('chatset.readonly')} value={`${publicAddress(settings).base}/embed/chat/readonly`} />
        <p class="field-help">{ta('chatset.readonly.help')}</p>
      </div>
      <div class="field">
        <span class="field-label">{ta('chatset.readwrite')}</span>
        <CopyField label={ta('chatset.readwrite')} value={`${publicAddress(settings).base}/embed/chat/readwrite`} />
        <p class="field-help">{ta('chatset.readwrite.help')}</p>
      </div>
    </>
  );
}
