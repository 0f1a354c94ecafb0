/** What the server says of past streams: `/api/videos`. Times are seconds from the beginning of the video. */
import type { ChatEvent, ViewerBoot } from '../../wire.ts';

export type Visibility = 'public' | 'unlisted' | 'private';

export interface VideoSummary {
  id: string;
  title: string;
  summary: string;
  tags: string[];
  startedAt: string;
  duration: number;
  visibility: Visibility;
  /** An address of this server, or nothing. */
  thumbnail: string;
  playlist: string;
  hasChat: boolean;
}

export interface VideosPage {
  total: number;
  results: VideoSummary[];
}

/** A place to jump to: where the title changed, or where somebody set a mark. */
export interface Chapter {
  at: number;
  title: string;
  kind: 'title' | 'mark';
}

export interface Video extends VideoSummary {
  chapters: Chapter[];
}

/** The page of a video may bring along what it is about. */
export interface VideoBoot extends ViewerBoot {
  video?: Video;
}

/** What somebody wrote then, and when that was in the video. */
export interface ReplayedMessage extends Omit<ChatEvent, 'id'> {
  id: string;
  at: number;
}

export interface ReplayedChat {
  messages: ReplayedMessage[];
  /** Where the rest begins; nothing when this is all. */
  next: string | null;
}
