/** Shapes of the admin API for plugins. */

/** A plugin, its state and how it is doing. */
export interface Plugin {
  slug: string;
  name: string;
  version?: string;
  description?: string;
  /** What the newest package asks for. */
  permissions: string[];
  /** What the newest package asks for beyond what was approved; the approved one runs on. */
  pendingPermissions?: string[];
  permissionDetails: PluginPermission[];
  /** The operator wants it to run. */
  enabled: boolean;
  loaded: boolean;
  /** It is loaded and takes calls. */
  running: boolean;
  /** It failed as a filter too often in a row. */
  autoDisabled?: boolean;
  hasIcon?: boolean;
  hasInstructions?: boolean;
  lastError?: string;
  discoveredAt: string;
  path: string;
  botDisplayName?: string;
  category?: string;
  allowedHosts?: string[];
  adminPages?: PluginPage[];
  /** Only while it is loaded. */
  commands?: PluginCommand[];
  config?: Record<string, PluginSetting>;
  /** What is odd about its package. */
  remarks?: string[];
  memoryBytes: number;
  strikes: number;
  droppedEvents: number;
  callStats: PluginCalls;
}

export interface PluginPermission {
  name: string;
  /** In English. */
  meaning: string;
  highTrust: boolean;
  /** Not approved yet. */
  pending: boolean;
}

export interface PluginPage {
  /** Below `/plugins/<slug>`; may have `*` in it. */
  path: string;
  title: string;
  icon?: string;
}

export interface PluginCommand {
  name: string;
  prefix: string;
  description: string;
  usage: string;
  aliases: string[];
  modOnly: boolean;
  cooldownMs: number;
}

export interface PluginSetting {
  /** `string`, `number`, `boolean`, or another name for values that are not checked. */
  type: string;
  default?: unknown;
  description?: string;
  /** To be hidden while it is typed. */
  secret: boolean;
}

/** Since the plugin was loaded. */
export interface PluginCalls {
  total: number;
  failed: number;
  /** Failures that ended the instance. */
  fatal: number;
  cpuMicros: number;
}

export const ACCESS_MODES = ['website-only', 'website-and-stream', 'website-stream-and-status'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];
