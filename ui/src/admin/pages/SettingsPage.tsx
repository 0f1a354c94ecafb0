/** The frame of a page of settings: waiting and failing are the same everywhere. */
import { For, type JSX, Match, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { SettingByKey, useSettings } from '../settings.tsx';

export function SettingsPage(props: { children: JSX.Element }): JSX.Element {
  const settings = useSettings();
  return (
    <Switch>
      {/* Once there is something to show, a failed refresh must not take it away. */}
      <Match when={settings.loaded()}>
        <div class="settings">{props.children}</div>
      </Match>
      <Match when={settings.failure()}>
        <LoadError title={ta('error.settings')} text={settings.failure()} onRetry={() => void settings.load()} />
      </Match>
      <Match when={true}>
        <div class="card">
          <Skeleton lines={8} />
        </div>
      </Match>
    </Switch>
  );
}

export function SettingsCard(props: {
  title: string;
  text?: string;
  keys: readonly string[];
  children?: JSX.Element;
}): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{props.title}</h2>
        <p class="muted small">{props.text}</p>
      </header>
      <For each={props.keys}>{(key) => <SettingByKey key={key} />}</For>
      {props.children}
    </section>
  );
}
