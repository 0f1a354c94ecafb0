/**
 * Shapes of the JSON the server sends, as far as the pages use them.
 *
 * What the API's description knows comes from there; what is written out here is sent elsewhere (in pages, through the
 * chat's socket), or is narrower because the pages also run beside servers that leave things out.
 */
import type * as api from './api-types.d.ts';

export type Status = api.Status;

/** `waiting`: the publisher dropped and may come back within the grace time. */
export type StreamState = Status['streamState'];

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

/** What a plugin shows beside the operator's own text. Not sanitised: it belongs into a frame without an origin. */
export interface PluginTab {
  slug: string;
  title: string;
  html: string;
  plugin: string;
}

/** Who looks at the pages of one plugin, as a segment of their path. */
export interface PluginPass {
  pass: string;
  expiresIn: number;
}

/** What a plugin puts before the operator's own text, and its styles for it. Not sanitised either. */
export interface PluginContent {
  plugin: string;
  title: string;
  html: string;
  styles: string;
}

export interface SiteConfig {
  name: string;
  summary: string;
  logo: string;
  tags: string[];
  version: string;
  nsfw: boolean;
  hideViewerCount: boolean;
  /** Begins with what is in `pluginContent`; the rest is the operator's, and has been cleaned. */
  extraPageContent: string;
  offlineMessage: string;
  /** The address of the picture behind it. */
  offlinePicture?: string;
  socialHandles: SocialHandle[];
  /** Those of plugins too. */
  externalActions?: ExternalAction[];
  pluginContent?: PluginContent[];
  pluginTabs?: PluginTab[];
  /** Absent is off: a server that does not speak of chat has none. */
  chatDisabled?: boolean;
  chatPaused?: boolean;
  chatRequireAuthentication?: boolean;
  /** Bytes of one frame. */
  maxSocketPayloadSize?: number;
  /** Zero is off. */
  chatSpamProtectionEnabled?: boolean;
  chatSlowModeSeconds?: number;
  chatMaxLineChars?: number;
  /** How long one can delete a message of one's own; absent is not at all. */
  chatOwnDeletionSeconds?: number;
  /** `window`: until some minutes after the stream ended. */
  chatOpenWhenOffline?: 'window' | 'always';
  /** Nobody can write yet: the server has no operator. */
  chatAwaitsSetup?: boolean;
  /** What is written while the stream is recorded is kept as long as the recording. */
  chatRecorded?: boolean;
  authentication?: { indieAuthEnabled?: boolean };
  /** Absent is off. */
  federation?: FederationConfig;
  /** How far viewers can go back in the stream; absent is not at all. */
  rewind?: { minutes: number };
  /** What the operator wants; a frame's address may ask for something else. */
  autoplay?: 'always' | 'sound-only' | 'off';
  /** There are past streams that everyone can watch. */
  videos?: boolean;
}

export interface FederationConfig {
  enabled: boolean;
  /** name@host */
  account?: string;
  followerCount?: number;
  hideFollowersTab?: boolean;
}

/** Somebody of another server who follows. */
export interface Follower {
  link: string;
  name: string;
  /** name@host */
  username: string;
  image?: string | null;
  timestamp: string;
  disabledAt?: string | null;
}

export interface FollowersPage {
  total: number;
  results: Follower[];
}

/** Another stream that the operator recommends. */
export interface FeaturedServer {
  id: number | string;
  /** Of the server, not of its account. */
  iri: string;
  displayName?: string;
  summary?: string;
  logoUrl?: string;
  isOnline: boolean;
  streamTitle?: string;
  streamDescription?: string;
  tags?: string[];
}

export interface ViewerBoot {
  config: SiteConfig;
  status: Status;
}

/** Of the pages below `/embed/chat/`. */
export interface ChatBoot extends ViewerBoot {
  chat: 'readonly' | 'readwrite';
}

export type ChatUser = api.User;

/** What a line answers to. */
export type ChatReply = api.ChatReply;

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
  /** With a ban: what the moderator wrote about it, and when it is over. */
  reason?: string;
  until?: string;
  /** With hidden lines: nobody can show them again. */
  deletedByAuthor?: boolean;
  /** On private notices: what they are about. */
  notice?: string;
  /** On what the room itself says: the sentence of the body, for other languages. */
  code?: string;
  params?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** With one's own name: what is left of a timeout, and of the pause of slow mode. */
  mutedForSeconds?: number;
  mutedReason?: string;
  slowModeForSeconds?: number;
  /** What stands above the chat; with one's own name, absent is nothing. */
  pinned?: PinnedMessage | null;
}

/** The line that stands above the chat. */
export interface PinnedMessage {
  message: api.ChatLine;
  /** A name, `operator` for the operator. */
  pinnedBy: string;
  pinnedAt: string;
}

export type ChatRegistration = api.Registered;

export type Emoji = api.Emoji;

/** A first message that waits for a moderator. */
export interface HeldMessage {
  id: string;
  timestamp: string;
  user: ChatUser;
  body: string;
}

/** A line that others do not see any more. */
export interface HiddenMessage extends HeldMessage {
  type: string;
  hiddenAt: string;
  deletedAt?: string;
}

/** Who may write, and how often. */
export interface ChatRestrictions {
  paused: boolean;
  slowModeSeconds: number;
  signedInOnly: boolean;
  returningOnly: boolean;
  establishedOnly: boolean;
  holdCopiedMessages: boolean;
}

/** What a moderator is told about somebody. */
export type ChatUserDetails = api.UserDetails;

/** A part of the list of people who are banned or timed out. */
export type SanctionedPage = api.UsersPage;
export type SanctionedUser = api.User;

export type ModerationEntry = api.ModerationEntry;

export type Session = api.AdminSession;

export interface AdminBoot {
  session: Session;
  version: string;
  /** The server is one of several machines. */
  cluster?: boolean;
}

export type StreamKey = Required<api.ServerConfig['streamKeys'][number]>;

export type Setting = api.SettingRow;

export type AdminStatus = api.AdminStatus;

export type Health = api.Health;

/** One second of what the publisher sends. */
export type InboundSample = api.InboundSample;

export type Diagnosis = api.Finding;

/** One broadcast from its start to its end. */
export type StreamSession = api.StreamSession;

export type PastStream = api.PastStream;

/** The stream as its operator sees it. */
export type AdminStream = api.StreamReport;

export interface ServerConfig {
  streamKeys: StreamKey[];
  rtmpServerPort: number;
  webServerPort: number;
  streamKeyOverridden: boolean;
  externalActions?: ExternalAction[];
}

export type LogLevel = LogLine['level'];

export type LogLine = api.LogLine;

export type SocialPlatforms = Record<string, { platform: string; icon?: string }>;
