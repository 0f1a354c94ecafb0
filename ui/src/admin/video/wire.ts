/** Shapes of what the server says about qualities and who encodes them. */

import type { Coded } from '../../i18n/said.ts';

/** A quality, as the setting has it. */
export interface Variant {
  /** Empty for a name that is made from the rest. */
  name: string;
  videoPassthrough: boolean;
  audioPassthrough: boolean;
  /** In kbit/s, like the next one. */
  videoBitrate: number;
  /** 0 leaves the sound as it is. */
  audioBitrate: number;
  /** In pixels; absent follows the other one. */
  scaledWidth?: number;
  scaledHeight?: number;
  framerate: number;
  /** From 0 to 5. */
  cpuUsageLevel: number;
}

export interface EncoderState extends Coded {
  name: string;
  /** Whether it is known if it works: while live none is tried by itself. */
  tried: boolean;
  usable: boolean;
  /** Why it cannot be used; empty where it can. */
  reason: string;
}

export interface EncoderList {
  ffmpeg: { found: boolean; version: string; message: string } & Coded;
  chosen: string;
  encoders: EncoderState[];
}

export interface AssumedSource {
  width: number;
  height: number;
  framerate: number;
}

export interface LeftOutVariant extends Coded {
  variant: number;
  name: string;
  reason: string;
}

export interface PlannedRung {
  variant: number;
  name: string;
  width: number;
  height: number;
  framerate: number;
  kbps: number;
}

export type Verdict = 'free' | 'comfortable' | 'tight' | 'slow' | 'failed';

/** What qualities cost on the machine of the server. */
export interface Cost extends Coded {
  encoder: string;
  source: AssumedSource;
  verdict: Verdict;
  /** Encoded seconds in a hundred seconds; null when it could not be measured. */
  speedPercent: number | null;
  message: string;
  rungs: PlannedRung[];
  leftOut: LeftOutVariant[];
}

export interface LadderSample {
  at: string;
  speedPercent: number | null;
  behindMs: number;
}

export interface LadderRung {
  variant: number;
  name: string;
  width: number;
  height: number;
  kbps: number;
  offered: boolean;
}

/** The encoder of the broadcast. */
export interface LadderState {
  encoder: string;
  running: boolean;
  hurries: boolean;
  behindMs: number;
  speedPercent: number | null;
  restarts: number;
  lastFailure: string | null;
  failureCode?: string;
  failureParams?: Record<string, unknown>;
  rungs: LadderRung[];
  /** `givenUp` for the rest of the broadcast, because ffmpeg could not encode it. */
  sound: { kbps: number; channels: number; offered: boolean; givenUp: boolean } | null;
  leftOut: LeftOutVariant[];
  samples: LadderSample[];
}

export interface LadderReport {
  ladder: LadderState | null;
}
