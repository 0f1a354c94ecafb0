/** Which page is at which address, under which names people look for it, and where it stands in the menu. */
import type { Component } from 'solid-js';
import { type AdminKey, ta } from '../i18n/admin.ts';
import type { AdminStatus } from '../wire.ts';
import { ChatSettings } from './chat/ChatSettings.tsx';
import { Emojis } from './chat/Emojis.tsx';
import { Messages } from './chat/Messages.tsx';
import { Users } from './chat/Users.tsx';
import { isInCluster } from './cluster.ts';
import type { AdminIconName } from './icons.tsx';
import { lazyPage } from './LazyPage.tsx';
import { Appearance } from './pages/Appearance.tsx';
import { General } from './pages/General.tsx';
import { Home } from './pages/Home.tsx';
import { Logs } from './pages/Logs.tsx';
import { notYet } from './pages/NotYet.tsx';
import { PastStreams } from './pages/PastStreams.tsx';
import { Server } from './pages/Server.tsx';

export interface PageProps {
  status?: AdminStatus;
}

export interface Page {
  route: string;
  title: () => string;
  icon: AdminIconName;
  view: Component<PageProps>;
  /** Has addresses below its own, and looks itself which one it is. */
  hasParts?: boolean;
  /** Stands in the menu only where the server is one of several. */
  onlyInCluster?: boolean;
}

const page = (route: string, title: AdminKey, icon: AdminIconName, view: Component<PageProps>): Page => ({
  route,
  title: () => ta(title),
  icon,
  view,
});

const Video = lazyPage(async () => (await import('./pages/Video.tsx')).Video);
const Recordings = lazyPage(async () => (await import('./recordings/Recordings.tsx')).Recordings);
const RecordingSettings = lazyPage(async () => (await import('./recordings/RecordingSettings.tsx')).RecordingSettings);
const ViewerInfo = lazyPage(async () => (await import('./insight/ViewerInfo.tsx')).ViewerInfo);
const HardwareInfo = lazyPage(async () => (await import('./insight/HardwareInfo.tsx')).HardwareInfo);
const Machines = lazyPage(async () => (await import('./machines/Machines.tsx')).Machines);
const StreamHealth = lazyPage(async () => (await import('./insight/StreamHealth.tsx')).StreamHealth);
const AccessTokens = lazyPage(async () => (await import('./integrations/tokens/AccessTokens.tsx')).AccessTokens);
const Webhooks = lazyPage(async () => (await import('./integrations/webhooks/Webhooks.tsx')).Webhooks);
const FederationSettings = lazyPage(async () => (await import('./federation/Settings.tsx')).FederationSettings);
const Followers = lazyPage(async () => (await import('./federation/followers/Followers.tsx')).Followers);
const Posts = lazyPage(async () => (await import('./federation/posts/Posts.tsx')).Posts);
const Inbox = lazyPage(async () => (await import('./federation/inbox/Inbox.tsx')).Inbox);
const Servers = lazyPage(async () => (await import('./federation/servers/Servers.tsx')).Servers);
const Deliveries = lazyPage(async () => (await import('./federation/deliveries/Deliveries.tsx')).Deliveries);
const ExternalActions = lazyPage(
  async () => (await import('./integrations/actions/ExternalActions.tsx')).ExternalActions,
);

const Plugins = lazyPage(async () => (await import('./plugins/Plugins.tsx')).Plugins);
const Help = lazyPage(async () => (await import('./pages/Help.tsx')).Help);

/** Pages under a title, which can be folded away; pages without one are always in sight. */
export interface Group {
  title?: AdminKey;
  pages: Page[];
}

/** In the order people know from similar servers; what only we have stands where it is looked for. */
const GROUPS: Group[] = [
  {
    pages: [page('', 'nav.home', 'home', Home), page('viewer-info', 'nav.viewers', 'chart', ViewerInfo)],
  },
  {
    title: 'nav.chatUsers',
    pages: [
      page('chat/messages', 'nav.messages', 'chat', Messages),
      page('chat/users', 'nav.users', 'people', Users),
      page('chat/emojis', 'nav.emojis', 'smile', Emojis),
    ],
  },
  {
    title: 'nav.audience',
    pages: [
      page('federation/followers', 'nav.followers', 'people', Followers),
      page('federation/posts', 'nav.posts', 'pencil', Posts),
      page('federation/servers', 'nav.servers', 'star', Servers),
    ],
  },
  {
    title: 'nav.configuration',
    pages: [
      page('config/general', 'nav.general', 'sliders', General),
      page('config/appearance', 'nav.appearance', 'drop', Appearance),
      page('config/server', 'nav.server', 'server', Server),
      page('config/video', 'nav.video', 'video', Video),
      page('config/recording', 'nav.recording', 'record', RecordingSettings),
      page('config-chat', 'nav.chat', 'chat', ChatSettings),
      page('config-federation', 'nav.social', 'globe', FederationSettings),
    ],
  },
  {
    title: 'nav.utilities',
    pages: [
      page('hardware-info', 'nav.hardware', 'chip', HardwareInfo),
      { ...page('machines', 'nav.machines', 'server', Machines), onlyInCluster: true },
      page('stream-health', 'nav.health', 'pulse', StreamHealth),
      page('logs', 'nav.logs', 'list', Logs),
      page('federation/inbox', 'nav.inbox', 'inbox', Inbox),
      page('federation/deliveries', 'nav.queue', 'send', Deliveries),
      page('recordings', 'nav.recordings', 'record', Recordings),
      { ...page('streams', 'nav.streams', 'clock', PastStreams), hasParts: true },
    ],
  },
  {
    title: 'nav.integrations',
    pages: [
      page('webhooks', 'nav.webhooks', 'hook', Webhooks),
      page('access-tokens', 'nav.tokens', 'key', AccessTokens),
      page('external-actions', 'nav.actions', 'button', ExternalActions),
    ],
  },
  {
    pages: [
      { ...page('plugins', 'nav.plugins', 'puzzle', Plugins), hasParts: true },
      page('help', 'nav.help', 'info', Help),
    ],
  },
];

/** The same for a server that is alone. */
const ALONE: Group[] = GROUPS.map((group) => ({ ...group, pages: group.pages.filter((one) => !one.onlyInCluster) }));

/** Known by name from similar servers; what they are about does not exist here yet, and they say so. */
const NOT_YET: Page[] = [page('config-notify', 'notYet.notify', 'info', notYet('notYet.notify.text'))];

/** Other names of the same pages: links and bookmarks from similar servers lead to the right place. */
const ALIASES: Record<string, string> = {
  'config-general': 'config/general',
  'config-server': 'config/server',
  'config-video': 'config/video',
  'config/chat': 'config-chat',
  'config/federation': 'config-federation',
  'federation/actions': 'federation/inbox',
  followers: 'federation/followers',
  actions: 'external-actions',
  emojis: 'chat/emojis',
  viewers: 'viewer-info',
  'stream-history': 'streams',
  videos: 'recordings',
  // What had no place of its own stands with what it is about.
  'config/more': 'config/general',
  'past-streams': 'streams',
};

const ALL = [...GROUPS.flatMap((group) => group.pages), ...NOT_YET];

/** The page of a route, also under another name of it. */
export function pageAt(route: string): Page | undefined {
  const own = Object.hasOwn(ALIASES, route) ? ALIASES[route] : route;
  return ALL.find((one) => one.route === own || (one.hasParts && route.startsWith(`${one.route}/`)));
}

/** The one address of what this route shows. */
export function addressOf(page: Page, route: string): string {
  return `/admin/${page.hasParts && route.startsWith(`${page.route}/`) ? route : page.route}`;
}

export const menu = (): Group[] => (isInCluster() ? GROUPS : ALONE);

/** Every page with the title of its group, also those that are not in the menu. */
export const allPages = (): { page: Page; group?: AdminKey }[] => [
  ...menu().flatMap((group) => group.pages.map((one) => ({ page: one, group: group.title }))),
  ...NOT_YET.map((one) => ({ page: one })),
];
