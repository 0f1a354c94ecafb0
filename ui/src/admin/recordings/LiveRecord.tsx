/** What is kept of the stream that is on, and the button that keeps it for good. */
import './recordings.css';
import { createSignal, type JSX, Match, onCleanup, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { startPolling } from '../../poll.ts';
import { announced } from '../chat/actions.ts';
import { MarkMoment } from './MarkMoment.tsx';
import { RECORDINGS, recordThisStream, stopRecording } from './requests.ts';
import type { LiveRecording, RecordingsPage } from './wire.ts';

const INTERVAL_MS = 10_000;

export function LiveRecord(props: { live: LiveRecording | undefined; onChanged: () => Promise<void> }): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const isRecorded = () => props.live !== undefined && !props.live.isRing;

  const press = async () => {
    setBusy(true);
    const stops = isRecorded();
    const done = await announced(stops ? stopRecording() : recordThisStream());
    await props.onChanged();
    setBusy(false);
    if (done) toast(ta(stops ? 'recordings.live.stopped' : 'recordings.live.started'));
  };

  return (
    <div class="live-record" data-state={isRecorded() ? 'recording' : (props.live && 'ring') || 'off'}>
      <div role="status">
        <p>
          <Switch fallback={ta('recordings.live.off')}>
            <Match when={props.live?.isPaused}>{ta('recordings.live.paused')}</Match>
            <Match when={isRecorded()}>
              <span class="record-dot" aria-hidden="true" />
              {ta('recordings.live.recording')}
            </Match>
            <Match when={props.live}>{ta('recordings.live.ring')}</Match>
          </Switch>
        </p>
        <Show when={props.live?.lost}>
          {(count) => <p class="muted small">{ta('recordings.live.lost', { count: count() })}</p>}
        </Show>
      </div>
      <span class="live-record-tools">
        <Show when={props.live}>
          <MarkMoment />
        </Show>
        <button type="button" class="button" data-size="small" disabled={busy()} onClick={() => void press()}>
          {ta(isRecorded() ? 'recordings.record.stop' : 'recordings.record')}
        </button>
      </span>
    </div>
  );
}

/** The same on the first page, which asks for it itself; nothing where the server keeps no recordings. */
export function RecordThisStream(): JSX.Element {
  const [page, setPage] = createSignal<RecordingsPage>();
  const ask = () => api.get<RecordingsPage>(`${RECORDINGS}?limit=1`);
  const refresh = async () => {
    setPage(await ask().catch(() => page()));
  };
  onCleanup(startPolling({ ask, onAnswer: setPage, onTrouble: () => {}, intervalMs: INTERVAL_MS, immediately: true }));
  return <Show when={page()}>{(found) => <LiveRecord live={found().live ?? undefined} onChanged={refresh} />}</Show>;
}
