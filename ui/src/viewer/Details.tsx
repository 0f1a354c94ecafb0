/** Below the picture: who this is, and what they wrote about themselves. */
import { createMemo, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { api } from '../api.ts';
import { Logo } from '../design/Logo.tsx';
import { PlatformIcon } from '../design/PlatformIcon.tsx';
import { type Tab, Tabs } from '../design/Tabs.tsx';
import { t } from '../i18n/index.ts';
import type { FeaturedServer, SiteConfig, SocialHandle } from '../wire.ts';
import { About } from './About.tsx';
import { CHAT_PANEL_ID, CHAT_TAB, type ChatPanelState } from './chat/panel-state.ts';
import { WithFediverseParts } from './fediverse/parts.tsx';
import { platformName } from './platforms';
import { createPluginTabs } from './plugins/tabs.tsx';

interface DetailsProps {
  config: SiteConfig;
  /** Where the page has one. */
  chat?: ChatPanelState;
}

export function Details(props: DetailsProps): JSX.Element {
  const isStacked = () => props.chat?.isStacked() ?? false;
  const [featured, setFeatured] = createSignal<FeaturedServer[]>([]);
  onMount(async () => {
    if (!props.config.federation?.enabled) return;
    // Nobody misses what the operator has not filled, so a failure says nothing either.
    const answer = await api.get<{ servers: FeaturedServer[] }>('/api/federation/servers').catch(() => undefined);
    setFeatured(answer?.servers ?? []);
  });

  const about: Tab = {
    id: 'about',
    get label() {
      return t('viewer.about');
    },
    content: () => (
      <>
        <Show when={isStacked()}>
          <Identity config={props.config} />
        </Show>
        <About config={props.config} />
      </>
    ),
  };
  const chat: Tab = {
    id: CHAT_TAB,
    get label() {
      return t('chat.title');
    },
    get count() {
      return props.chat?.unseen();
    },
    panelId: CHAT_PANEL_ID,
  };
  const followers: Tab = {
    id: 'followers',
    get label() {
      return t('viewer.followers');
    },
    get count() {
      return props.config.federation?.followerCount;
    },
    content: () => <WithFediverseParts>{(parts) => <Dynamic component={parts.Followers} />}</WithFediverseParts>,
  };
  const recommended: Tab = {
    id: 'featured',
    get label() {
      return t('viewer.featured');
    },
    content: () => (
      <WithFediverseParts>{(parts) => <Dynamic component={parts.Featured} servers={featured()} />}</WithFediverseParts>
    ),
  };
  const ofPlugins = createPluginTabs(() => props.config.pluginTabs);
  const tabs = createMemo(() => {
    const federation = props.config.federation;
    const shown = isStacked() && props.chat?.exists() ? [chat, about] : [about];
    if (federation?.enabled && !federation.hideFollowersTab) shown.push(followers);
    if (featured().length > 0) shown.push(recommended);
    return [...shown, ...ofPlugins()];
  });

  return (
    <section class="details" aria-label={t('viewer.details', { name: props.config.name })}>
      <Show when={!isStacked()}>
        <Identity config={props.config} />
      </Show>
      <Tabs label={t('viewer.tabs')} tabs={tabs()} chosen={props.chat?.tab()} onChoose={props.chat?.chooseTab} />
    </section>
  );
}

function Identity(props: { config: SiteConfig }): JSX.Element {
  return (
    <div class="identity">
      <Logo src={props.config.logo} size={88} />
      <div class="identity-text">
        <h2>{props.config.name}</h2>
        <Show when={props.config.summary}>
          <p class="identity-summary" dir="auto">
            {props.config.summary}
          </p>
        </Show>
        <TagList tags={props.config.tags} nsfw={props.config.nsfw} />
        <SocialLinks handles={props.config.socialHandles} />
      </div>
    </div>
  );
}

function TagList(props: { tags: string[]; nsfw: boolean }): JSX.Element {
  return (
    <Show when={props.tags.length > 0 || props.nsfw}>
      <ul class="identity-list" aria-label={t('viewer.tags')}>
        <Show when={props.nsfw}>
          <li class="tag tag-warning">{t('viewer.nsfw')}</li>
        </Show>
        <For each={props.tags}>
          {(tag) => (
            <li class="tag" dir="auto">
              #{tag}
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function SocialLinks(props: { handles: SocialHandle[] }): JSX.Element {
  return (
    <Show when={props.handles.length > 0}>
      <ul class="identity-list" aria-label={t('viewer.links')}>
        <For each={props.handles}>
          {(handle) => (
            <li>
              <a class="social-link" href={handle.url} rel="me noopener nofollow" target="_blank">
                <PlatformIcon src={handle.icon} />
                {platformName(handle.platform)}
              </a>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
