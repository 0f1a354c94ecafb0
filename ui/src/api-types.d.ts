/**
 * The shapes of the API's documents.
 *
 * Made from docs/openapi.json by scripts/api-types.mjs; a test keeps it in step.
 */

/** A token as lists show it, or with its secret right after it was made. */
export interface AccessToken {
  /** The secret once, when it was made; its first characters from then on. */
  accessToken: string;
  createdAt: string;
  displayColor: number;
  displayName: string;
  id: string;
  isBot: boolean;
  lastUsedAt?: string;
  scopes: ('CAN_SEND_MESSAGES' | 'CAN_SEND_SYSTEM_MESSAGES' | 'HAS_ADMIN_ACCESS')[];
}

/** A token to be revoked, named by its secret, as existing tools do it, or by its id. */
export interface AccessTokenRevocation {
  id?: string;
  token?: string;
}

/** A token to be made. */
export interface AccessTokenWish {
  name: string;
  scopes: ('CAN_SEND_MESSAGES' | 'CAN_SEND_SYSTEM_MESSAGES' | 'HAS_ADMIN_ACCESS')[];
}

/** The key of the account, and how far the newest one has come. */
export interface AccountKey {
  /** The last change can be taken back. */
  canTakeBack: boolean;
  /** Until when servers that have not answered get what is signed with the key before; `null` when there is none. */
  handoverUntil: string | null;
  /**
   * Servers that may know a key of the account: those of followers, and those that were sent something in the last
   * 30 days.
   */
  knownTo: number;
  /** For how many of them something is still under way. */
  underWay: number;
  /** Servers that know the key before, and have not answered yet; at most 100 of them. */
  waitingFor: string[];
}

/** An address to be kept out or let in. */
export interface Address {
  notes?: string;
  value: string;
}

/** An address that is kept out. */
export interface AddressBan {
  createdAt: string;
  ipAddress: string;
  /** Why. */
  notes: string;
}

/** What was found at the server's public address. */
export interface AddressCheck {
  /**
   * `reached`, `another` (something else answered), `silent` (nothing did), `unasked` (a private address, which the
   * server does not ask) or `unset`.
   */
  outcome: string;
  /** Why nothing answered, in English; empty otherwise. */
  reason: string;
}

/** A recording as the operator sees it. */
export type AdminRecording = Recording & {
  /** The size of its files. */
  bytes: number;
  /** What is wrong with it; most often nothing. */
  errors: RecordingError[];
  /** It is not deleted because it is old or to make room. */
  isKept: boolean;
  /** The chat of that time is kept as long as the recording. */
  keepsChat: boolean;
  /** The length of everything that was recorded, in seconds. */
  recordedDuration: number;
  /** `recording` while the stream goes on, then `finished`. */
  state: string;
  /** Where viewers see it end, in seconds from the beginning of everything; `null` for its end. */
  trimEnd: number | null;
  /** Where viewers see it begin, in seconds from the beginning of everything; `null` for there. */
  trimStart: number | null;
};

/** A recording with its chapters, as the operator sees it. */
export type AdminRecordingDetail = AdminRecording & {
  chapters: RecordingChapter[];
};

/** Recordings, newest first, and what else there is to know. */
export interface AdminRecordingPage {
  folder: RecordingsFolder;
  /** What is kept of the stream that is live; `null` while there is nothing. */
  live: LiveRecording | null;
  results: AdminRecording[];
  total: number;
}

/** Whether the caller is signed in. */
export interface AdminSession {
  authenticated: boolean;
  /** Nobody has chosen a password yet; the setup link is in the server's log. */
  setupRequired: boolean;
}

/** The stream in the shape existing admin tools read. */
export interface AdminStatus {
  /** `null` while nobody publishes. */
  broadcaster: Broadcaster | null;
  /** `null` while nothing is on. */
  currentBroadcast: CurrentBroadcast | null;
  /** `null` while nobody publishes. */
  health: Health | null;
  online: boolean;
  /** Most viewers at once, ever. */
  overallPeakViewerCount: number;
  /** Most viewers at once in this broadcast. */
  sessionPeakViewerCount: number;
  /** `waiting` is for a publisher that was lost. */
  streamState: 'offline' | 'live' | 'waiting';
  streamTitle: string;
  versionNumber: string;
  viewerCount: number;
}

/** Every server that is known, those that agreed first. */
export interface AllServers {
  servers: KnownServer[];
}

/** A broadcast that is assumed. */
export interface AssumedSource {
  framerate: number;
  height: number;
  width: number;
}

/** How many watched and chatted. Time in which the stream was off and nobody was in the chat has no points. */
export interface AudienceHistory {
  from: string;
  points: AudiencePoint[];
  /** When the first of all periods begins; `null` before there is one. */
  since: string | null;
  /** The length of the periods. */
  stepSeconds: number;
  to: string;
}

/** A period of which something is known. */
export interface AudiencePoint {
  /** Connections to the chat, on average. */
  chatClients: number;
  /** Lines that people wrote. */
  messages: number;
  peakChatClients: number;
  peakViewers: number;
  /** Its beginning. */
  time: string;
  /** On average. */
  viewers: number;
}

/** The sound. */
export interface Audio {
  channels: number;
  codec: string;
  /** As in RFC 6381. */
  codecString: string;
  sampleRate: number;
}

/** How people can sign in to the chat. */
export interface AuthenticationConfig {
  indieAuthEnabled: boolean;
}

/** Something to be said, in Markdown. */
export interface BotText {
  /** What to say. */
  body: string;
}

/** Who publishes. */
export interface Broadcaster {
  remoteAddr: string;
  streamDetails: StreamDetails;
  /** Since when. */
  time: string;
}

/** A file of the plugins folder that is not used. */
export interface BrokenPlugin {
  path: string;
  /** Why, in one line. */
  reason: string;
}

/** Notices by the browser. */
export interface BrowserNotices {
  enabled: boolean;
}

/** Somebody by their account. */
export interface ByActor {
  /** Their `link`. */
  actorIRI: string;
}

/** Something by its number. */
export interface ById {
  id: number;
}

/** A connection to the chat. */
export interface ChatClient {
  connectedAt: string;
  /** Always `null`: the server has no database of places. */
  geo: Record<string, unknown> | null;
  /** Where messages to this one connection are sent. */
  id: number;
  /** Lines that came from it. */
  messageCount: number;
  user: User;
  userAgent: string;
}

/** A line of the chat, as its history and its moderators know it. */
export interface ChatLine {
  /** Sanitised HTML. */
  body: string;
  /** Deleted by its author since; moderators only. */
  deletedAt?: string;
  /** Hidden since; moderators only. */
  hiddenAt?: string;
  id: string;
  /** The line it answers. */
  inReplyTo?: ChatReply;
  /** Above the chat since; moderators only. */
  pinnedAt?: string;
  timestamp: string;
  /** `CHAT`; moderators also see other kinds. */
  type: string;
  /** Who wrote it; `null` for lines of the server itself. */
  user: User | null;
}

/** A line of the chat in an exported log. */
export interface ChatLogLine {
  isHidden: boolean;
  /** `CHAT` if a person wrote it. */
  kind: string;
  name: string;
  position: number;
  /** As typed. */
  text: string;
  time: string;
  /** Empty for lines of the server, like the name. */
  userId: string;
}

/** The line that a line answers. */
export interface ChatReply {
  /** Who wrote it, as they were called then. */
  displayName: string;
  /** How it begins, without markup. */
  excerpt: string;
  id: string;
}

/** Who may write now, and how often. */
export interface ChatRestrictions {
  /** Only people who have been here for 15 minutes (`chat_established_only`). */
  establishedOnly: boolean;
  /** The same text by several people waits for a moderator (`chat_hold_copied_messages`). */
  holdCopiedMessages: boolean;
  /** Only moderators (`chat_paused`). */
  paused: boolean;
  /** Only people who were known before (`chat_known_people_only`). */
  returningOnly: boolean;
  /** Only people who signed in (`chat_require_authentication`). */
  signedInOnly: boolean;
  /** Between two messages of one person (`chat_slow_mode_seconds`). */
  slowModeSeconds: number;
}

/** What is to be different; the rest stays as it is. */
export interface ChatRestrictionsChange {
  establishedOnly?: boolean;
  holdCopiedMessages?: boolean;
  paused?: boolean;
  returningOnly?: boolean;
  signedInOnly?: boolean;
  slowModeSeconds?: number;
}

/** A connection of theirs. */
export interface ClientOfUser {
  connectedAt: string;
  id: number;
  messageCount: number;
  userAgent: string;
}

/** Common Media Client Data (CTA-5004): one report, or a list of them. */
export type CmcdReports = Record<string, unknown> | Record<string, unknown>[];

/** What came. */
export interface Code {
  /** Six digits. */
  code: string;
}

/** Where a code is to be sent. */
export interface CodeWish {
  /** `@name@server.example` */
  account: string;
}

/** What a page needs to draw itself. */
export interface Config {
  appearanceVariables: Record<string, string>;
  authentication: AuthenticationConfig;
  autoplay: string;
  /** Nobody can write yet, because the server has not been set up; absent otherwise. */
  chatAwaitsSetup?: boolean;
  chatDisabled: boolean;
  chatMaxLineChars: number;
  chatOpenWhenOffline: string;
  /** How long people can delete a message of their own. */
  chatOwnDeletionSeconds: number;
  /** Only moderators can write for now; absent otherwise. */
  chatPaused?: boolean;
  /** What is written while a stream is recorded is kept as long as the recording; absent otherwise. */
  chatRecorded?: boolean;
  chatRequireAuthentication: boolean;
  chatSlowModeSeconds: number;
  /** As existing clients know it: true while the protection is on. */
  chatSpamProtectionDisabled: boolean;
  chatSpamProtectionEnabled: boolean;
  customStyles: string;
  externalActions: ExternalAction[];
  /** What plugins add, as they wrote it, and then the operator's text as harmless HTML. */
  extraPageContent: string;
  federation: FederationConfig;
  hideViewerCount: boolean;
  logo: string;
  maxSocketPayloadSize: number;
  name: string;
  notifications: NotificationsConfig;
  nsfw: boolean;
  offlineMessage: string;
  /** The address of the picture behind the offline message; absent without one. */
  offlinePicture?: string;
  /** The texts of plugins that `extraPageContent` begins with, one after the other and each by itself. */
  pluginContent: PluginContent[];
  /** Styles of plugins, below the operator's own. */
  pluginStyles: string;
  /** Tabs of plugins. */
  pluginTabs: PluginTab[];
  /** How far viewers can go back in the live stream; absent if they cannot. */
  rewind?: RewindConfig;
  schedule: ScheduleConfig;
  socialHandles: SocialHandle[];
  /** Absent when empty. */
  socketHostOverride?: string;
  /** Absent when empty. */
  streamTitle?: string;
  summary: string;
  tags: string[];
  version: string;
  /** There are recordings for everybody to watch; absent otherwise. */
  videos?: boolean;
}

/** How people are connected to the chat. */
export interface ConnectionReport {
  /** Requests for a socket that something on the way broke. */
  brokenUpgrades: number;
  /** Those who could not have a socket. */
  fallbacks: number;
  lastBrokenAt: string | null;
  /** The header that a proxy removes, while it does. */
  missingHeader: string | null;
  websockets: number;
}

/** What qualities cost on this machine. */
export interface Cost {
  /** Of that sentence in `docs/sentences.json`; absent where there is none. */
  code?: string;
  encoder: string;
  /** What such a stream would not get. */
  leftOut: LeftOutVariant[];
  /** For people. */
  message: string;
  /** What stands in its gaps. */
  params?: Record<string, unknown>;
  /** What would be encoded. */
  rungs: PlannedRung[];
  source: AssumedSource;
  /** Seconds of the stream that are encoded in a hundred seconds; `null` when it could not be measured. */
  speedPercent: number | null;
  /** Whether this machine can afford it: `free` needs no encoder, `tight` keeps up with nothing to spare. */
  verdict: 'free' | 'comfortable' | 'tight' | 'slow' | 'failed';
}

/** What goes out. */
export interface CurrentBroadcast {
  latencyLevel: Latency;
  outputSettings: OutputVariant[];
}

/** Deliveries by their numbers. */
export interface DeliveryIds {
  ids: number[];
}

/** What a directory of streams may know. */
export interface DirectoryListing {
  description: string;
  lastConnectTime: string | null;
  logo: string;
  name: string;
  nsfw: boolean;
  online: boolean;
  overallMaxViewerCount: number;
  sessionMaxViewerCount: number;
  social: SocialHandle[];
  /** Absent when empty. */
  streamTitle?: string;
  tags: string[];
  viewerCount: number;
}

/** Room on a disk, in bytes. */
export interface DiskSpace {
  /** What this server may still write. */
  freeBytes: number;
  /** All that it may ever use. */
  totalBytes: number;
}

/** A picture to write with. */
export interface Emoji {
  /** Comes with the server; absent from the operator's own. */
  builtin?: boolean;
  /** Between colons in a line of the chat. */
  name: string;
  /** The folder it lies in. */
  pack?: string;
  url: string;
}

/** A picture to be removed. */
export interface EmojiRemoval {
  /** Its path, as it stands in its URL. */
  name: string;
}

/** A picture to be added. */
export interface EmojiUpload {
  /** As a data URI such as `data:image/png;base64,…`. */
  data: string;
  name: string;
  /** The folder to put it into. */
  pack?: string | null;
}

/** Somebody to be banned or readmitted. */
export interface Enabling {
  /** For how many seconds somebody is banned; without it for ever. */
  duration?: number;
  enabled: boolean;
  /** Why, for a banned person and the log. */
  reason?: string;
  userId: string;
}

/** What encodes on this machine. */
export interface EncoderList {
  /** The one that is set; with a name nobody knows, the one that works everywhere. */
  chosen: string;
  /** All there are, the one that works everywhere first. */
  encoders: EncoderState[];
  ffmpeg: FfmpegProgram;
}

/** An encoder, and whether it works here. */
export interface EncoderState {
  /** Of that sentence in `docs/sentences.json`; absent where there is none. */
  code?: string;
  /** As in the setting `video_codec`. */
  name: string;
  /** What stands in its gaps. */
  params?: Record<string, unknown>;
  /** Why it cannot be used; empty where it can. */
  reason: string;
  /** Whether it is known if it works; while a stream is on none is tried by itself. */
  tried: boolean;
  usable: boolean;
}

/** What a POST answers, and every error. */
export interface Envelope {
  /**
   * What went wrong, stable and for programs: a page says it in its own language, and shows the message where it does
   * not know the code. Only in errors that people can run into; `docs/sentences.json` lists them.
   */
  code?: string;
  /** The message again: two error shapes are in use among existing clients. Only in errors. */
  error?: string;
  /** What happened, for people. */
  message: string;
  /** What stands in the gaps of that sentence: numbers and texts by name. */
  params?: Record<string, unknown>;
  /** Was it done? */
  success: boolean;
}

/** A button below the player, as the settings keep it. */
export interface ExternalAction {
  /** A CSS colour. */
  color: string;
  description: string;
  /** What it shows, sanitised. */
  html: string;
  /** The address of a small picture. */
  icon: string;
  /** In a tab of its own instead of above the page. */
  openExternally: boolean;
  title: string;
  /** Where it leads; empty when it shows `html`. */
  url: string;
}

/** Directories that want to list the stream. */
export interface FeatureRequests {
  requests: Follower[];
}

/** A server to be featured. */
export interface FeatureWish {
  /** `https://server.example` */
  url: string;
}

/** A featured server; its texts are its own, without markup. */
export interface FeaturedServer {
  displayName: string;
  id: number;
  /** Where it is, as the operator typed it. */
  iri: string;
  isOnline: boolean;
  logoUrl: string;
  /** The name of its account. */
  name: string;
  streamDescription: string;
  streamTitle: string;
  summary: string;
  tags: string[];
  thumbnailUrl: string;
}

/** Servers the operator features. */
export interface FeaturedServers {
  servers: FeaturedServer[];
}

/** Whether the server is part of the Fediverse. */
export interface FederationConfig {
  /** `user@host`; absent while it is off. */
  account?: string;
  enabled: boolean;
  /** How many follow; absent while it is off. */
  followerCount?: number;
  /** The operator keeps the list of followers to themselves; absent while it is off. */
  hideFollowersTab?: boolean;
}

/** Something that somebody did. */
export interface FediverseAction {
  /** Who. */
  actorIRI: string;
  /** With what. */
  iri: string;
  timestamp: string;
  type: string;
  /** They have taken it back since. */
  undoneAt: string | null;
}

/** What others did, newest first. */
export interface FediverseActions {
  results: FediverseAction[];
  total: number;
}

/** Deliveries, newest first. */
export interface FediverseDeliveries {
  results: FediverseDelivery[];
  total: number;
}

/** Something on its way to one inbox. */
export interface FediverseDelivery {
  attempts: number;
  createdAt: string;
  /** Why the last attempt failed. */
  error: string | null;
  expiresAt: string;
  host: string;
  id: number;
  inbox: string;
  kind: string;
  /** `null` until it was tried. */
  lastAt: string | null;
  nextAt: string;
  state: string;
  /** What the inbox answered last. */
  status: number | null;
}

/** Something the operator says. */
export interface FediversePost {
  /** What the picture shows, for those who cannot see it. */
  description?: string | null;
  /** As a data URI such as `data:image/png;base64,…`. */
  image?: string | null;
  /** In Markdown. */
  value: string;
}

/** The queue in a few numbers. */
export interface FediverseQueue {
  /** Of the last week. */
  delivered: number;
  /** Of the last week. */
  failed: number;
  /** Servers that get nothing for a while. */
  heldHosts: number;
  inFlight: number;
  /** When the oldest of those that wait was queued. */
  oldest: string | null;
  /** Of these, was tried before. */
  retrying: number;
  /** To be sent. */
  waiting: number;
}

/** A complaint about the stream's account or its posts. */
export interface FediverseReport {
  /** Who complains, most often a server. */
  actorIRI: string;
  /** Why, in plain text. */
  content: string;
  /** For deleting it here. */
  id: number;
  /** What about. */
  objects: string[];
  receivedAt: string;
}

/** The program that encodes. */
export interface FfmpegProgram {
  /** Of that sentence in `docs/sentences.json`; absent where there is none. */
  code?: string;
  found: boolean;
  /** What is wrong and how to mend it; empty where nothing is. */
  message: string;
  /** What stands in its gaps. */
  params?: Record<string, unknown>;
  /** In its own words; empty where there is none. */
  version: string;
}

/** Something that could be better. */
export interface Finding {
  /** Stable, for programs. */
  code: string;
  /** How serious it is. */
  level: 'info' | 'warning';
  /** For people. */
  message: string;
  /** What stands in the gaps of the message, by name, to say it in another language. */
  params: Record<string, unknown>;
}

/** Somebody who follows. */
export interface Follower {
  /** Blocked since. */
  disabledAt: string | null;
  image: string;
  /** The address of their account, which is how it is named elsewhere in this API. */
  link: string;
  name: string;
  /** When they asked to follow. */
  timestamp: string;
  /** `alice@remote.example` */
  username: string;
}

/** What the operator decides about somebody. */
export interface FollowerDecision {
  /** Their `link`. */
  actorIRI: string;
  /** They may follow; else they are refused, and blocked until they are approved. */
  approved: boolean;
}

/** Who follows. */
export interface Followers {
  results: Follower[];
  total: number;
}

/** Somebody to be forgotten. */
export interface Forgetting {
  userId: string;
}

/** A name the account had. */
export interface FormerName {
  name: string;
  /** When it got another one. */
  until: string;
}

/** The server's state, for bots and webhooks. Unlike the public one it always tells how many watch. */
export interface FullStatus {
  /** `null` while nothing is on. */
  lastConnectTime: string | null;
  /** `null` while a stream is on. */
  lastDisconnectTime: string | null;
  online: boolean;
  overallMaxViewerCount: number;
  sessionMaxViewerCount: number;
  streamTitle: string;
  versionNumber: string;
  viewerCount: number;
}

/** How busy the machine was, in percent. */
export interface HardwareSeries {
  cpu: MeasuredPoint[];
  disk: MeasuredPoint[];
  memory: MeasuredPoint[];
}

/** How well the stream comes in. */
export interface Health {
  /** Of the finding that the message is from. */
  code?: string;
  healthPercentage: number;
  healthy: boolean;
  /** What could be better; empty when nothing could. */
  message: string;
  /** What the lowest quality takes. */
  neededKbps: number | null;
  /** What stands in the gaps of its message. */
  params?: Record<string, unknown>;
  /** How many players report. */
  players: number;
  /** How many of a hundred viewers report. */
  representation: number;
  /** How many of these have a connection that is slower than the lowest quality. */
  slowPlayers: number;
  /** How many of them stalled or failed in the last two minutes. */
  troubledPlayers: number;
}

/** What another site is told. */
export type IdentityAnswer = {
  me: string;
  profile: IdentityProfile;
} | {
  error: string;
  error_description: string;
};

/** Whose server it is. */
export interface IdentityProfile {
  name: string;
  photo: string;
  url: string;
}

/** What arrived lately. */
export interface Inbound {
  /** Distance between the last two key frames. */
  keyframeSeconds: number | null;
  /** Second by second, newest last. */
  samples: InboundSample[];
}

/** A reply or a mention. */
export interface InboundPost {
  actor: InboundPostActor;
  attachments: InboundPostAttachment[];
  /** Sanitised HTML. */
  content: string;
  contentText: string;
  /** For deleting it here. */
  id: number;
  inReplyTo: string | null;
  /** `reply` or `mention` */
  kind: string;
  language: string | null;
  postedAt: string | null;
  receivedAt: string;
  url: string;
  /** `public`, `unlisted`, `followers` or `direct` */
  visibility: string;
}

/** Who wrote it. */
export interface InboundPostActor {
  actorIRI: string;
  handle: string;
  image: string | null;
  name: string;
  url: string | null;
}

/** What hangs on it. */
export interface InboundPostAttachment {
  alt: string | null;
  mediaType: string | null;
  url: string;
}

/** Replies and mentions, newest first. */
export interface InboundPosts {
  results: InboundPost[];
  total: number;
}

/** One second of it. */
export interface InboundSample {
  at: string;
  /** Frames that are missing. */
  dropped: number;
  fps: number;
  /** How unevenly frames arrived. */
  jitterMs: number;
  kbps: number;
}

/** A server, as programs for microblogs want it described. */
export interface InstanceDescription {
  approval_required: boolean;
  description: string;
  invites_enabled: boolean;
  languages: string[];
  registrations: boolean;
  short_description: string;
  stats: InstanceStats;
  /** The address of the logo. */
  thumbnail: string;
  title: string;
  /** The public address. */
  uri: string;
  /** Product and version. */
  version: string;
}

/** How much there is on a server. */
export interface InstanceStats {
  domain_count: number;
  /** Public posts. */
  status_count: number;
  user_count: number;
}

/** A server the operator wants to feature, or that told us of itself. */
export type KnownServer = FeaturedServer & {
  addedAt: string;
  /** `pending`, `accepted`, `rejected`, or `none` for one nobody asked. */
  followStatus: string;
  followedAt: string | null;
  /** It was asked a week ago and has not answered. */
  isSilent: boolean;
  /** It told us of itself; viewers do not see it. */
  isUnsolicited: boolean;
  lastSeenOnline: string | null;
  lastStatusUpdate: string | null;
  /** Where its account says it has moved to. */
  movedTo: string | null;
};

/** The encoder of the broadcast. */
export interface LadderReport {
  /** `null` while nothing is encoded. */
  ladder: LadderState | null;
}

/** A quality of the broadcast. */
export interface LadderRung {
  height: number;
  kbps: number;
  name: string;
  /** Viewers can choose it right now. */
  offered: boolean;
  /** Place in the list of qualities. */
  variant: number;
  width: number;
}

/** One second of the encoder. */
export interface LadderSample {
  at: string;
  behindMs: number;
  speedPercent: number | null;
}

/** Sound that is encoded. */
export interface LadderSound {
  channels: number;
  /** It will not be encoded for the rest of this broadcast: ffmpeg could not, and qualities go on without it. */
  givenUp: boolean;
  kbps: number;
  /** Players can choose it right now. */
  offered: boolean;
}

/** How it goes. */
export interface LadderState {
  /** How far the slowest quality is behind. */
  behindMs: number;
  encoder: string;
  /** Of that sentence in `docs/sentences.json`; absent where there is none. */
  failureCode?: string;
  /** What stands in its gaps. */
  failureParams?: Record<string, unknown>;
  /** It is behind, and is given key frames only until it has caught up. */
  hurries: boolean;
  /** Why it was the last time, for people. */
  lastFailure: string | null;
  leftOut: LeftOutVariant[];
  /** How often it was started again. */
  restarts: number;
  /** In the operator's order. */
  rungs: LadderRung[];
  running: boolean;
  /** Second by second, newest last. */
  samples: LadderSample[];
  /** `null` where the sound is passed through. */
  sound: LadderSound | null;
  /** Seconds of the stream that are encoded in a hundred seconds; `null` before it was measured. */
  speedPercent: number | null;
}

/** How close to live viewers are. */
export interface Latency {
  /** From 0, the closest, to 4. */
  level: number;
}

/** A quality that is wanted and not encoded. */
export interface LeftOutVariant {
  /** Of that sentence in `docs/sentences.json`. */
  code: string;
  name: string;
  /** What stands in its gaps. */
  params: Record<string, unknown>;
  /** For people. */
  reason: string;
  /** Place in the list of qualities. */
  variant: number;
}

/** A line of theirs. */
export interface LineOfUser {
  /** Sanitised HTML. */
  body: string;
  /** Hidden since. */
  hiddenAt?: string;
  id: string;
  timestamp: string;
}

/** What of a live stream is to be marked. */
export interface LiveMarkRequest {
  /** How long ago it was: naming a moment takes a while. At most a day. */
  secondsAgo?: number;
  /** One line, at most 200 characters; a mark without a title can get one later. */
  title?: string;
}

/** What is kept of the stream that is live. */
export interface LiveRecording {
  id: string;
  /** Nothing is written for now, because the disk is full. */
  isPaused: boolean;
  /** It is there for going back in the stream only, and goes with it. */
  isRing: boolean;
  /** Parts that are missing because the disk was too slow or full. */
  lost: number;
}

/** A connection, with what is for the operator alone. */
export type LocatedChatClient = ChatClient & {
  ipAddress: string;
  /** How it is connected. */
  transport: 'websocket' | 'sse';
};

/** A line of the log. */
export interface LogLine {
  /** How serious it is. */
  level: 'debug' | 'info' | 'warning' | 'error';
  message: string;
  time: string;
}

/** A picture for the server. */
export interface LogoUpload {
  /** As a data URI such as `data:image/png;base64,…`. */
  value: string;
}

/** A mark to be set. */
export interface MarkRequest {
  /** Seconds from the beginning of what viewers see; left out it is now, while the stream is recorded. */
  at?: number;
  /** One line, at most 200 characters; a mark without a title can get one later. */
  title?: string;
}

/** A text that is being written. */
export interface MarkdownDraft {
  /** Where it will be shown, which decides what markup is kept: `page`, `chat` or `post`. */
  place: string;
  /** In Markdown. */
  text: string;
}

/** What is to be measured. */
export interface MeasureWish {
  /** The encoder, as in the setting `video_codec`; without it the one that is set. */
  encoder?: string | null;
  /** What somebody will broadcast; without it 1920 × 1080 with 30 frames in a second. */
  source?: AssumedSource | null;
  /** The qualities, as in the setting `output_variants`; without them those that are set. */
  variants?: Record<string, unknown>[] | null;
  /** Measure although somebody broadcasts, which may stutter from it. */
  whileLive?: boolean;
}

/** A value at a time. */
export interface MeasuredPoint {
  time: string;
  value: number;
}

/** Something that a moderator did. */
export interface ModerationEntry {
  action: string;
  actor: string;
  actorName: string;
  at: string;
  detail: string;
  /** What the moderator wrote about it. */
  reason: string;
  /** Its position: newer entries have higher ones. */
  seq: number;
  /** A user, a message or an address. */
  target: string;
  /** The user's name then, if it is about one. */
  targetName: string;
}

/** An invitation that nobody has accepted yet. */
export interface ModeratorInvitation {
  createdAt: string;
  expiresAt: string;
  id: string;
}

/** What was behind the `#` of a link. */
export interface ModeratorInvitationAcceptance {
  token: string;
}

/** An invitation to be taken back. */
export interface ModeratorInvitationRevocation {
  id: string;
}

/** Why there is to be another key. */
export interface NewKey {
  /**
   * Somebody else may know the present one: it is deleted and not even used to tell other servers of the new one,
   * which some of them (GoToSocial, snac) then do not believe until their operators act.
   */
  compromised?: boolean;
}

/** A new invitation, with what belongs behind the `#` of its link. */
export type NewModeratorInvitation = ModeratorInvitation & {
  /** Shown this once. */
  token: string;
};

/** Another password for the operator. */
export interface NewPassword {
  /** The password until now; whoever is signed in by a session has to know it, a script has sent it anyway. */
  current?: string;
  value: string;
}

/** `scheduledEvent` of `/api/status`. */
export interface NextScheduledEvent {
  /** People can talk because of it, although nothing is on. */
  chatOpen: boolean;
  description: string;
  durationMinutes: number;
  id: string;
  name: string;
  startTime: string;
}

/** A machine of the cluster. */
export interface Node {
  chatClients: number;
  /** The work that it does for all machines now. */
  holds: string[];
  /** Another one after each start. */
  id: string;
  /** When it last said that it is there. */
  lastSeen: string;
  name: string;
  /** What it is there for: some of `ingest`, `web` and `worker`. */
  roles: string[];
  /** When it started. */
  since: string;
  version: string;
  viewers: number;
}

/** Which notices visitors can ask for. */
export interface NotificationsConfig {
  browser: BrowserNotices;
}

export type OpenApi = Record<string, unknown>;

/** The promise made to players. */
export interface Output {
  /** `null` when there is no low latency. */
  partSeconds: number | null;
  segmentSeconds: number;
}

/** A quality that viewers can choose. */
export interface OutputVariant {
  audioBitrate: number;
  audioPassthrough: boolean;
  cpuUsageLevel: number;
  framerate: number;
  name: string;
  scaledHeight?: number;
  scaledWidth?: number;
  videoBitrate: number;
  videoPassthrough: boolean;
}

/** A message of one's own to be deleted. */
export interface OwnMessage {
  id: string;
}

/** A post of the account, and what others did with it. */
export interface OwnPost {
  /** HTML. */
  content: string;
  id: string;
  image: PostPicture | null;
  /** It says that the stream is live. */
  isLiveNotification: boolean;
  /** For everybody; else for followers only. */
  isPublic: boolean;
  likes: number;
  quotes: number;
  replies: number;
  reposts: number;
  timestamp: string;
  /** Its full address. */
  url: string;
}

/** Posts of the account, newest first. */
export interface OwnPosts {
  results: OwnPost[];
  total: number;
}

/** What a page has, if it asks for more time. */
export interface PassWish {
  /** The pass of a page that is still open. */
  pass?: string;
}

/** A broadcast in the history. */
export interface PastStream {
  /** `null` while it is on. */
  endedAt: string | null;
  id: string;
  peakViewers: number;
  startedAt: string;
  title: string;
}

/** A message to stand above the chat, or no longer to. */
export interface Pin {
  id: string;
  pinned: boolean;
}

/** A quality that would be encoded. */
export interface PlannedRung {
  /** Frames in a second. */
  framerate: number;
  height: number;
  kbps: number;
  name: string;
  /** Place in the list of qualities. */
  variant: number;
  width: number;
}

/** What a player says. */
export interface Playback {
  bandwidthKbps: number | null;
  /** What is played; players do not tell. */
  bitrateKbps: number | null;
  downloadSeconds: number | null;
  errorCount: number;
  lastUpdate: string;
  latencySeconds: number | null;
  playerState?: string;
  qualityVariantChanges: number;
  source: string;
}

/** A report in the old form; zero means that nothing was measured. */
export interface PlaybackReport {
  /** In kbit/s. */
  bandwidth?: number;
  /** Seconds for a segment. */
  downloadDuration?: number;
  /** Since the last report. */
  errors?: number;
  /** Seconds behind live. */
  latency?: number;
  /** Since the last report. */
  qualityVariantChanges?: number;
}

/** A plugin, its state and how it is doing. */
export interface Plugin {
  /** Pages of its own for the operator. */
  adminPages?: PluginPage[];
  /** Hosts it may send requests to. */
  allowedHosts?: string[];
  /** It failed as a filter too often, and is switched off for a while. */
  autoDisabled?: boolean;
  botDisplayName?: string;
  callStats: PluginCalls;
  category?: string;
  /** Chat commands, while it is loaded. */
  commands?: PluginCommand[];
  /** What can be set for it. */
  config?: Record<string, PluginSetting>;
  description?: string;
  discoveredAt: string;
  droppedEvents: number;
  /** The operator wants it to run. */
  enabled: boolean;
  hasIcon?: boolean;
  hasInstructions?: boolean;
  /** The package comes with the server. */
  included?: boolean;
  lastError?: string;
  /** It was loaded. */
  loaded: boolean;
  memoryBytes: number;
  name: string;
  /** The package's file; empty when the package comes with the server. */
  path: string;
  /** What the newest package asks for beyond what was approved; the approved one runs on. */
  pendingPermissions?: string[];
  /** The permissions in plain words. */
  permissionDetails: PluginPermission[];
  /** What the newest package asks for. */
  permissions: string[];
  /** What is odd about its package and its code. */
  remarks?: string[];
  /** The package is used instead of one that comes with the server. */
  replacesIncluded?: boolean;
  /** When a plugin that was switched off by itself comes back. */
  returnsAt?: string;
  /** It is loaded and takes calls. */
  running: boolean;
  /** What its code is written in. */
  runtime: string;
  slug: string;
  strikes: number;
  /** Lines of chat that went on without its filter, because it was busy or too slow. */
  unfilteredLines: number;
  version?: string;
}

/** A button that a plugin puts below the player. */
export interface PluginAction {
  color?: string;
  description?: string;
  /** What it shows, sanitised. */
  html?: string;
  icon?: string;
  openExternally?: boolean;
  title: string;
  /** Where it leads; else it has `html`. */
  url?: string;
}

/** What was done to which plugin. */
export interface PluginActionDone {
  action: string;
  slug: string;
  status: string;
}

/** How much the sign-in of a plugin guards. */
export interface PluginAuthSettings {
  /** `website-only`, `website-and-stream` or `website-stream-and-status`. */
  accessMode: string;
}

/** Numbers about calls since the plugin was loaded. */
export interface PluginCalls {
  cpuMicros: number;
  failed: number;
  /** Failures that ended the instance. */
  fatal: number;
  /** Half of the newest calls were over within this. */
  medianMicros: number;
  /** 99 of 100 of the newest calls were over within this. */
  p99Micros: number;
  total: number;
}

/** A chat command. */
export interface PluginCommand {
  aliases: string[];
  caseSensitive: boolean;
  cooldownMs: number;
  description: string;
  modOnly: boolean;
  name: string;
  prefix: string;
  usage: string;
}

/** What a plugin puts before the operator's own text. */
export interface PluginContent {
  /** To be shown in a frame of its own, where the plugin's styles are the only ones besides the baseline. */
  html: string;
  /** Whose it is. */
  plugin: string;
  /** The plugin's own styles. */
  styles: string;
  /** What the plugin is called. */
  title: string;
}

/** A page of a plugin for the operator. */
export interface PluginPage {
  icon?: string;
  /** Below `/plugins/<slug>`; may have `*` in it. */
  path: string;
  title: string;
}

/** A pass for the pages of one plugin. */
export interface PluginPass {
  /** Seconds until it ends, unless it is renewed. */
  expiresIn: number;
  /** A segment for the path: `/plugins/<slug>/<pass>/…`; `~` alone when nobody knows who asks. */
  pass: string;
}

/** A permission in plain words. */
export interface PluginPermission {
  /** A mistake with it is seen outside and hard to take back. */
  highTrust: boolean;
  meaning: string;
  name: string;
  /** Not approved yet. */
  pending: boolean;
}

/** A setting of a plugin. */
export interface PluginSetting {
  default?: unknown;
  description?: string;
  /** To be hidden while it is typed. */
  secret: boolean;
  /** `string`, `number`, `boolean`, or another name for values that are not checked. */
  type: string;
}

/** Whose settings were saved. */
export interface PluginSettingsSaved {
  slug: string;
  status: string;
}

/** A tab of a plugin. */
export interface PluginTab {
  /** Its content, to be shown in a frame of its own. */
  html: string;
  /** Whose it is. */
  plugin: string;
  /** Its name within the plugin. */
  slug: string;
  title: string;
}

/** A chat user that a plugin made. */
export interface PluginUser {
  createdAt: string;
  displayName: string;
  id: string;
  isModerator: boolean;
}

/** The chat users that a plugin made. */
export interface PluginUsers {
  /** How many there are. */
  total: number;
  /** The newest 200, newest first. */
  users: PluginUser[];
}

/** The values of a plugin's settings by name. */
export type PluginValues = Record<string, unknown>;

/** The picture of a post. */
export interface PostPicture {
  description: string;
  url: string;
}

/** Somebody to become a moderator, or no longer to be one. */
export interface Promotion {
  isModerator: boolean;
  userId: string;
}

/** Who publishes, and how. */
export interface Publisher {
  address: string;
  connectedAt: string;
  /** What it says it is. */
  encoder: string;
  /** The operator's name for the key it used. */
  keyName: string;
  /** How it is connected. */
  protocol: 'rtmp' | 'rtmps';
}

/** A post that may quote one of ours. */
export interface Quote {
  /** Who quotes. */
  actorIRI: string;
  /** For taking it back: the last part of `stamp`. */
  id: string;
  /** Their post. */
  quotePost: string;
  /** Ours. */
  quotedPost: string;
  /** Taken back since. */
  revokedAt: string | null;
  /** The address of the grant. */
  stamp: string;
  timestamp: string;
}

/** Who quotes, newest first. */
export interface Quotes {
  results: Quote[];
  total: number;
}

/** A recording as viewers see it. */
export interface Recording {
  /** Seconds. */
  duration: number;
  /** Whether the chat of that time is kept with it. */
  hasChat: boolean;
  id: string;
  /** The address of the HLS playlist. */
  playlist: string;
  /** When the stream began. */
  startedAt: string;
  summary: string;
  tags: string[];
  /** The address of a picture; empty if there is none. */
  thumbnail: string;
  /** May be empty. */
  title: string;
  /** `public`, `unlisted` or `private` */
  visibility: string;
}

/** Changes of a recording; what is left out stays. */
export interface RecordingChange {
  isKept?: boolean;
  summary?: string;
  tags?: string[];
  title?: string;
  /** The same for the end. */
  trimEnd?: number | null;
  /**
   * Seconds from the beginning of everything; moved to the nearest place where a player can begin. `null` for the
   * beginning.
   */
  trimStart?: number | null;
  /** `public`, `unlisted` or `private` */
  visibility?: string;
}

/** A place in a recording that has a name. */
export interface RecordingChapter {
  /** Seconds from the beginning of what is shown. */
  at: number;
  /** `title`: the stream got this title. `mark`: the operator set a mark. */
  kind: string;
  title: string;
}

/** A recording with its chapters. */
export type RecordingDetail = Recording & {
  chapters: RecordingChapter[];
};

/** What is wrong with a recording. */
export interface RecordingError {
  /** `files-missing`: files are missing or too short. `files-elsewhere`: none of its files is on this machine. */
  code: string;
  /** For people. */
  message: string;
}

/** Recordings, newest first. */
export interface RecordingPage {
  results: Recording[];
  total: number;
}

/** The folder of recordings. */
export interface RecordingsFolder {
  /** What all recordings take. */
  bytes: number;
  /** Room left on the disk; `null` where the system does not say. */
  free: number | null;
}

/** The next dates of a rule. */
export interface RecurrenceDates {
  occurrences: string[];
}

/** A rule to be looked at. */
export interface RecurrenceRule {
  /** As in RFC 5545, with DTSTART. */
  recurrence?: string;
}

/** A newcomer's name and token. */
export interface Registered {
  /** Shown this once. */
  accessToken: string;
  displayName: string;
  id: string;
}

/** How a newcomer wants to be called. */
export interface Registration {
  /** Without it, or when it is taken or forbidden, the server chooses one. */
  displayName?: string | null;
}

/** What the registry says, passed on unread. */
export type RegistryListing = unknown;

/** Which package of the registry. */
export interface RegistryWish {
  slug?: string;
  version?: string;
}

/** A line that waits, and what is to become of it. */
export interface Release {
  approve: boolean;
  id: string;
}

/** Whose server is asked. */
export interface RemoteFollow {
  /** `@name@server.example` */
  account: string;
}

/** Where the browser has to go. */
export interface RemoteFollowBegun {
  redirectUrl: string;
}

/** Another server, and how deliveries to it go. */
export interface RemoteHost {
  /** Days on which it failed. */
  failingDays: number;
  /** One after the other. */
  failures: number;
  host: string;
  lastError: string | null;
  lastFailureAt: string | null;
  /** `well`, `held`, `unavailable`, `gone`, or `refusing` for one that has refused everything for a day. */
  state: string;
  /** Until when nothing is sent to it. */
  until: string | null;
  /** Deliveries that wait for it. */
  waiting: number;
}

/** The text as it will be shown. */
export interface RenderedDraft {
  /** Safe to show. */
  html: string;
}

/** A message with its place in the recording. */
export type ReplayedLine = ChatLine & {
  /** Seconds from the beginning of what is shown. */
  at: number;
};

/** Complaints of other servers, newest first. */
export interface Reports {
  results: FediverseReport[];
  total: number;
}

/** How far viewers can go back in the live stream. */
export interface RewindConfig {
  minutes: number;
}

/** What clients send; anything else is nothing. */
export type Said = {
  /** Markdown. */
  body?: string;
  /** The id of the line it answers. */
  inReplyTo?: string | null;
  type: 'CHAT';
} | {
  newName: string;
  type: 'NAME_CHANGE';
} | {
  newColor: number;
  type: 'COLOR_CHANGE';
};

/** `schedule` of `/api/config`. */
export interface ScheduleConfig {
  chatOpenMinutesBefore: number;
  enabled: boolean;
  showCountdown: boolean;
}

/** Every series, and the streams around now. */
export interface ScheduleOverview {
  events: ScheduledEvent[];
  series: ScheduleSeries[];
}

/** A stream or a series to be taken back. */
export interface ScheduleRemoval {
  /** People are told that it does not happen. */
  cancel?: boolean;
  id: string;
}

/** Streams that come again. */
export interface ScheduleSeries {
  active: boolean;
  description: string;
  durationMinutes: number;
  id: string;
  name: string;
  recurrence: string;
}

/** A stream or a series to be made, or with an id to be changed; what is left out stays. */
export interface ScheduleWish {
  description?: string | null;
  durationMinutes?: number | null;
  id?: string | null;
  name?: string | null;
  recurrence?: string | null;
  start?: string | null;
  timezone?: string | null;
}

/** A stream that is announced. */
export interface ScheduledEvent {
  description: string;
  durationMinutes: number;
  id: string;
  name: string;
  /** Absent for a single one. */
  seriesId?: string;
  startTime: string;
  /** Whether it happens. */
  status: 'scheduled' | 'cancelled';
  timezone: string;
}

/** The settings in the shape existing admin tools read. */
export interface ServerConfig {
  adminPassword: string;
  chatDisabled: boolean;
  chatEstablishedUserMode: boolean;
  chatForbiddenWords: string[];
  chatHistoryHours: number;
  chatHoldCopiedMessages: boolean;
  chatHoldFirstMessage: boolean;
  chatJoinMessagesEnabled: boolean;
  chatJoinMessagesMaxPeople: number;
  chatKnownPeopleOnly: boolean;
  chatLinks: 'everybody' | 'known' | 'nobody';
  chatLogExport: boolean;
  chatPaused: boolean;
  chatRejectDuplicates: boolean;
  chatRequireAuthentication: boolean;
  chatSlowModeSeconds: number;
  chatSlurFilterEnabled: boolean;
  chatSpamProtectionEnabled: boolean;
  chatTrustedHtml: boolean;
  chatWhenOffline: 'window' | 'always';
  disableSearchIndexing: boolean;
  externalActions: {
    color?: string;
    description?: string;
    html?: string;
    icon?: string;
    openExternally?: boolean;
    title: string;
    url?: string;
  }[];
  federation: {
    blockedDomains: string[];
    directoryUrl: string;
    enableQuotes: boolean;
    enabled: boolean;
    goLiveMessage: string;
    hideFollowersTab: boolean;
    inboxPerAddress: number;
    inboxPerHost: number;
    isPrivate: boolean;
    liveCooldownMinutes: number;
    liveDelaySeconds: number;
    namespace: string;
    pluginPosts: boolean;
    showEngagement: boolean;
    username: string;
  };
  ffmpegPath: string;
  forbiddenUsernames: string[];
  hideViewerCount: boolean;
  instanceDetails: {
    appearanceVariables: Record<string, string>;
    autoplay: 'off' | 'always' | 'sound-only';
    customJavascript: string;
    customStyles: string;
    extraPageContent: string;
    logo: string;
    name: string;
    nsfw: boolean;
    offlineMessage: string;
    socialHandles: {
      platform: string;
      url: string;
    }[];
    streamTitle: string;
    summary: string;
    tags: string[];
    version: string;
    welcomeMessage: string;
  };
  notifications: {
    browser: {
      enabled?: boolean;
      goLiveMessage?: string;
    };
    discord: {
      enabled?: boolean;
      goLiveMessage?: string;
    };
  };
  recording: {
    chat: boolean;
    keepDays: number;
    keepGigabytes: number;
    minFreeGigabytes: number;
    mode: 'off' | 'on' | 'by_key';
    rewindMinutes: number;
    visibility: 'public' | 'unlisted' | 'private';
  };
  rtmpServerAddress: string;
  rtmpServerPort: number;
  s3: {
    enabled?: boolean;
    forcePathStyle?: boolean;
  };
  schedule: {
    chatOpenMinutesBefore: number;
    enabled: boolean;
    reminderMessage: string;
    showCountdown: boolean;
  };
  socketHostOverride?: string;
  streamKeyOverridden: boolean;
  streamKeys: {
    comment?: string;
    key: string;
    record?: boolean;
    takeOver?: boolean;
  }[];
  suggestedUsernames: string[];
  videoCodec: string;
  videoServingEndpoint: string;
  videoSettings: {
    audioOnlyVariant: boolean;
    graceSeconds: number;
    latencyLevel: number;
    publisherTimeoutSeconds: number;
    videoQualityVariants: {
      audioBitrate?: number;
      audioPassthrough?: boolean;
      cpuUsageLevel?: number;
      framerate?: number;
      name?: string;
      videoBitrate?: number;
      videoPassthrough?: boolean;
    }[];
  };
  webServerIP: string;
  webServerPort: number;
  webhooksAllowInternal: boolean;
  yp: {
    enabled: boolean;
    instanceUrl: string;
  };
}

/** Where a server goes in the list. */
export interface ServerMove {
  /** `up` or `down` */
  direction: string;
}

/** A setting, its value and what a form has to know about it. */
export interface SettingRow {
  /** When a change takes effect: at once, or with the next stream. */
  applies: 'now' | 'stream';
  /** The words to choose from. */
  choices: string[] | null;
  default: unknown;
  /** One sentence for the operator. */
  doc: string;
  /** The same as `path`. */
  key: string;
  /** How the value is edited. */
  kind: string;
  /** Given outside the database, so it cannot be changed here. */
  locked: boolean;
  /** The largest number. */
  max: number | null;
  /** Longest text, in characters. */
  maxLength: number | null;
  /** The smallest number. */
  min: number | null;
  /** The key in configuration files. */
  name: string;
  /** Behind `/api/admin/config/`. */
  path: string;
  /** Where the value comes from. */
  source: 'default' | 'database' | 'file' | 'environment' | 'flag';
  /** Which file, variable or flag. */
  sourceName: string;
  value: unknown;
}

/** Every setting with the value in force. */
export interface SettingsList {
  settings: SettingRow[];
}

/** The first password, and what else is good to know at once. */
export interface Setup {
  name?: string | null;
  password: string;
  serverUrl?: string | null;
  /** From the setup link. */
  token: string;
}

/** The secret of the setup link. */
export interface SetupToken {
  token: string;
}

/** The operator's password. */
export interface SignIn {
  password: string;
}

/** Where the browser has to go. */
export interface SignInBegun {
  redirect: string;
}

/** The secret of a link that `rillcast admin session` made. */
export interface SignInLink {
  token: string;
}

/** Whose page somebody wants to prove. */
export interface SignInWish {
  /** The address of the page. */
  authHost: string;
}

/** A link to the operator elsewhere, as pages show it. */
export interface SocialHandle {
  /** Absent when the platform is not a known one. */
  icon?: string | null;
  platform: string;
  url: string;
}

/** A platform. */
export interface SocialPlatform {
  /** A small picture of ours that stands for it. */
  icon: string;
  /** Its name, as it is written there. */
  platform: string;
}

/** The platforms by their ids. */
export type SocialPlatforms = Record<string, SocialPlatform>;

/** What is on now. */
export interface Status {
  /** More people are in the chat than pages announce (`chat_join_messages_max_people`); absent while not. */
  chatIsCrowded?: boolean;
  /** When the broadcast began; `null` while nothing is on. */
  lastConnectTime: string | null;
  /** When the last one ended; `null` while something is on. */
  lastDisconnectTime: string | null;
  online: boolean;
  /** Absent when nothing is announced. */
  scheduledEvent?: NextScheduledEvent;
  serverTime: string;
  /** `waiting` is for a publisher that was lost. */
  streamState: 'offline' | 'live' | 'waiting';
  streamTitle: string;
  versionNumber: string;
  /** Absent when the operator hides it. */
  viewerCount?: number;
}

/** Everything that is kept of a broadcast. */
export type StreamDetail = StreamSummary & {
  /** Oldest first, at most 200. */
  incidents: StreamIncident[];
  /** Whether the log of the chat can be exported. */
  isChatLogExported: boolean;
  points: AudiencePoint[];
  /** Most visits first, at most 101. */
  referrers: StreamReferrer[];
  /** The length of the periods in `points`. */
  stepSeconds: number;
};

/** What comes in. */
export interface StreamDetails {
  audioBitrate: number;
  audioCodec: string;
  encoder: string;
  framerate: number;
  height: number;
  /** Kilobits per second, sound included. */
  videoBitrate: number;
  videoCodec: string;
  width: number;
}

/** What went wrong during a broadcast, or was well again. */
export interface StreamIncident {
  at: string;
  /** A stable name, such as `publisher-lost`. */
  code: string;
  /** What is known beyond that; may be empty. */
  message: string;
}

/** Visits of the page that came from one host. */
export interface StreamReferrer {
  /** Empty if the browser did not say, `*` for all hosts beyond the hundredth. */
  host: string;
  visits: number;
}

/** How the broadcast comes in and goes out, for the admin page. */
export interface StreamReport {
  audio: Audio | null;
  /** What could be better. */
  diagnosis: Finding[];
  inbound: Inbound;
  output: Output | null;
  publisher: Publisher | null;
  session: StreamSession | null;
  /** `waiting` is for a publisher that was lost. */
  state: 'offline' | 'live' | 'waiting';
  video: Video | null;
  /** When an encoder last tried a wrong stream key; absent if none has since the start of the server. */
  wrongKeyAt?: string;
}

/** The broadcast. */
export interface StreamSession {
  id: string;
  peakViewers: number;
  startedAt: string;
  title: string;
}

/** A broadcast as a whole. What was not counted yet when it was on is `null`. */
export interface StreamSummary {
  averageViewers: number | null;
  /** People who wrote at least one. */
  chatters: number | null;
  /** `null` while it is on. */
  endedAt: string | null;
  id: string;
  /** Lines that people wrote. */
  messages: number | null;
  /** Most connections to the chat at once. */
  peakChatClients: number | null;
  peakViewers: number;
  startedAt: string;
  title: string;
  /** The time all viewers have watched, in seconds. */
  watchSeconds: number | null;
}

/** What the stream is to be called. */
export interface StreamTitle {
  value: string;
}

/** The state with the time it was asked for. */
export type TimedStatus = FullStatus & {
  serverTime: string;
};

/** Somebody to be silent for a while. */
export interface Timeout {
  /** Why, for the person and the log. */
  reason?: string;
  seconds: number;
  userId: string;
}

/** What this server can do about its own version. */
export interface UpdateOptions {
  canRestart: boolean;
  supportsUpdate: boolean;
}

/** What needs looking after now and then. */
export interface Upkeep {
  /** Whether `rillcast backup` saves everything; a database elsewhere is saved by its own tools. */
  canBackUp: boolean;
  /** When the certificate of this server ends; `null` where it has none of its own, or one that does not say. */
  certificateEndsAt: string | null;
  /** The disk with the data folder; `null` where the system does not say. */
  disk: DiskSpace | null;
  /** When `rillcast backup` last wrote a file, or when the restored backup was made; `null` if there is none. */
  lastBackupAt: string | null;
}

/** A person or bot as every client knows them. */
export interface User {
  /** What they signed in with; the operator only. */
  authProviders?: string[];
  /** Signed in with another identity. */
  authenticated: boolean;
  createdAt: string;
  /** Banned since; moderators only. */
  disabledAt?: string;
  /** Why they are banned, as a moderator wrote; moderators only. */
  disabledReason?: string;
  /** When the ban is over, if it has an end; moderators only. */
  disabledUntil?: string;
  /** From 0 to 7; pages choose the colours. */
  displayColor: number;
  displayName: string;
  id: string;
  isBot: boolean;
  /** Why they have to be silent, as a moderator wrote; moderators only. */
  mutedReason?: string;
  /** Has to be silent until then; moderators only. */
  mutedUntil?: string;
  nameChangedAt?: string;
  /** Former names, oldest first, the present one last. */
  previousNames: string[];
  /** `MODERATOR`, for those who are. */
  scopes?: string[];
}

/** Everything about somebody that a moderator may know. */
export interface UserDetails {
  connectedClients: ClientOfUser[];
  /** Newest first, hidden ones too. */
  messages: LineOfUser[];
  user: User;
}

/** A page of the list. */
export interface UsersPage {
  results: User[];
  /** How many there are in all. */
  total: number;
}

/** A quality that viewers can choose. */
export interface Variant {
  /** In pixels; absent while nobody broadcasts. */
  height?: number;
  /** Place in the operator's list. */
  index: number;
  /** Of the picture, in kbit/s; absent where it is the broadcaster's own, and while nobody broadcasts. */
  kbps?: number;
  name: string;
}

/** The pictures. */
export interface Video {
  codec: string;
  /** As in RFC 6381. */
  codecString: string;
  frameRate: number;
  height: number;
  width: number;
}

/** A part of the chat. */
export interface VideoChatPage {
  /** In the order of their places. */
  messages: ReplayedLine[];
  /** Where to go on; `null` if this is all that was asked for. */
  next: string | null;
}

/** How it played. */
export interface VideoSeries {
  /** In kbit/s, while somebody broadcasts: the broadcaster's own quality, then those that are encoded and offered. */
  availableBitrates: number[];
  errors: MeasuredPoint[];
  highestLatency: MeasuredPoint[];
  lowestLatency: MeasuredPoint[];
  maxPlayerBitrate: MeasuredPoint[];
  maximumSegmentDownloadDuration: MeasuredPoint[];
  medianLatency: MeasuredPoint[];
  medianPlayerBitrate: MeasuredPoint[];
  medianSegmentDownloadDuration: MeasuredPoint[];
  minPlayerBitrate: MeasuredPoint[];
  minimumSegmentDownloadDuration: MeasuredPoint[];
  qualityVariantChanges: MeasuredPoint[];
  /** How many of a hundred viewers report. */
  representation: number;
  /** In seconds. */
  segmentLength: number;
}

/** Somebody who watches. */
export interface Viewer {
  clientID: string;
  firstSeen: string;
  /** Where on earth; not known, there is no such database here. */
  geo: string | null;
  ipAddress: string;
  userAgent: string;
}

/** Lines to be hidden or shown. */
export interface VisibilityRequest {
  idArray: string[];
  visible: boolean;
}

/** A viewer with what their player says. */
export type WatchingViewer = Viewer & {
  /** `null` when the player says nothing. */
  playback: Playback | null;
  viewerID: string;
};

/** A webhook as the operator sees it. */
export interface Webhook {
  allowInternal: boolean;
  dropped?: number;
  events: ('CHAT' | 'NAME_CHANGE' | 'USER_JOINED' | 'USER_PARTED' | 'VISIBILITY-UPDATE' | 'STREAM_STARTED' | 'STREAM_STOPPED' | 'STREAM_TITLE_UPDATED' | 'FEDIVERSE_ENGAGEMENT_FOLLOW' | 'RECORDING_STARTED' | 'RECORDING_FINISHED' | 'RECORDING_PUBLISHED')[];
  failingSince?: string;
  id: number;
  /** `null` until something was sent. */
  lastUsed: string | null;
  /** Only in the answer to its creation. */
  secret?: string;
  state: string;
  timestamp: string;
  url: string;
  waiting: number;
  warning?: string;
}

/** A webhook to be changed; what is left out stays. */
export interface WebhookChange {
  allowInternal?: boolean | null;
  enabled?: boolean | null;
  events?: ('CHAT' | 'NAME_CHANGE' | 'USER_JOINED' | 'USER_PARTED' | 'VISIBILITY-UPDATE' | 'STREAM_STARTED' | 'STREAM_STOPPED' | 'STREAM_TITLE_UPDATED' | 'FEDIVERSE_ENGAGEMENT_FOLLOW' | 'RECORDING_STARTED' | 'RECORDING_FINISHED' | 'RECORDING_PUBLISHED')[];
  id: number;
  url?: string | null;
}

/** A delivery as the operator sees it. */
export interface WebhookDelivery {
  attempts: number;
  createdAt: string;
  deliveryKey: string;
  durationMs?: number;
  error?: string;
  id: number;
  isTest: boolean;
  lastAttemptAt?: string;
  nextAttemptAt?: string;
  response?: string;
  state: string;
  status?: number;
  type: string;
  webhookId: number;
}

/** A webhook to be tried. */
export interface WebhookTrial {
  event?: string | null;
  id: number;
}

/** A test that is on its way. */
export interface WebhookTrialSent {
  deliveryId: number;
  message: string;
  success: boolean;
}

/** A webhook to be made. */
export interface WebhookWish {
  allowInternal?: boolean;
  events: ('CHAT' | 'NAME_CHANGE' | 'USER_JOINED' | 'USER_PARTED' | 'VISIBILITY-UPDATE' | 'STREAM_STARTED' | 'STREAM_STOPPED' | 'STREAM_TITLE_UPDATED' | 'FEDIVERSE_ENGAGEMENT_FOLLOW' | 'RECORDING_STARTED' | 'RECORDING_FINISHED' | 'RECORDING_PUBLISHED')[];
  /** What calls are signed with; the server makes one when it is absent. */
  secret?: string | null;
  url: string;
}
