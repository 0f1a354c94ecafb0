/** How the stream reaches viewers: how far behind live, and what happens when the publisher drops. */
import type { JSX } from 'solid-js';
import { ChoiceCards } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { SettingByKey } from '../settings.tsx';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

const LEVELS = [0, 1, 2, 3, 4];

export function Video(): JSX.Element {
  return (
    <SettingsPage>
      <SettingsCard title={ta('video.latency')} text={ta('video.latency.text')} keys={[]}>
        <SettingByKey key="video/streamlatencylevel" editor={LatencyLevels} />
      </SettingsCard>
      <SettingsCard
        title={ta('video.drops')}
        text={ta('video.drops.text')}
        keys={['video/graceseconds', 'video/publishertimeout']}
      />
      <SettingsCard title={ta('video.variants')} keys={['video/audioonlyvariant', 'autoplay']} />
    </SettingsPage>
  );
}

/** A number on the wire, but nobody thinks of "2": each level says what it means. */
function LatencyLevels(props: EditorProps<unknown>): JSX.Element {
  const options = () =>
    LEVELS.map((value) => ({
      value,
      label: ta(`video.level.${value}` as AdminKey),
      text: ta(`video.level.${value}.text` as AdminKey),
    }));
  return (
    <ChoiceCards
      {...props}
      value={props.value}
      label={ta('setting.video/streamlatencylevel.label')}
      options={options()}
    />
  );
}
