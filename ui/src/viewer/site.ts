/** What the public pages know of the server: loaded with the page or asked for, then kept fresh. */
import { createEffect, createMemo, createSignal, onMount } from 'solid-js';
import { api } from '../api.ts';
import { usePolling } from '../poll.ts';
import type { SiteConfig, Status, ViewerBoot } from '../wire.ts';

const STATUS_INTERVAL_MS = 5_000;
/** Somebody is waiting for the stream. One that plays asks for media several times as often. */
const WAITING_INTERVAL_MS = 1_000;
/** Somebody is waiting for the picture: notice the return of the server soon. */
const LONGEST_WAIT_MS = 10_000;

export interface SiteOptions {
  /** People wait for the stream on this page. */
  hasPicture?: boolean;
  /** What the page is about instead of the stream; empty while nobody knows. */
  subject?: () => string;
}

export function createSite(boot: ViewerBoot | undefined, { hasPicture = true, subject }: SiteOptions = {}) {
  const [config, setConfig] = createSignal<SiteConfig | undefined>(boot?.config);
  const [status, setStatus] = createSignal<Status | undefined>(boot?.status);
  const [failed, setFailed] = createSignal(false);
  const [lost, setLost] = createSignal(false);

  const load = async () => {
    setFailed(false);
    try {
      const [nextConfig, nextStatus] = await Promise.all([
        api.get<SiteConfig>('/api/config'),
        api.get<Status>('/api/status'),
      ]);
      setConfig(nextConfig);
      setStatus(nextStatus);
    } catch {
      setFailed(true);
    }
  };

  const refreshConfig = async () => {
    const answer = await api.get<SiteConfig>('/api/config');
    setConfig(answer);
    return answer;
  };

  onMount(() => {
    if (!boot) void load();
  });

  usePolling({
    ask: () => api.get<Status>('/api/status'),
    onAnswer: (answer) => {
      // A new start of the stream is when an operator has most likely changed the texts too.
      // And a server that waits for its setup opens the chat by it.
      if (answer.online !== status()?.online || config()?.chatAwaitsSetup) void refreshConfig().catch(() => {});
      setStatus(answer);
    },
    onTrouble: setLost,
    intervalMs: () => (hasPicture && status()?.streamState !== 'live' ? WAITING_INTERVAL_MS : STATUS_INTERVAL_MS),
    longestWaitMs: LONGEST_WAIT_MS,
  });

  createEffect(() => {
    const site = config();
    const now = status();
    if (!site || !now) return;
    const about = subject ? subject() : now.online ? now.streamTitle : '';
    document.title = about ? `${about} · ${site.name}` : site.name;
  });

  const isKnown = createMemo(() => config() !== undefined && status() !== undefined);
  // One object for good: what shows the settings is not drawn anew with every look at the state.
  const page = {
    get config() {
      return config() as SiteConfig;
    },
    get status() {
      return status() as Status;
    },
  };
  const loaded = () => (isKnown() ? page : undefined);

  return { loaded, failed, lost, load, refreshConfig };
}
