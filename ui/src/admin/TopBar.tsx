/** What is being streamed, whether it is live, and the way out. */
import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import { Icon } from '../design/Icon.tsx';
import { ThemeToggle } from '../design/Preferences.tsx';
import { StateTag } from '../design/StateTag.tsx';
import { SaveMark } from '../design/setting/SettingField.tsx';
import { createSaver } from '../design/setting/saver.ts';
import { toast } from '../design/toasts.tsx';
import { ta } from '../i18n/admin.ts';
import { Link } from '../router.tsx';
import type { AdminStatus, Setting } from '../wire.ts';
import { AdminIcon } from './icons.tsx';
import { explain, signOut } from './session.ts';
import { useSettings } from './settings.tsx';

export interface TopBarProps {
  status?: AdminStatus;
  menuOpen: boolean;
  onMenu: () => void;
  /** Takes the focus back when the menu closes. */
  menuButton: (button: HTMLButtonElement) => void;
}

export function TopBar(props: TopBarProps): JSX.Element {
  const settings = useSettings();
  return (
    <header class="top-bar">
      <button
        type="button"
        class="icon-button menu-button"
        aria-label={ta('nav.menu')}
        aria-expanded={props.menuOpen}
        aria-controls="menu"
        ref={(button) => props.menuButton(button)}
        onClick={() => props.onMenu()}
      >
        <Icon name="menu" />
      </button>
      <Link class="top-brand" href="/admin/" aria-label={`Rillcast: ${ta('nav.home')}`}>
        <img src="/img/logo.svg" width="30" height="30" alt="" />
        <span>Rillcast</span>
      </Link>
      <div class="top-title">
        <Show when={settings.find('streamtitle')}>{(setting) => <TitleBox setting={setting()} />}</Show>
      </div>
      <div class="top-tools">
        <Show when={props.status}>{(status) => <StateTag state={status().streamState} />}</Show>
        <Show when={settings.find('federation/enable')?.value === true}>
          <Link
            class="icon-button"
            href="/admin/federation/posts"
            aria-label={ta('top.compose')}
            title={ta('top.compose')}
          >
            <AdminIcon name="pencil" />
          </Link>
        </Show>
        <a
          class="icon-button"
          href="/"
          target="_blank"
          rel="noopener"
          aria-label={ta('top.view')}
          title={ta('top.view')}
        >
          <Icon name="external" />
        </a>
        <ThemeToggle />
        <button
          type="button"
          class="icon-button"
          aria-label={ta('top.signOut')}
          title={ta('top.signOut')}
          onClick={() => void signOut().catch((problem) => toast(explain(problem)))}
        >
          <Icon name="exit" />
        </button>
      </div>
    </header>
  );
}

function TitleBox(props: { setting: Setting }): JSX.Element {
  const settings = useSettings();
  const stored = () => String(props.setting.value ?? '');
  const [draft, setDraft] = createSignal(stored());
  const saver = createSaver((value) => settings.save(props.setting.path, value));
  createEffect(on(stored, (value) => setDraft(value), { defer: true }));

  const commit = () => {
    if (draft() !== stored() || saver.state() === 'error') void saver.save(draft());
  };

  return (
    <div class="title-box" data-setting="streamtitle" data-state={saver.state()}>
      <input
        class="input"
        aria-label={ta('setting.streamtitle.label')}
        placeholder={ta('setting.streamtitle.label')}
        title={props.setting.locked ? ta('setting.locked', { source: props.setting.sourceName }) : undefined}
        value={draft()}
        maxLength={props.setting.maxLength ?? undefined}
        disabled={props.setting.locked}
        aria-invalid={saver.state() === 'error' ? 'true' : undefined}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setDraft(stored());
        }}
      />
      <SaveMark state={saver.state()} />
      <Show when={saver.state() === 'error'}>
        <div class="title-error" role="alert">
          {saver.error()}
        </div>
      </Show>
    </div>
  );
}
