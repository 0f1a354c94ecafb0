/** Shapes of what the server measures over time. */
import type { Point } from '../charts/draw.ts';

export interface TimedValue {
  time: string;
  value: number;
}

export interface Hardware {
  /** Percent. */
  cpu: TimedValue[];
  memory: TimedValue[];
  disk: TimedValue[];
}

/** Somebody who watches right now. */
export interface CurrentViewer {
  firstSeen: string;
  userAgent: string;
  ipAddress: string;
  clientID: string;
}

/** What players report about playing. */
export interface PlaybackMetrics {
  errors: TimedValue[];
  qualityVariantChanges: TimedValue[];
  highestLatency: TimedValue[];
  medianLatency: TimedValue[];
  lowestLatency: TimedValue[];
  medianSegmentDownloadDuration: TimedValue[];
  maximumSegmentDownloadDuration: TimedValue[];
  minimumSegmentDownloadDuration: TimedValue[];
  minPlayerBitrate: TimedValue[];
  medianPlayerBitrate: TimedValue[];
  maxPlayerBitrate: TimedValue[];
  availableBitrates: number[];
  /** Seconds. */
  segmentLength: number;
  /** Percent of the viewers whose players report. */
  representation: number;
}

/** A list a server may leave out is an empty one. */
export function pointsOf(measured: TimedValue[] | null | undefined): Point[] {
  return (measured ?? []).map((one) => ({ at: Date.parse(one.time), value: one.value }));
}
