/** Tells the server now and then how it plays here, so that the operator sees what viewers suffer from. */
import { api } from '../../api.ts';
import { PLAYER_SESSION } from './session.ts';

export const REPORT_INTERVAL_MS = 10_000;

/** What was measured so far; counts are totals. */
export interface PlaybackMeasures {
  /** Behind live. */
  latencySeconds?: number;
  bandwidthKbps?: number;
  /** The last segment, from the request to its last byte. */
  downloadSeconds?: number;
  /** Stalls, and errors that had to be mended. */
  troubles: number;
  qualityChanges: number;
}

/** The server's form: zero means that nothing was measured, counts are since the last report. */
export function reportOf(now: PlaybackMeasures, before: PlaybackMeasures): Record<string, number> {
  return {
    latency: now.latencySeconds ?? 0,
    bandwidth: now.bandwidthKbps ?? 0,
    downloadDuration: now.downloadSeconds ?? 0,
    errors: now.troubles - before.troubles,
    qualityVariantChanges: now.qualityChanges - before.qualityChanges,
  };
}

export interface Reports {
  /** What was counted since the last report was nobody's trouble here: the publisher was away. */
  forget: () => void;
  stop: () => void;
}

/** Reports while somebody watches. What could not be sent, or was counted meanwhile, is part of the next report. */
export function startReports(measure: () => PlaybackMeasures, isWatching: () => boolean): Reports {
  let before = measure();
  const report = () => {
    if (!isWatching()) return;
    const now = measure();
    api.post(`/api/metrics/playback?sid=${PLAYER_SESSION}`, reportOf(now, before)).then(
      () => {
        before = now;
      },
      () => {},
    );
  };
  const timer = setInterval(report, REPORT_INTERVAL_MS);
  return {
    forget: () => {
      before = measure();
    },
    stop: () => clearInterval(timer),
  };
}
