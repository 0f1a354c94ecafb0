/** Settings whose value is a table of two columns. */
import { createResource, type JSX } from 'solid-js';
import { api } from '../../api.ts';
import { ta } from '../../i18n/admin.ts';
import type { SocialHandle, SocialPlatforms } from '../../wire.ts';
import { KeyValueEditor } from '../KeyValueEditor.tsx';
import type { EditorProps } from './editors.tsx';

/** The colours an operator most likely wants to change; any other --theme-… name can be typed. */
const COLOUR_VARIABLES = [
  '--theme-color-background-main',
  '--theme-color-background-header',
  '--theme-color-surface',
  '--theme-color-surface-sunken',
  '--theme-color-border',
  '--theme-color-text',
  '--theme-color-text-muted',
  '--theme-color-action',
  '--theme-color-action-hover',
  '--theme-color-action-text',
  '--theme-color-action-soft',
  '--theme-color-live',
  '--theme-color-deep-top',
  '--theme-color-deep-bottom',
  ...Array.from({ length: 8 }, (_, index) => `--theme-color-users-${index}`),
];

export function MapEditor(props: EditorProps<Record<string, string>>): JSX.Element {
  return (
    <KeyValueEditor
      label={ta('editor.map.label')}
      pairs={Object.entries(props.value).map(([key, value]) => ({ key, value }))}
      disabled={props.disabled}
      describedBy={props.describedBy}
      keys={{
        options: COLOUR_VARIABLES.map((name) => ({ value: name, label: name })),
        only: false,
        label: ta('editor.map.key'),
      }}
      valueLabel={ta('editor.map.value')}
      colours={true}
      addLabel={ta('editor.map.add')}
      removeLabel={ta('editor.remove')}
      emptyText={ta('editor.map.empty')}
      onChange={(pairs) => props.onCommit(Object.fromEntries(pairs.map((pair) => [pair.key, pair.value])))}
    />
  );
}

export function SocialEditor(props: EditorProps<SocialHandle[]>): JSX.Element {
  const [platforms] = createResource(() =>
    api.get<SocialPlatforms>('/api/socialplatforms').catch((): SocialPlatforms => ({})),
  );
  const options = () =>
    Object.entries(platforms.latest ?? {}).map(([id, platform]) => ({
      value: id,
      label: platform.platform,
      icon: platform.icon,
    }));
  return (
    <KeyValueEditor
      label={ta('setting.socialhandles.label')}
      pairs={props.value.map((handle) => ({ key: handle.platform, value: handle.url }))}
      disabled={props.disabled}
      describedBy={props.describedBy}
      keys={{ options: options(), only: options().length > 0, label: ta('editor.social.platform') }}
      valueLabel={ta('editor.social.url')}
      addLabel={ta('editor.social.add')}
      removeLabel={ta('editor.remove')}
      emptyText={ta('editor.social.empty')}
      onChange={(pairs) => props.onCommit(pairs.map((pair) => ({ platform: pair.key, url: pair.value })))}
    />
  );
}
