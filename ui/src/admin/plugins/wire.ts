/** Shapes of the admin API for plugins, as its description has them. */
import type * as api from '../../api-types.d.ts';

export type Plugin = api.Plugin & {
  /** It came with the server and has no file of its own. */
  included?: boolean;
  /** It was added by the operator and stands in for an included one of the same slug. */
  replacesIncluded?: boolean;
  /** Chat lines that went on without its filter, which was busy or too slow. */
  unfilteredLines?: number;
  /** When a filter that was switched off is tried again. */
  returnsAt?: string;
};
export type PluginPermission = api.PluginPermission;
export type PluginPage = api.PluginPage;
export type PluginCalls = api.PluginCalls;
export type PluginCommand = api.PluginCommand;
export type PluginSetting = api.PluginSetting;
/** A file in the plugins folder that is no plugin. */
export interface BrokenPlugin {
  path: string;
  reason: string;
}

/** Somebody a plugin created in the chat. */
export interface PluginUser {
  id: string;
  displayName: string;
  createdAt: string;
  isModerator: boolean;
}

/** The newest of them, and how many there are. */
export interface PluginUsers {
  total: number;
  users: PluginUser[];
}

/** The operator's values, by the names of the settings. */
export type Values = api.PluginValues;

/** The words `accessMode` of the description is made of. */
export const ACCESS_MODES = ['website-only', 'website-and-stream', 'website-stream-and-status'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];
