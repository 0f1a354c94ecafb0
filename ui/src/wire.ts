/** Shapes of the JSON the server sends, as far as the pages use them. */

/** `waiting`: the publisher dropped and may come back within the grace time. */
export type StreamState = 'offline' | 'live' | 'waiting';

export interface Status {
  serverTime: string;
  lastConnectTime: string | null;
  lastDisconnectTime: string | null;
  versionNumber: string;
  streamTitle: string;
  online: boolean;
  streamState: StreamState;
  viewerCount?: number;
  /** The next announced stream; the room may be open for it. */
  scheduledEvent?: ScheduledEvent;
}

export interface ScheduledEvent {
  id: string;
  name: string;
  description: string;
  startTime: string;
  durationMinutes: number;
  chatOpen: boolean;
}

export interface SocialHandle {
  platform: string;
  url: string;
  icon?: string;
}

/** A button of the operator's below the player: an address or HTML of their own. */
export interface ExternalAction {
  url?: string;
  html?: string;
  title: string;
  description?: string;
  icon?: string;
  color?: string;
  /** In a tab of its own instead of over the page. */
  openExternally?: boolean;
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
  externalActions?: ExternalAction[];
  /** Absent is off: a server that does not speak of chat has none. */
  chatDisabled?: boolean;
  chatRequireAuthentication?: boolean;
  /** Bytes of one frame. */
  maxSocketPayloadSize?: number;
  /** Zero is off. */
  chatSpamProtectionEnabled?: boolean;
  chatSlowModeSeconds?: number;
  chatMaxLineChars?: number;
  /** `window`: until some minutes after the stream ended. */
  chatOpenWhenOffline?: 'window' | 'always';
  authentication?: { indieAuthEnabled?: boolean };
  /** What the operator wants; a frame's address may ask for something else. */
  autoplay?: 'always' | 'sound-only' | 'off';
}

export interface ViewerBoot {
  config: SiteConfig;
  status: Status;
}

/** Of the pages below `/embed/chat/`. */
export interface ChatBoot extends ViewerBoot {
  chat: 'readonly' | 'readwrite';
}

export interface ChatUser {
  id: string;
  displayName: string;
  /** 0 to 7. */
  displayColor: number;
  createdAt: string;
  /** Oldest first, with the current one. */
  previousNames: string[];
  isBot: boolean;
  authenticated: boolean;
  scopes?: string[];
  disabledAt?: string;
  /** Told to moderators only. */
  mutedUntil?: string;
}

/** What a line answers to. */
export interface ChatReply {
  id: string;
  displayName: string;
  /** Plain text. */
  excerpt: string;
}

/** One document from the chat's socket. Which keys there are depends on the type; nothing but the type is certain. */
export interface ChatEvent {
  type: string;
  id?: string;
  timestamp?: string;
  user?: Partial<ChatUser> | null;
  /** HTML. */
  body?: string;
  inReplyTo?: ChatReply | null;
  visible?: boolean;
  ids?: string[];
  oldName?: string;
  title?: string;
  image?: string | null;
  link?: string;
  /** On private notices: what they are about. */
  notice?: string;
  retryAfterSeconds?: number;
}

export interface ChatRegistration {
  id: string;
  accessToken: string;
  displayName: string;
}

export interface Emoji {
  name: string;
  url: string;
  pack?: string;
}

/** A first message that waits for a moderator. */
export interface HeldMessage {
  id: string;
  timestamp: string;
  user: ChatUser;
  body: string;
}

/** What a moderator is told about somebody. */
export interface ChatUserDetails {
  user: ChatUser;
  connectedClients: { id: string; connectedAt: string; userAgent: string; messageCount: number }[];
  messages: { id: string; timestamp: string; body: string }[];
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
  /** Whether a stream with this key may push out the one that is on. */
  takeOver?: boolean;
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
  /** Limits of a number. */
  min?: number | null;
  max?: number | null;
  choices?: string[];
}

export interface AdminStatus {
  online: boolean;
  streamState: StreamState;
  streamTitle: string;
  versionNumber: string;
  viewerCount: number;
  overallPeakViewerCount: number;
  sessionPeakViewerCount: number;
  /** What the players of viewers report; nothing while nobody watches. */
  health?: PlaybackHealth | null;
}

export interface PlaybackHealth {
  healthy: boolean;
  healthPercentage: number;
  message: string;
  /** Percent of the viewers whose players report. */
  representation: number;
}

/** One second of what the publisher sends. */
export interface InboundSample {
  at: string;
  kbps: number;
  fps: number;
  jitterMs: number;
  dropped: number;
}

export interface Diagnosis {
  level: 'warning' | 'info';
  code: string;
  message: string;
}

/** One broadcast from its start to its end. */
export interface StreamSession {
  id: string;
  startedAt: string;
  peakViewers: number;
  title: string;
}

export interface PastStream extends StreamSession {
  endedAt: string | null;
}

/** The stream as its operator sees it. */
export interface AdminStream {
  state: StreamState;
  session: StreamSession | null;
  publisher: {
    address: string;
    encoder: string;
    keyName: string;
    protocol: 'rtmp' | 'rtmps';
    connectedAt: string;
  } | null;
  video: { codec: string; codecString: string; width: number; height: number; frameRate: number } | null;
  audio: { codec: string; codecString: string; sampleRate: number; channels: number } | null;
  /** Newest sample last. */
  inbound: { samples: InboundSample[]; keyframeSeconds: number | null };
  output: { partSeconds: number; segmentSeconds: number } | null;
  diagnosis: Diagnosis[];
}

export interface ServerConfig {
  streamKeys: StreamKey[];
  rtmpServerPort: number;
  webServerPort: number;
  streamKeyOverridden: boolean;
  externalActions?: ExternalAction[];
}

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

export interface LogLine {
  time: string;
  message: string;
  level: LogLevel;
}

export type SocialPlatforms = Record<string, { platform: string; icon?: string }>;
