/** How the stream takes part in the Fediverse. */
import './federation.css';
import { createSignal, type JSX, Show } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { SettingsCard, SettingsPage } from '../pages/SettingsPage.tsx';
import { SettingByKey, useSettings } from '../settings.tsx';
import { addressOf, publicHost } from './account.ts';
import { rotateKey } from './requests.ts';
import { UsernameEditor } from './UsernameEditor.tsx';

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
  const host = () => publicHost(settings.find('serverurl')?.value);
  const isOn = () => settings.find('federation/enable')?.value === true;
  const address = () => {
    const found = host();
    return found && isOn() ? addressOf(settings.find('federation/username')?.value, found) : undefined;
  };
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
        <SettingByKey key="federation/username" editor={UsernameEditor} />
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
              <NewKey />
            </Show>
          </div>
        </details>
      </section>
    </SettingsPage>
  );
}

/** For the day the old key may be known to others. */
function NewKey(): JSX.Element {
  const [question, setQuestion] = createSignal<Question>();
  const ask = () =>
    setQuestion({
      title: ta('fedi.key.title'),
      text: ta('fedi.key.text'),
      action: ta('fedi.key.action'),
      run: async () => {
        await rotateKey();
        toast(ta('fedi.key.done'));
      },
    });
  return (
    <div class="field">
      <span class="field-label">{ta('fedi.key')}</span>
      <p class="field-help">{ta('fedi.key.help')}</p>
      <div class="row">
        <button type="button" class="button" data-size="small" onClick={ask}>
          {ta('fedi.key.action')}
        </button>
      </div>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </div>
  );
}
