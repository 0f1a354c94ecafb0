/** Shapes of the JSON the server sends, as far as the pages use them. */

export interface Status {
  serverTime: string;
  lastConnectTime: string | null;
  lastDisconnectTime: string | null;
  versionNumber: string;
  streamTitle: string;
  online: boolean;
  viewerCount?: number;
}

export interface SocialHandle {
  platform: string;
  url: string;
  icon?: string;
}

export interface SiteConfig {
  name: string;
  summary: string;
  logo: string;
  tags: string[];
  version: string;
  nsfw: boolean;
  hideViewerCount: boolean;
  extraPageContent: string;
  offlineMessage: string;
  socialHandles: SocialHandle[];
}

export interface ViewerBoot {
  config: SiteConfig;
  status: Status;
}

export interface Session {
  authenticated: boolean;
  setupRequired: boolean;
}

export interface AdminBoot {
  session: Session;
  version: string;
}

export interface StreamKey {
  key: string;
  comment: string;
}

export interface Setting {
  key: string;
  /** Last part of the address that saves it. */
  path: string;
  kind: string;
  value: unknown;
  default: unknown;
  source: 'default' | 'database' | 'file' | 'environment' | 'flag';
  sourceName: string;
  locked: boolean;
  applies: 'now' | 'restart';
  doc: string;
  maxLength: number | null;
  choices?: string[];
}

export interface AdminStatus {
  online: boolean;
  streamTitle: string;
  versionNumber: string;
  viewerCount: number;
  overallPeakViewerCount: number;
  sessionPeakViewerCount: number;
}

export interface ServerConfig {
  streamKeys: StreamKey[];
  rtmpServerPort: number;
  webServerPort: number;
  streamKeyOverridden: boolean;
}

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

export interface LogLine {
  time: string;
  message: string;
  level: LogLevel;
}

export type SocialPlatforms = Record<string, { platform: string; icon?: string }>;
