/** What needs attention, kept fresh while the first page is open. */
import { createComputed, createEffect, createMemo, createSignal } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { api } from '../../api.ts';
import { usePolling } from '../../poll.ts';
import type { AdminStatus, AdminStream, LogLine } from '../../wire.ts';
import type { QueueSummary } from '../federation/wire.ts';
import type { Webhook } from '../integrations/wire.ts';
import { RECORDINGS } from '../recordings/requests.ts';
import type { RecordingsPage } from '../recordings/wire.ts';
import { useSettings } from '../settings.tsx';
import { type Concern, concernsOf } from './attention.ts';
import type { Upkeep } from './wire.ts';

/** Nothing of it changes within seconds. */
const INTERVAL_MS = 60_000;

export interface AttentionSources {
  status: () => AdminStatus | undefined;
  stream: () => AdminStream | undefined;
  logs: () => LogLine[] | undefined;
}

export interface Attention {
  concerns: () => Concern[];
  upkeep: () => Upkeep | undefined;
  /** Whether every question was answered or refused once: before that, nothing to say means nothing. */
  ready: () => boolean;
}

export function useAttention(sources: AttentionSources): Attention {
  const settings = useSettings();
  const [upkeep, setUpkeep] = createSignal<Upkeep>();
  const [webhooks, setWebhooks] = createSignal<Webhook[]>();
  const [recordings, setRecordings] = createSignal<RecordingsPage>();
  const [deliveries, setDeliveries] = createSignal<QueueSummary>();
  const [now, setNow] = createSignal(new Date().toISOString());
  const [asked, setAsked] = createSignal(false);

  const isFederated = createMemo(() => settings.find('federation/enable')?.value === true);
  const askDeliveries = async () => {
    if (isFederated()) setDeliveries(await api.get<QueueSummary>('/api/admin/federation/deliveries/summary'));
  };
  createEffect(() => {
    // The settings come later than the page.
    if (isFederated()) askDeliveries().catch(() => {});
  });

  const ask = async () => {
    const [room, hooks, recorded] = await Promise.allSettled([
      api.get<Upkeep>('/api/admin/upkeep'),
      api.get<Webhook[]>('/api/admin/webhooks'),
      api.get<RecordingsPage>(`${RECORDINGS}?limit=1`),
      askDeliveries(),
    ]);
    if (room.status === 'fulfilled') setUpkeep(room.value);
    if (hooks.status === 'fulfilled') setWebhooks(hooks.value);
    if (recorded.status === 'fulfilled') setRecordings(recorded.value);
    setNow(new Date().toISOString());
    setAsked(true);
  };
  // What could not be asked is asked again; the layout says when the server is out of reach.
  usePolling({ ask, onAnswer: () => {}, onTrouble: () => {}, intervalMs: INTERVAL_MS, immediately: true });

  // The stream is asked every other second: a line that stays keeps its button, and the focus in it.
  const [found, setFound] = createStore<{ list: Concern[] }>({ list: [] });
  createComputed(() => {
    const list = concernsOf({
      now: now(),
      find: settings.find,
      status: sources.status(),
      stream: sources.stream(),
      upkeep: upkeep(),
      webhooks: webhooks(),
      // What was heard before federation was turned off is of no concern any more.
      deliveries: isFederated() ? deliveries() : undefined,
      logs: sources.logs(),
      recordings: recordings(),
    });
    setFound('list', reconcile(list, { key: 'id' }));
  });
  return { concerns: () => found.list, upkeep, ready: () => asked() && settings.loaded() };
}
