/** The chapters of a recording: those its titles made, and marks, which are set, named and removed here. */
import { createResource, createSignal, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { TextField } from '../../design/TextField.tsx';
import { ta } from '../../i18n/admin.ts';
import { t } from '../../i18n/index.ts';
import { announced } from '../chat/actions.ts';
import { RowTool } from '../lists/RowTool.tsx';
import { type Chapter, chaptersOf, removeChapter, setMark } from './chapters.ts';
import { titleOf } from './RecordingTable.tsx';
import { parseTime, writeTime } from './times.ts';
import type { Recording } from './wire.ts';

const MAX_TITLE_CHARS = 200;

export function ChaptersDialog(props: { recording: Recording; onClose: () => void }): JSX.Element {
  const { recording } = props;
  const [chapters, { refetch }] = createResource(() => chaptersOf(recording.id));
  const done = async (action: Promise<unknown>) => {
    const isDone = await announced(action.then(() => undefined));
    await refetch();
    return isDone;
  };
  return (
    <Dialog
      open
      wide
      title={ta('recordings.chapters.title', { title: titleOf(recording) })}
      onClose={() => props.onClose()}
    >
      <div class="stack">
        <Show when={chapters.error}>{(problem) => <Banner tone="error">{String(problem().message)}</Banner>}</Show>
        <Show when={!chapters.error && chapters.latest}>
          {(all) => (
            <Show when={all().length > 0} fallback={<p class="muted">{ta('recordings.chapters.none')}</p>}>
              <ul class="chapter-list">
                <For each={all()}>
                  {(one) => (
                    <Row
                      chapter={one}
                      onName={(title) => void done(setMark(recording.id, one.at, title))}
                      onRemove={() => void done(removeChapter(recording.id, one))}
                    />
                  )}
                </For>
              </ul>
            </Show>
          )}
        </Show>
        <NewChapter recording={recording} onAdd={(at, title) => done(setMark(recording.id, at, title))} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t('common.close')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Row(props: { chapter: Chapter; onName: (title: string) => void; onRemove: () => void }): JSX.Element {
  const time = () => writeTime(props.chapter.at);
  return (
    <li data-kind={props.chapter.kind}>
      <time>{time()}</time>
      <Show when={props.chapter.kind === 'mark'} fallback={<span>{props.chapter.title}</span>}>
        <input
          class="input"
          value={props.chapter.title}
          maxlength={MAX_TITLE_CHARS}
          placeholder={ta('recordings.chapters.unnamed')}
          aria-label={ta('recordings.chapters.name', { time: time() })}
          autocomplete="off"
          onChange={(event) => props.onName(event.currentTarget.value.trim())}
        />
      </Show>
      <RowTool
        icon="trash"
        label={ta('recordings.chapters.remove')}
        of={props.chapter.title ? `${time()}, ${props.chapter.title}` : time()}
        onPress={() => props.onRemove()}
      />
    </li>
  );
}

function NewChapter(props: {
  recording: Recording;
  onAdd: (at: number, title: string) => Promise<boolean>;
}): JSX.Element {
  const [place, setPlace] = createSignal('');
  const [title, setTitle] = createSignal('');
  const [error, setError] = createSignal('');
  const add = async (event: Event) => {
    event.preventDefault();
    const at = parseTime(place());
    const length = props.recording.duration;
    // While it is recorded it gets longer than was told.
    const isBehind = props.recording.state === 'finished' && (at ?? 0) > length;
    if (at === undefined || isBehind) {
      setError(ta('recordings.trim.invalid', { length: writeTime(length) }));
      return;
    }
    setError('');
    if (!(await props.onAdd(at, title().trim()))) return;
    setPlace('');
    setTitle('');
  };
  return (
    <form class="chapter-new" onSubmit={(event) => void add(event)} novalidate>
      <TextField label={ta('recordings.chapters.at')} value={place()} error={error()} onInput={setPlace} />
      <TextField label={ta('recordings.title')} value={title()} onInput={setTitle} />
      <button type="submit" class="button">
        {ta('recordings.chapters.add')}
      </button>
    </form>
  );
}
