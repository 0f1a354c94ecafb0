/** All that the search of the admin pages can lead to: every page, and every setting with the page it stands on. */
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { allPages, type Page } from '../routes.tsx';
import { PAGES, type Settings } from '../settings.tsx';
import type { Searchable } from './match.ts';

export interface Entry extends Searchable {
  id: string;
  address: string;
  /** The field to go to on that page. */
  field?: string;
}

/** The page of each list of settings, by its route. The title of the stream is on all of them. */
const ROUTES: Record<keyof typeof PAGES, string | undefined> = {
  top: undefined,
  general: 'config/general',
  schedule: 'config/general',
  appearance: 'config/appearance',
  video: 'config/video',
  recording: 'config/recording',
  chat: 'config-chat',
  federation: 'config-federation',
  integrations: 'webhooks',
  server: 'config/server',
};

/** A page of its own; as a setting it would be there twice. */
const HAS_OWN_PAGE = 'externalactions';

/** What is changed there without being a setting. */
const OTHERS: { field: string; label: AdminKey; help: AdminKey; route: string }[] = [
  { field: 'logo', label: 'logo.label', help: 'logo.help', route: 'config/general' },
  { field: 'adminpass', label: 'password.title', help: 'password.text', route: 'config/server' },
];

const addressOf = (route: string): string => `/admin/${route}`;

/** The words for a page in which it is searched; a page without them is found by its title. */
function about(page: Page): string {
  const key = `about.${page.route || 'home'}`;
  const text = ta(key as AdminKey);
  return text === key ? '' : text;
}

/** Where a page stands in the menu, with its own title: "Configuration › Video". */
function placeOf(route: string): string {
  const found = allPages().find((one) => one.page.route === route);
  if (!found) return '';
  return [found.group && ta(found.group), found.page.title()].filter(Boolean).join(' › ');
}

function pageEntries(): Entry[] {
  return allPages().map(({ page, group }) => ({
    id: `page-${page.route}`,
    label: page.title(),
    keys: [page.route],
    help: about(page),
    group: group ? ta(group) : '',
    address: addressOf(page.route),
  }));
}

function settingEntries(settings: Settings, here: string): Entry[] {
  return Object.entries(PAGES).flatMap(([list, paths]) => {
    const route = ROUTES[list as keyof typeof PAGES];
    return paths.flatMap((path): Entry[] => {
      const setting = settings.find(path);
      if (!setting || path === HAS_OWN_PAGE) return [];
      return [
        {
          id: `setting-${path}`,
          label: ta(`setting.${path}.label` as AdminKey),
          keys: [path, setting.name],
          help: ta(`setting.${path}.help` as AdminKey),
          group: route === undefined ? '' : placeOf(route),
          address: route === undefined ? here : addressOf(route),
          field: path,
        },
      ];
    });
  });
}

/** `here` is the address of the page that is shown. */
export function entriesOf(settings: Settings, here: string): Entry[] {
  const others = OTHERS.map(({ field, label, help, route }) => ({
    id: `other-${field}`,
    label: ta(label),
    keys: [field],
    help: ta(help),
    group: placeOf(route),
    address: addressOf(route),
    field,
  }));
  return [...pageEntries(), ...settingEntries(settings, here), ...others];
}
