/** What visitors get from announced streams. */
import { For, type JSX } from 'solid-js';
import { afterRefusal } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { ta } from '../../i18n/admin.ts';
import { SettingByKey } from '../settings.tsx';
import { SettingsCard } from './SettingsPage.tsx';

/** What the server takes; 0 is not at all. */
const MINUTES = [0, 5, 10, 30, 60];

export function ScheduleCard(): JSX.Element {
  return (
    <SettingsCard
      title={ta('schedule.title')}
      text={ta('schedule.text')}
      keys={['schedule/enabled', 'schedule/showcountdown']}
    >
      <SettingByKey key="schedule/chatopenminutes" editor={ChatOpening} />
      <SettingByKey key="schedule/remindermessage" />
    </SettingsCard>
  );
}

/** A number on the wire, of which the server takes only some. */
function ChatOpening(props: EditorProps<unknown>): JSX.Element {
  return (
    <select
      id={props.id}
      class="select"
      aria-label={ta('setting.schedule/chatopenminutes.label')}
      aria-describedby={props.describedBy}
      aria-invalid={props.invalid ? 'true' : undefined}
      disabled={props.disabled}
      ref={(select) =>
        afterRefusal(props, () => {
          select.value = String(props.value);
        })
      }
      onChange={(event) => props.onCommit(Number(event.currentTarget.value))}
    >
      <For each={MINUTES}>
        {(minutes) => (
          <option value={minutes} selected={minutes === props.value}>
            {minutes === 0 ? ta('schedule.open.never') : ta('schedule.open.minutes', { count: minutes })}
          </option>
        )}
      </For>
    </select>
  );
}
