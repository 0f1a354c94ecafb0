/** How the stream takes part in the Fediverse. */
import './federation.css';
import { type JSX, Show } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner } from '../../design/Feedback.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { SettingsCard, SettingsPage } from '../pages/SettingsPage.tsx';
import { createPolled } from '../polled.ts';
import { SettingByKey, useSettings } from '../settings.tsx';
import { addressOf, publicHost } from './account.ts';
import { FormerNames } from './FormerNames.tsx';
import { KeyField } from './key/KeyField.tsx';
import { UsernameEditor } from './UsernameEditor.tsx';
import type { FormerName } from './wire.ts';

const INTERVAL_MS = 10_000;
const LIVE = ['federation/livemessage', 'federation/livedelay', 'federation/livecooldown'];
const AUDIENCE = [
  'federation/private',
  'federation/showengagement',
  'federation/enablequotes',
  'federation/hidefollowers',
  'federation/pluginposts',
];
const ADVANCED = [
  'federation/inboxperaddress',
  'federation/inboxperhost',
  'federation/directoryurl',
  'federation/namespace',
];

export function FederationSettings(): JSX.Element {
  const settings = useSettings();
  const formerNames = createPolled<FormerName[]>('/api/admin/federation/former-names', INTERVAL_MS, { key: 'name' });
  const host = () => publicHost(settings.find('serverurl')?.value);
  const isOn = () => settings.find('federation/enable')?.value === true;
  const address = () => {
    const found = host();
    return found && isOn() ? addressOf(settings.find('federation/username')?.value, found) : undefined;
  };
  const Username = (props: EditorProps<unknown>) => (
    <UsernameEditor
      {...props}
      formerNames={formerNames.value()?.map(({ name }) => name) ?? []}
      onRefused={() => void formerNames.refresh()}
    />
  );
  return (
    <SettingsPage>
      <SettingsCard title={ta('fedi.set.part')} text={ta('fedi.set.part.text')} keys={[]}>
        <Show when={!host()}>
          <Banner tone={isOn() ? 'error' : 'warning'}>
            <strong>{ta('fedi.set.url.title')}</strong>
            <p>{ta('fedi.set.url.text')}</p>
            <div class="row">
              <Link class="button" data-size="small" href="/admin/config/server">
                {ta('fedi.set.url.open')}
              </Link>
            </div>
          </Banner>
        </Show>
        <SettingByKey key="federation/enable" />
        <Show when={address()}>
          {(found) => (
            <div class="field">
              <span class="field-label">{ta('fedi.set.address')}</span>
              <CopyField label={ta('fedi.set.address')} value={found()} />
              <p class="field-help">{ta('fedi.set.address.help')}</p>
            </div>
          )}
        </Show>
        <SettingByKey key="federation/username" editor={Username} />
        <FormerNames names={formerNames.value() ?? []} host={host() ?? location.host} onChanged={formerNames.refresh} />
      </SettingsCard>
      <SettingsCard title={ta('fedi.set.live')} text={ta('fedi.set.live.text')} keys={LIVE} />
      <SettingsCard title={ta('fedi.set.audience')} keys={AUDIENCE} />
      <SettingsCard
        title={ta('fedi.set.blocked')}
        text={ta('fedi.set.blocked.text')}
        keys={['federation/blockdomains']}
      />
      <section class="card">
        <details class="advanced">
          <summary>
            <h2>{ta('fedi.set.advanced')}</h2>
          </summary>
          <div class="advanced-body">
            {ADVANCED.map((key) => (
              <SettingByKey key={key} />
            ))}
            <Show when={isOn()}>
              <KeyField />
            </Show>
          </div>
        </details>
      </section>
    </SettingsPage>
  );
}
