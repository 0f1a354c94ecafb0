/** Permissions sorted by what can go wrong with them, in the operator's language. */
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { enAdminPlugins } from '../../i18n/en.admin.plugins.ts';
import type { Plugin, PluginPermission } from './wire.ts';

export const RISKS = ['high', 'middle', 'low'] as const;
export type Risk = (typeof RISKS)[number];

const HIGH = [
  ...['auth.gate', 'fediverse.post', 'ui.modify'],
  ...['users.moderate', 'users.register', 'videoconfig.write'],
];
const LOW = [
  ...['events.emit', 'fediverse.inbound', 'http.sse', 'server.read'],
  ...['storage.fs', 'storage.kv', 'storage.sql', 'videoconfig.read'],
];

/** One this page does not know is not called harmless. */
export function riskOf(permission: PluginPermission): Risk {
  if (permission.highTrust || HIGH.includes(permission.name)) return 'high';
  return LOW.includes(permission.name) ? 'low' : 'middle';
}

/** One that came with the server is trusted as the server is, except with what concerns everybody at once. */
export const needsConsent = (plugin: Plugin): boolean =>
  !plugin.included || plugin.permissionDetails.some((permission) => riskOf(permission) === 'high');

/** What it allows; the server's own words for one this page does not know. */
export function meaningOf(permission: PluginPermission): string {
  const key = `permission.${permission.name}`;
  return Object.hasOwn(enAdminPlugins, key) ? ta(key as AdminKey) : permission.meaning;
}

export interface RiskGroup {
  risk: Risk;
  permissions: PluginPermission[];
}

export function byRisk(permissions: PluginPermission[]): RiskGroup[] {
  const groups = RISKS.map((risk) => ({ risk, permissions: permissions.filter((one) => riskOf(one) === risk) }));
  return groups.filter((group) => group.permissions.length > 0);
}
