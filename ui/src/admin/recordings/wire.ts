/** Shapes of the JSON the pages about recordings ask for. */

export type Visibility = 'public' | 'unlisted' | 'private';

/** What is wrong with the files of one. */
export interface RecordingError {
  code: string;
  /** In English. */
  message: string;
}

export interface Recording {
  id: string;
  title: string;
  summary: string;
  tags: string[];
  startedAt: string;
  /** Seconds that viewers see. */
  duration: number;
  visibility: Visibility;
  /** The address of a picture; may be empty. */
  thumbnail: string;
  hasChat: boolean;
  state: 'recording' | 'finished';
  bytes: number;
  /** It is not deleted for its age or to make room. */
  isKept: boolean;
  keepsChat: boolean;
  /** Seconds of all that was recorded. */
  recordedDuration?: number;
  /** Seconds from its beginning; null is the whole. */
  trimStart: number | null;
  trimEnd: number | null;
  errors: RecordingError[];
}

/** What is kept of the stream that is on. */
export interface LiveRecording {
  id: string;
  /** Only for rewinding, and gone with the stream. */
  isRing: boolean;
  /** The disk is too full. */
  isPaused: boolean;
  /** Parts that could not be written. */
  lost: number;
}

export interface RecordingsPage {
  total: number;
  results: Recording[];
  folder: { bytes: number; free: number | null };
  live: LiveRecording | null;
}

export interface RecordingChange {
  title?: string;
  summary?: string;
  tags?: string[];
  visibility?: Visibility;
  isKept?: boolean;
  trimStart?: number | null;
  trimEnd?: number | null;
}
