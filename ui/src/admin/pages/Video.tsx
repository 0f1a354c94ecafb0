/** How the stream reaches viewers: in which qualities, how far behind live, and what happens when the publisher drops. */
import '../video/video.css';
import { createResource, createSignal, type JSX } from 'solid-js';
import { api } from '../../api.ts';
import { ChoiceCards } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import type { AdminStatus } from '../../wire.ts';
import { SettingByKey, useSettings } from '../settings.tsx';
import { CostCard } from '../video/CostCard.tsx';
import { EncoderCard } from '../video/EncoderCard.tsx';
import { Qualities } from '../video/Qualities.tsx';
import type { EncoderList, Variant } from '../video/wire.ts';
import { SettingsCard, SettingsPage } from './SettingsPage.tsx';

const LEVELS = [0, 1, 2, 3, 4];
const ENCODERS = '/api/admin/video/encoders';

export function Video(props: { status?: AdminStatus }): JSX.Element {
  const isLive = () => props.status !== undefined && props.status.streamState !== 'offline';
  return (
    <SettingsPage>
      <Encoding isLive={isLive()} />
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

/** Which qualities, what they cost, and who makes them: each depends on the others. */
function Encoding(props: { isLive: boolean }): JSX.Element {
  const settings = useSettings();
  const [list, setList] = createSignal<Variant[]>([]);
  const path = () => String(settings.find('ffmpegpath')?.value ?? '');
  // Another program is another answer.
  const [encoders, { refetch }] = createResource<EncoderList, string>(
    () => `path ${path()}`,
    (_, { refetching }) => api.get(refetching ? `${ENCODERS}?again=true` : ENCODERS),
  );
  const encoder = () => String(settings.find('video/codec')?.value ?? 'libx264');
  return (
    <>
      <Qualities onChange={setList} />
      <CostCard list={list()} encoder={encoder()} isLive={props.isLive} />
      <EncoderCard encoders={encoders} onAgain={() => void refetch()} />
    </>
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
