/** How a plugin did while the page was open: the server only tells how it is now. */
import { createEffect, createSignal, on } from 'solid-js';
import type { Point } from '../charts/draw.ts';
import type { PolledValue } from '../polled.ts';
import type { Plugin, PluginCalls } from './wire.ts';

/** Between two looks at the plugins. */
export const INTERVAL_MS = 5_000;

/** Ten minutes; the oldest go first. */
const MAX_POINTS = 120;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** What only grows while a plugin is loaded. */
const TOTALS = ['total', 'failed', 'fatal', 'cpuMicros'] as const;

export interface History {
  memory: Point[];
  /** Microseconds of a call. */
  median: Point[];
  p99: Point[];
  /** Each minute. */
  calls: Point[];
  failed: Point[];
  fatal: Point[];
  /** Microseconds each second. */
  cpu: Point[];
}

interface PluginHistory extends History {
  stats: PluginCalls;
  at: number;
}

const EMPTY: History = { memory: [], median: [], p99: [], calls: [], failed: [], fatal: [], cpu: [] };

const add = (points: Point[], at: number, value: number) => [...points, { at, value }].slice(-MAX_POINTS);

function next(before: PluginHistory | undefined, plugin: Plugin, at: number): PluginHistory {
  // A copy: the next answer is written into the same object.
  const stats = { ...plugin.callStats };
  const drawn = before ?? EMPTY;
  const wasCalled = stats.total > 0;
  const now: PluginHistory = {
    ...drawn,
    memory: add(drawn.memory, at, plugin.memoryBytes),
    median: wasCalled ? add(drawn.median, at, stats.medianMicros) : drawn.median,
    p99: wasCalled ? add(drawn.p99, at, stats.p99Micros) : drawn.p99,
    stats,
    at,
  };
  if (!before || at <= before.at) return now;
  const earlier = before.stats;
  // A smaller total is a new start of the plugin, not calls that were taken back.
  if (TOTALS.some((name) => stats[name] < earlier[name])) return now;
  const passedMs = at - before.at;
  const rate = (name: (typeof TOTALS)[number], everyMs: number) => ((stats[name] - earlier[name]) * everyMs) / passedMs;
  return {
    ...now,
    calls: add(drawn.calls, at, rate('total', MINUTE_MS)),
    failed: add(drawn.failed, at, rate('failed', MINUTE_MS)),
    fatal: add(drawn.fatal, at, rate('fatal', MINUTE_MS)),
    cpu: add(drawn.cpu, at, rate('cpuMicros', SECOND_MS)),
  };
}

export function createHistory(plugins: PolledValue<Plugin[]>): (slug: string) => History {
  const [histories, setHistories] = createSignal(new Map<string, PluginHistory>());
  createEffect(
    on(plugins.at, (time) => {
      const at = Date.parse(time);
      const loaded = plugins.raw()?.filter((plugin) => plugin.loaded) ?? [];
      setHistories(
        (before) => new Map(loaded.map((plugin) => [plugin.slug, next(before.get(plugin.slug), plugin, at)])),
      );
    }),
  );
  return (slug) => histories().get(slug) ?? EMPTY;
}
