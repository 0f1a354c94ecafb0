/** For moments of attack: newcomers cannot write, everybody else goes on talking. */
import { createUniqueId, type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { SwitchEditor } from '../../design/setting/editors.tsx';
import { SaveMark } from '../../design/setting/SettingField.tsx';
import { createSaver } from '../../design/setting/saver.ts';
import { ta } from '../../i18n/admin.ts';
import type { Setting } from '../../wire.ts';
import { useSettings } from '../settings.tsx';

const PATH = 'chat/knownpeopleonly';

/** `explained`: with what it does and does not do, where there is time to read. */
export function PanicSwitch(props: { explained?: boolean }): JSX.Element {
  const settings = useSettings();
  return (
    <Show when={settings.find(PATH)}>{(setting) => <Panic setting={setting()} explained={props.explained} />}</Show>
  );
}

function Panic(props: { setting: Setting; explained?: boolean }): JSX.Element {
  const settings = useSettings();
  const id = createUniqueId();
  const saver = createSaver((value) => settings.save(PATH, value));
  const isOn = () => props.setting.value === true;
  return (
    <section class="panic" data-setting={PATH} data-on={isOn() ? 'true' : undefined} data-state={saver.state()}>
      <Icon name="shield" />
      <div class="panic-text">
        <div class="setting-head">
          <label class="panic-title" for={id}>
            {ta(`setting.${PATH}.label`)}
          </label>
          <Show when={props.setting.locked}>
            <span class="setting-lock">
              <Icon name="lock" />
              {ta('setting.locked', { source: props.setting.sourceName })}
            </span>
          </Show>
          <SaveMark state={saver.state()} />
        </div>
        <p id={`${id}-help`} class="small">
          {isOn() ? ta('panic.on') : ta('panic.off')}
        </p>
        <Show when={props.explained}>
          <ul class="panic-points small">
            <li>{ta('panic.point.who')}</li>
            <li>{ta('panic.point.others')}</li>
            <li>{ta('panic.point.nothingLost')}</li>
          </ul>
        </Show>
        <div class="field-error" id={`${id}-error`} role="alert">
          {saver.state() === 'error' ? saver.error() : ''}
        </div>
      </div>
      <SwitchEditor
        id={id}
        value={isOn()}
        disabled={props.setting.locked}
        invalid={saver.state() === 'error'}
        describedBy={`${id}-help ${id}-error`}
        onCommit={(value) => void saver.save(value)}
      />
    </section>
  );
}
