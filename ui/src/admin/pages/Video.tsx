/** How the stream reaches viewers: how far behind live, and what happens when the publisher drops. */
import { For, type JSX } from 'solid-js';
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
      <SettingsCard title={ta('video.variants')} keys={['video/audioonlyvariant']} />
    </SettingsPage>
  );
}

/** A number on the wire, but nobody thinks of "2": each level says what it means. */
function LatencyLevels(props: EditorProps<unknown>): JSX.Element {
  return (
    <div class="choices" role="radiogroup" aria-label={ta('setting.video/streamlatencylevel.label')}>
      <For each={LEVELS}>
        {(level) => (
          <label class="choice">
            <input
              type="radio"
              name={props.id}
              checked={props.value === level}
              disabled={props.disabled}
              onChange={() => props.onCommit(level)}
            />
            <span>
              <strong>{ta(`video.level.${level}` as AdminKey)}</strong>
              <span class="muted small">{ta(`video.level.${level}.text` as AdminKey)}</span>
            </span>
          </label>
        )}
      </For>
    </div>
  );
}
