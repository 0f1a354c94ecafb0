/** What can be asked of the server here. Each rejects with an error whose message is for the operator. */
import { api } from '../../api.ts';
import { withReason } from '../session.ts';
import type { AccessMode, Plugin, PluginUsers, Values } from './wire.ts';

export const PLUGINS = '/api/admin/plugins';
export const BROKEN_PLUGINS = '/api/admin/broken-plugins';

const of = (slug: string, what: string) => `${PLUGINS}/${encodeURIComponent(slug)}/${what}`;

export type PluginAction = 'enable' | 'disable' | 'reload' | 'uninstall' | 'approve';

export const act = (slug: string, action: PluginAction) => withReason(api.post<void>(of(slug, action), {}));

export function uploadPlugin(file: File, onProgress: (share: number) => void): Promise<Plugin> {
  const form = new FormData();
  form.append('plugin', file, file.name);
  return withReason(api.upload<Plugin>(PLUGINS, form, onProgress));
}

export const loadInstructions = async (slug: string) => String(await withReason(api.get(of(slug, 'instructions'))));

export const loadUsers = (slug: string) => withReason(api.get<PluginUsers>(of(slug, 'users')));

/** Where the newest log lines about a plugin are. */
export const logsOf = (slug: string) => of(slug, 'logs');

export const loadValues = (slug: string) => withReason(api.get<Values>(of(slug, 'config')));
/** Replaces everything that was set before; what is left out has its default. */
export const saveValues = (slug: string, values: Values) => withReason(api.post<void>(of(slug, 'config'), values));

export const loadAccessMode = async (slug: string) =>
  (await withReason(api.get<{ accessMode: AccessMode }>(of(slug, 'auth-settings')))).accessMode;
export const saveAccessMode = (slug: string, accessMode: AccessMode) =>
  withReason(api.post<void>(of(slug, 'auth-settings'), { accessMode }));
