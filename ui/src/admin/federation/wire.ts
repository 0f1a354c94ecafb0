/** Shapes of the JSON about the Fediverse, by the names the admin pages use. */
export type { Follower, FollowersPage } from '../../wire.ts';

/** A part of a list, and how long the whole is. */
export interface Page<Entry> {
  total: number;
  results: Entry[];
}

/** Another stream that is featured here, is meant to be, or told of itself. */
export interface FederatedServer {
  id: number;
  /** Of the server, not of its account. */
  iri: string;
  displayName: string;
  summary: string;
  logoUrl: string;
  isOnline: boolean;
  streamTitle: string;
  /** `none`: nobody asked it. */
  followStatus: 'pending' | 'accepted' | 'rejected' | 'none';
  /** It told of itself; viewers do not see it. */
  isUnsolicited: boolean;
  /** It was asked long ago and has not answered. */
  isSilent: boolean;
  addedAt: string;
  followedAt: string | null;
  lastSeenOnline: string | null;
  lastStatusUpdate: string | null;
  /** Where its account says it has moved to. */
  movedTo: string | null;
}

export interface InboundPost {
  id: number;
  kind: 'reply' | 'mention';
  receivedAt: string;
  actor: { actorIRI: string; name: string; handle: string; url: string | null; image: string | null };
  /** HTML. */
  content: string;
  url: string;
  postedAt: string | null;
  inReplyTo: string | null;
  attachments: { url: string; mediaType: string | null; alt: string | null }[];
  language: string | null;
  visibility: 'public' | 'unlisted' | 'followers' | 'direct';
}

/** A post of the stream's account. */
export interface OwnPost {
  id: string;
  url: string;
  timestamp: string;
  /** HTML. */
  content: string;
  isLiveNotification: boolean;
  isPublic: boolean;
  image?: { url: string; description: string } | null;
  likes: number;
  reposts: number;
  replies: number;
  quotes: number;
}

export interface QueueSummary {
  waiting: number;
  retrying: number;
  inFlight: number;
  delivered: number;
  failed: number;
  /** Of what waits. */
  oldest: string | null;
  heldHosts: number;
}

export interface Delivery {
  id: number;
  inbox: string;
  host: string;
  kind: string;
  state: 'pending' | 'in_flight' | 'delivered' | 'failed';
  attempts: number;
  nextAt: string;
  expiresAt: string;
  createdAt: string;
  lastAt: string | null;
  status: number | null;
  error: string | null;
}

/** Another server, and how deliveries to it go. */
export interface RemoteHost {
  host: string;
  /** `refusing`: it answered every delivery of the last day with a refusal. */
  state: 'well' | 'held' | 'refusing' | 'unavailable' | 'gone';
  /** Until when nothing is sent to it. */
  until: string | null;
  failures: number;
  failingDays: number;
  lastFailureAt: string | null;
  lastError: string | null;
  waiting: number;
}

/** The key the account signs with, and how far the newest one has come. */
export interface AccountKey {
  /** How many servers may know a key of the account. */
  knownTo: number;
  /** Until then servers that have not answered get messages signed with the key before. */
  handoverUntil: string | null;
  /** Servers that have not answered, at most 100 of them. */
  waitingFor: string[];
  /** For how many of them the message about the key is still under way. */
  underWay: number;
  canTakeBack: boolean;
}

/** A name the account had before, which still leads to it. */
export interface FormerName {
  name: string;
  /** When it got another one. */
  until: string;
}

/** A complaint of another server. */
export interface Report {
  id: number;
  receivedAt: string;
  actorIRI: string;
  /** Plain text. */
  content: string;
  objects: string[];
}

/** A post of somebody else that may quote one of ours. */
export interface Quote {
  id: string;
  actorIRI: string;
  quotePost: string;
  quotedPost: string;
  timestamp: string;
  revokedAt: string | null;
}

/** Something somebody did: followed, liked, shared, … */
export interface FediverseAction {
  timestamp: string;
  /** With what. */
  iri: string;
  actorIRI: string;
  type: string;
  undoneAt?: string | null;
}
