/** What was recorded: what lies on the disk, who can watch it, and what can be done about it. */
import './recordings.css';
import { createEffect, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { EmptyState } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { fileSize } from '../../i18n/format.admin.ts';
import { Link } from '../../router.tsx';
import type { AdminStatus } from '../../wire.ts';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { PagedList } from '../lists/ListView.tsx';
import { createPaged } from '../lists/paged.ts';
import { ChaptersDialog } from './ChaptersDialog.tsx';
import { EditRecording } from './EditRecording.tsx';
import { LiveRecord } from './LiveRecord.tsx';
import { RecordingTable } from './RecordingTable.tsx';
import { RECORDINGS } from './requests.ts';
import type { Recording, RecordingsPage } from './wire.ts';

/** While a stream is recorded it grows. */
const INTERVAL_MS = 10_000;
/** Who is still typing has not asked yet. */
const TYPING_MS = 300;

export function Recordings(props: { status?: AdminStatus }): JSX.Element {
  const [wanted, setWanted] = createSignal('');
  const list = createPaged<Recording, RecordingsPage>(() =>
    wanted() ? `${RECORDINGS}?q=${encodeURIComponent(wanted())}` : RECORDINGS,
  );
  const [edited, setEdited] = createSignal<Recording>();
  /** Whose chapters are shown. */
  const [divided, setDivided] = createSignal<Recording>();
  const [question, setQuestion] = createSignal<Question>();
  const isLive = () => props.status !== undefined && props.status.streamState !== 'offline';
  const live = () => list.answer()?.live ?? undefined;

  createEffect(() => {
    if (!isLive()) return;
    const timer = setInterval(() => void list.refresh(), INTERVAL_MS);
    onCleanup(() => clearInterval(timer));
  });

  let typing: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(typing));
  const search = (text: string) => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      list.setPage(0);
      setWanted(text.trim());
    }, TYPING_MS);
  };

  return (
    <>
      <section class="card">
        <div class="card-head">
          <p class="muted small">{ta('recordings.text')}</p>
          <Link class="button" data-size="small" href="/admin/config/recording">
            {ta('recordings.settings')}
          </Link>
        </div>
        <Show when={list.answer()}>
          {(answer) => (
            <dl class="facts">
              <div>
                <dt>{ta('recordings.used')}</dt>
                <dd>{fileSize(answer().folder.bytes)}</dd>
              </div>
              <Show when={answer().folder.free !== null}>
                <div>
                  <dt>{ta('recordings.free')}</dt>
                  <dd>{fileSize(answer().folder.free ?? 0)}</dd>
                </div>
              </Show>
            </dl>
          )}
        </Show>
        <Show when={isLive() && list.answer()}>
          <LiveRecord live={live()} onChanged={list.refresh} />
        </Show>
      </section>
      <section class="card">
        <input
          class="input"
          type="search"
          aria-label={ta('recordings.search')}
          placeholder={ta('recordings.search')}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <Show
          when={!wanted() || list.entries()?.length !== 0}
          fallback={
            <EmptyState icon="search">
              <p>{ta('recordings.nothing')}</p>
            </EmptyState>
          }
        >
          <PagedList
            list={list}
            empty={{ icon: 'video', title: ta('recordings.empty.title'), text: ta('recordings.empty.text') }}
          >
            {(entries) => (
              <RecordingTable
                recordings={entries}
                onEdit={setEdited}
                onChapters={setDivided}
                onAsk={setQuestion}
                onChanged={list.refresh}
              />
            )}
          </PagedList>
        </Show>
      </section>
      <Show when={edited()} keyed>
        {(recording) => (
          <EditRecording recording={recording} onClose={() => setEdited(undefined)} onSaved={list.refresh} />
        )}
      </Show>
      <Show when={divided()} keyed>
        {(recording) => <ChaptersDialog recording={recording} onClose={() => setDivided(undefined)} />}
      </Show>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}
