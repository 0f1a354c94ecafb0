/** Which streams are recorded, how far viewers can go back, and how much of the disk that may take. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { afterRefusal } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { timeSpan } from '../../i18n/format.admin.ts';
import { SettingsCard, SettingsPage } from '../pages/SettingsPage.tsx';
import { SettingByKey, useSettings } from '../settings.tsx';

const MODE = 'recording/mode';
const REWIND = 'recording/rewindminutes';
/** What the server takes is anything up to twelve hours; these are what people mean. */
const MINUTES = [0, 15, 30, 60, 120, 240, 720];
/** Long enough for a whole evening's first half, and a few gigabytes. */
const OFFERED_MINUTES = 120;

export function RecordingSettings(): JSX.Element {
  return (
    <SettingsPage>
      <SettingsCard
        title={ta('recset.record')}
        text={ta('recset.record.text')}
        keys={[MODE, 'recording/visibility', 'recording/chat']}
      />
      <SettingsCard title={ta('recset.rewind')} text={ta('recset.rewind.text')} keys={[]}>
        <RewindOffer />
        <SettingByKey key={REWIND} editor={RewindMinutes} />
      </SettingsCard>
      <SettingsCard
        title={ta('recset.room')}
        text={ta('recset.room.text')}
        keys={['recording/keepdays', 'recording/keepgigabytes', 'recording/minfreegigabytes']}
      />
    </SettingsPage>
  );
}

/** Who records has what it takes on the disk already. */
function RewindOffer(): JSX.Element {
  const settings = useSettings();
  const [busy, setBusy] = createSignal(false);
  const isOffered = () => {
    const [mode, minutes] = [settings.find(MODE), settings.find(REWIND)];
    return mode !== undefined && mode.value !== 'off' && minutes?.value === 0 && !minutes.locked;
  };
  const accept = async () => {
    setBusy(true);
    try {
      await settings.save(REWIND, OFFERED_MINUTES);
    } catch (problem) {
      toast(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Show when={isOffered()}>
      <Banner>
        <p>{ta('recset.offer')}</p>
        <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void accept()}>
          {ta('recset.offer.accept', { length: timeSpan(OFFERED_MINUTES * 60) })}
        </button>
      </Banner>
    </Show>
  );
}

function RewindMinutes(props: EditorProps<unknown>): JSX.Element {
  const value = () => Number(props.value);
  /** One that was set elsewhere is a choice, too. */
  const choices = () => [...new Set([...MINUTES, value()])].toSorted((one, other) => one - other);
  return (
    <select
      id={props.id}
      class="select"
      aria-label={ta('setting.recording/rewindminutes.label')}
      aria-describedby={props.describedBy}
      aria-invalid={props.invalid ? 'true' : undefined}
      disabled={props.disabled}
      ref={(select) =>
        afterRefusal(props, () => {
          select.value = String(value());
        })
      }
      onChange={(event) => props.onCommit(Number(event.currentTarget.value))}
    >
      <For each={choices()}>
        {(minutes) => (
          <option value={minutes} selected={minutes === value()}>
            {minutes === 0 ? ta('recset.rewind.off') : timeSpan(minutes * 60)}
          </option>
        )}
      </For>
    </select>
  );
}
