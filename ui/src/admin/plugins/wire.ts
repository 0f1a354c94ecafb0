/** Shapes of the admin API for plugins, as its description has them. */
import type * as api from '../../api-types.d.ts';

export type Plugin = api.Plugin;
export type PluginPermission = api.PluginPermission;
export type PluginPage = api.PluginPage;
export type PluginCalls = api.PluginCalls;
export type PluginCommand = api.PluginCommand;
export type PluginSetting = api.PluginSetting;
/** The operator's values, by the names of the settings. */
export type Values = api.PluginValues;

/** The words `accessMode` of the description is made of. */
export const ACCESS_MODES = ['website-only', 'website-and-stream', 'website-stream-and-status'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];
