/** All settings of the server, loaded once and kept in step with every save. */
import { type Component, createContext, createSignal, type JSX, Show, useContext } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { api } from '../api.ts';
import type { EditorProps } from '../design/setting/editors.tsx';
import { SettingField } from '../design/setting/SettingField.tsx';
import type { SaveOptions } from '../design/setting/saver.ts';
import { type AdminKey, ta } from '../i18n/admin.ts';
import type { Setting } from '../wire.ts';
import { explain } from './session.ts';

/** Which page shows which setting, by its path. A test holds that none the admin pages are told about is missing. */
export const PAGES = {
  top: ['streamtitle'],
  general: ['name', 'serversummary', 'tags', 'offlinemessage', 'pagecontent', 'nsfw', 'socialhandles'],
  schedule: ['schedule/enabled', 'schedule/showcountdown', 'schedule/chatopenminutes', 'schedule/remindermessage'],
  appearance: ['appearance', 'customstyles', 'customjavascript'],
  video: [
    'video/streamoutputvariants',
    'video/codec',
    'ffmpegpath',
    'video/streamlatencylevel',
    'video/graceseconds',
    'video/publishertimeout',
    'video/audioonlyvariant',
    'autoplay',
  ],
  recording: [
    'recording/mode',
    'recording/visibility',
    'recording/chat',
    'recording/rewindminutes',
    'recording/keepdays',
    'recording/keepgigabytes',
    'recording/minfreegigabytes',
  ],
  chat: [
    'chat/disable',
    'chat/whenoffline',
    'chat/requireauthentication',
    'chat/establishedusermode',
    'chat/knownpeopleonly',
    'chat/paused',
    'chat/holdfirstmessage',
    'chat/holdcopiedmessages',
    'chat/spamprotectionenabled',
    'chat/slowmode',
    'chat/rejectduplicates',
    'chat/links',
    'chat/slurfilterenabled',
    'chat/forbiddenwords',
    'chat/forbiddenusernames',
    'chat/suggestedusernames',
    'welcomemessage',
    'chat/historyhours',
    'chat/logexport',
    'chat/trustedhtml',
    'chat/joinmessagesenabled',
    'chat/joinmessagesmaxpeople',
  ],
  federation: [
    'federation/enable',
    'federation/username',
    'federation/livemessage',
    'federation/livedelay',
    'federation/livecooldown',
    'federation/private',
    'federation/showengagement',
    'federation/enablequotes',
    'federation/hidefollowers',
    'federation/pluginposts',
    'federation/blockdomains',
    'federation/inboxperaddress',
    'federation/inboxperhost',
    'federation/directoryurl',
    'federation/namespace',
  ],
  integrations: ['externalactions', 'webhooks/allowinternal'],
  server: ['serverurl', 'streamkeys', 'hideviewercount', 'disablesearchindexing'],
} as const;

type KnownKey = (typeof PAGES)[keyof typeof PAGES][number];
const KNOWN: ReadonlySet<string> = new Set<KnownKey>(Object.values(PAGES).flat());

export const isKnown = (path: string): path is KnownKey => KNOWN.has(path);

export function createSettings() {
  const [state, setState] = createStore<{ list: Setting[] }>({ list: [] });
  const [loaded, setLoaded] = createSignal(false);
  const [failure, setFailure] = createSignal('');

  const load = async () => {
    setFailure('');
    try {
      const answer = await api.get<{ settings: Setting[] }>('/api/admin/settings');
      setState('list', reconcile(answer.settings, { key: 'key' }));
      setLoaded(true);
    } catch (problem) {
      setFailure(explain(problem));
    }
  };

  const find = (path: string) => state.list.find((setting) => setting.path === path);

  const save = async (path: string, value: unknown, options?: SaveOptions) => {
    const setting = find(path);
    if (!setting) return;
    try {
      await api.post(`/api/admin/config/${setting.path}`, { value, ...options });
    } catch (problem) {
      throw new Error(explain(problem));
    }
    setState(
      'list',
      (one) => one.path === path,
      'value',
      () => value,
    );
    // The server may have trimmed or completed what was sent.
    await load();
  };

  return { loaded, failure, load, find, save, list: () => state.list };
}

export type Settings = ReturnType<typeof createSettings>;

export const SettingsContext = createContext<Settings>();

export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error('useSettings needs a SettingsContext above it');
  return settings;
}

/** The words for a choice, as far as the catalogue has them. */
function choiceText(path: string, choice: string): { label: string; text?: string } {
  const key = `setting.${path}.choice.${choice}`;
  const spoken = (wanted: string) => {
    const text = ta(wanted as AdminKey);
    return text === wanted ? undefined : text;
  };
  return { label: spoken(key) ?? choice, text: spoken(`${key}.text`) };
}

/** The field for a setting by its path; nothing where this server does not have it. */
export function SettingByKey(props: { key: string; editor?: Component<EditorProps<unknown>> }): JSX.Element {
  const settings = useSettings();
  const label = (setting: Setting) =>
    isKnown(setting.path) ? ta(`setting.${setting.path}.label` as AdminKey) : setting.key;
  const help = (setting: Setting) =>
    isKnown(setting.path) ? ta(`setting.${setting.path}.help` as AdminKey) : setting.doc;
  return (
    <Show when={settings.find(props.key)}>
      {(setting) => (
        <SettingField
          setting={setting()}
          label={label(setting())}
          help={help(setting())}
          editor={props.editor}
          choiceText={(choice) => choiceText(setting().path, choice)}
          write={(value, options) => settings.save(setting().path, value, options)}
        />
      )}
    </Show>
  );
}
