/**
 * One setting: its name, an editor for its kind, and what became of the last change.
 * It saves by itself; a value that was set outside the admin pages is shown with a lock.
 */
import { type Component, createUniqueId, type JSX, Match, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { ta } from '../../i18n/admin.ts';
import type { Setting, SocialHandle, StreamKey } from '../../wire.ts';
import { Icon } from '../Icon.tsx';
import { ChoiceEditor, isExplained, type Option } from './choices.tsx';
import {
  type EditorProps,
  JsonEditor,
  LongTextEditor,
  NumberEditor,
  SwitchEditor,
  TextEditor,
  TextsEditor,
} from './editors.tsx';
import { MapEditor, SocialEditor } from './pairs.tsx';
import { GrowingTextEditor, MarkdownEditor, placeOf } from './prose-editors.tsx';
import { StreamKeysEditor } from './StreamKeysEditor.tsx';
import { createSaver, type SaveState, type Write } from './saver.ts';

export interface SettingFieldProps {
  setting: Setting;
  label: string;
  help: string;
  /** Sends the value. */
  write: Write;
  /** Takes the place of the editor for the kind, where a value deserves more words. */
  editor?: Component<EditorProps<unknown>>;
  /** The words for a value of kind "choice"; without them the value speaks for itself. */
  choiceText?: (choice: string) => { label: string; text?: string };
}

/** Kinds whose editor has a name for each cell instead of one control to point at. */
const TABLES = ['map', 'social', 'streamkeys'];

/** Lines of text that are whole sentences. */
const SENTENCES = ['serversummary'];

/** Markdown that cannot be longer is a message of a sentence or two, and written like one. */
const MESSAGE_CHARS = 1_000;

export function SettingField(props: SettingFieldProps): JSX.Element {
  const id = createUniqueId();
  const saver = createSaver((...change) => props.write(...change));
  const isSwitch = () => props.setting.kind === 'bool';
  const options = (): Option<string>[] =>
    (props.setting.choices ?? []).map((value) => ({ value, ...(props.choiceText?.(value) ?? { label: value }) }));
  const hasManyControls = () => props.editor || TABLES.includes(props.setting.kind) || isExplained(options());
  return (
    <div class="setting" data-key={props.setting.key} data-state={saver.state()} data-kind={props.setting.kind}>
      <div class="setting-head">
        <label class="field-label" for={hasManyControls() ? undefined : id}>
          {props.label}
        </label>
        <Show when={props.setting.locked}>
          <span class="setting-lock">
            <Icon name="lock" />
            {ta('setting.locked', { source: props.setting.sourceName })}
          </span>
        </Show>
        <SaveMark state={saver.state()} />
        <Show when={isSwitch()}>
          <Editor
            id={id}
            label={props.label}
            setting={props.setting}
            options={options()}
            invalid={saver.state() === 'error'}
            onCommit={saver.save}
          />
        </Show>
      </div>
      <Show when={props.help}>
        <p class="field-help" id={`${id}-help`}>
          {props.help}
          <Show when={props.setting.applies === 'stream'}> {ta('setting.nextStream')}</Show>
        </p>
      </Show>
      <Show when={!isSwitch()}>
        <Editor
          id={id}
          label={props.label}
          setting={props.setting}
          options={options()}
          invalid={saver.state() === 'error'}
          custom={props.editor}
          onCommit={saver.save}
        />
      </Show>
      <div class="field-error" id={`${id}-error`} role="alert">
        {saver.state() === 'error' ? saver.error() : ''}
      </div>
    </div>
  );
}

export function SaveMark(props: { state: SaveState }): JSX.Element {
  return (
    <span class="save-mark" role="status">
      <Switch>
        <Match when={props.state === 'saving'}>{ta('setting.saving')}</Match>
        <Match when={props.state === 'saved'}>
          <Icon name="check" />
          {ta('setting.saved')}
        </Match>
      </Switch>
    </span>
  );
}

interface SettingEditorProps {
  id: string;
  label: string;
  setting: Setting;
  options: Option<string>[];
  invalid: boolean;
  custom?: Component<EditorProps<unknown>>;
  onCommit: Write;
}

function Editor(props: SettingEditorProps): JSX.Element {
  const common = {
    get id() {
      return props.id;
    },
    get disabled() {
      return props.setting.locked;
    },
    get invalid() {
      return props.invalid;
    },
    get describedBy() {
      return `${props.id}-help ${props.id}-error`;
    },
    onCommit: (...change: Parameters<Write>) => void props.onCommit(...change),
  };
  const text = () => String(props.setting.value ?? '');
  const is = (...kinds: string[]) => kinds.includes(props.setting.kind);
  const isMessage = () =>
    is('longtext') || (is('markdown') && (props.setting.maxLength ?? Number.POSITIVE_INFINITY) <= MESSAGE_CHARS);
  return (
    <Switch fallback={<JsonEditor {...common} value={props.setting.value} />}>
      <Match when={props.custom}>
        {(custom) => <Dynamic component={custom()} {...common} value={props.setting.value} />}
      </Match>
      <Match when={is('number')}>
        <NumberEditor {...common} value={Number(props.setting.value)} min={props.setting.min} max={props.setting.max} />
      </Match>
      <Match when={SENTENCES.includes(props.setting.path) && props.setting.maxLength}>
        {(most) => <GrowingTextEditor {...common} value={text()} maxLength={most()} />}
      </Match>
      <Match when={is('markdown')}>
        <MarkdownEditor
          {...common}
          value={text()}
          place={placeOf(props.setting.path)}
          rows={isMessage() ? 3 : 8}
          maxLength={props.setting.maxLength}
        />
      </Match>
      <Match when={is('text', 'url')}>
        <TextEditor {...common} value={text()} type={is('url') ? 'url' : 'text'} maxLength={props.setting.maxLength} />
      </Match>
      <Match when={is('longtext', 'css', 'javascript')}>
        <LongTextEditor
          {...common}
          value={text()}
          code={!isMessage()}
          rows={isMessage() ? 3 : 8}
          maxLength={props.setting.maxLength}
        />
      </Match>
      <Match when={is('bool')}>
        <SwitchEditor {...common} value={props.setting.value === true} />
      </Match>
      <Match when={is('texts')}>
        <TextsEditor {...common} value={(props.setting.value as string[] | null) ?? []} />
      </Match>
      <Match when={is('choice') && props.options.length > 0}>
        <ChoiceEditor {...common} value={text()} label={props.label} options={props.options} />
      </Match>
      <Match when={is('choice')}>
        <TextEditor {...common} value={text()} type="text" maxLength={props.setting.maxLength} />
      </Match>
      <Match when={is('map')}>
        <MapEditor {...common} value={(props.setting.value as Record<string, string> | null) ?? {}} />
      </Match>
      <Match when={is('social')}>
        <SocialEditor {...common} value={(props.setting.value as SocialHandle[] | null) ?? []} />
      </Match>
      <Match when={is('streamkeys')}>
        <StreamKeysEditor {...common} value={(props.setting.value as StreamKey[] | null) ?? []} />
      </Match>
    </Switch>
  );
}
