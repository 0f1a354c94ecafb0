/** Shapes of what the server measures over time. */
import type { Point } from '../charts/draw.ts';

export interface Measured {
  time: string;
  value: number;
}

export interface Hardware {
  /** Percent. */
  cpu: Measured[];
  memory: Measured[];
  disk: Measured[];
}

/** Somebody who watches right now. */
export interface PresentViewer {
  firstSeen: string;
  userAgent: string;
  ipAddress: string;
  clientID: string;
}

/** What players report about playing. */
export interface PlaybackMetrics {
  errors: Measured[];
  qualityVariantChanges: Measured[];
  highestLatency: Measured[];
  medianLatency: Measured[];
  lowestLatency: Measured[];
  medianSegmentDownloadDuration: Measured[];
  maximumSegmentDownloadDuration: Measured[];
  minimumSegmentDownloadDuration: Measured[];
  minPlayerBitrate: Measured[];
  medianPlayerBitrate: Measured[];
  maxPlayerBitrate: Measured[];
  availableBitrates: number[];
  /** Seconds. */
  segmentLength: number;
  /** Percent of the viewers whose players report. */
  representation: number;
}

/** A list a server may leave out is an empty one. */
export function pointsOf(measured: Measured[] | null | undefined): Point[] {
  return (measured ?? []).map((one) => ({ at: Date.parse(one.time), value: one.value }));
}
