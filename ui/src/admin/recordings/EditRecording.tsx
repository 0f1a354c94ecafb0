/** What a recording is called, who can watch it, and where it begins and ends. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { TagEditor } from '../../design/TagEditor.tsx';
import { TextField } from '../../design/TextField.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { changeRecording } from './requests.ts';
import { parseTime, writeTime } from './times.ts';
import type { Recording, RecordingChange, Visibility } from './wire.ts';

const VISIBILITIES: Visibility[] = ['public', 'unlisted', 'private'];

/** Empty is the end itself. */
const placeOf = (text: string): number | null | undefined => (text.trim() === '' ? null : parseTime(text));

export function EditRecording(props: {
  recording: Recording;
  onClose: () => void;
  onSaved: () => Promise<void>;
}): JSX.Element {
  const id = createUniqueId();
  const { recording } = props;
  const length = recording.recordedDuration ?? recording.duration;
  const written = (seconds: number | null) => (seconds === null ? '' : writeTime(seconds));
  const [title, setTitle] = createSignal(recording.title);
  const [summary, setSummary] = createSignal(recording.summary);
  const [tags, setTags] = createSignal(recording.tags);
  const [visibility, setVisibility] = createSignal(recording.visibility);
  const [isKept, setKept] = createSignal(recording.isKept);
  const [start, setStart] = createSignal(written(recording.trimStart));
  const [end, setEnd] = createSignal(written(recording.trimEnd));
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal('');
  /** Nothing is final before its end. */
  const canTrim = recording.state === 'finished';

  const errorOf = (text: string) => {
    const place = placeOf(text);
    const isWrong = place === undefined || (place !== null && place > length);
    return isWrong ? ta('recordings.trim.invalid', { length: writeTime(length) }) : '';
  };
  const orderError = () => {
    const [from, to] = [placeOf(start()), placeOf(end())];
    const isBackwards = from !== undefined && to !== undefined && (from ?? 0) >= (to ?? length);
    return isBackwards ? ta('recordings.trim.order') : '';
  };
  const startError = () => errorOf(start());
  const endError = () => errorOf(end()) || (startError() ? '' : orderError());

  const change = (): RecordingChange => {
    const all: RecordingChange = {
      title: title().trim(),
      summary: summary(),
      tags: tags(),
      visibility: visibility(),
      isKept: isKept(),
    };
    // What was not touched stays where it is: written out it is rounded.
    if (start() !== written(recording.trimStart)) all.trimStart = placeOf(start()) ?? null;
    if (end() !== written(recording.trimEnd)) all.trimEnd = placeOf(end()) ?? null;
    return all;
  };
  const save = async (event: Event) => {
    event.preventDefault();
    if (canTrim && (startError() || endError())) return;
    setBusy(true);
    setError('');
    try {
      await changeRecording(recording.id, change());
      toast(ta('recordings.saved'));
      props.onClose();
      await props.onSaved();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open wide title={ta('recordings.edit.title')} onClose={() => props.onClose()}>
      <form class="stack" onSubmit={(event) => void save(event)} novalidate>
        <TextField label={ta('recordings.title')} value={title()} onInput={setTitle} autofocus />
        <div class="field">
          <label class="field-label" for={`${id}-summary`}>
            {ta('recordings.summary')}
          </label>
          <textarea
            id={`${id}-summary`}
            class="textarea"
            rows={4}
            value={summary()}
            onInput={(event) => setSummary(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label class="field-label" for={`${id}-tags`}>
            {ta('setting.tags.label')}
          </label>
          <TagEditor
            id={`${id}-tags`}
            values={tags()}
            placeholder={ta('editor.tag.add')}
            removeLabel={(value) => ta('editor.tag.remove', { value })}
            onChange={setTags}
          />
        </div>
        <div class="field">
          <label class="field-label" for={`${id}-visibility`}>
            {ta('recordings.visibility')}
          </label>
          <select
            id={`${id}-visibility`}
            class="select"
            onChange={(event) => setVisibility(event.currentTarget.value as Visibility)}
          >
            <For each={VISIBILITIES}>
              {(one) => (
                <option value={one} selected={one === visibility()}>
                  {`${ta(`setting.recording/visibility.choice.${one}`)}: ${ta(`setting.recording/visibility.choice.${one}.text`)}`}
                </option>
              )}
            </For>
          </select>
        </div>
        <label class="recording-keep">
          <input
            class="switch"
            type="checkbox"
            role="switch"
            checked={isKept()}
            aria-checked={isKept()}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          <span>
            {ta('recordings.keep.switch')}
            <span class="field-help">{ta('recordings.keep.help')}</span>
          </span>
        </label>
        <Show when={canTrim}>
          <fieldset class="recording-trim">
            <legend class="field-label">{ta('recordings.trim')}</legend>
            <TextField label={ta('recordings.trim.start')} value={start()} error={startError()} onInput={setStart} />
            <TextField label={ta('recordings.trim.end')} value={end()} error={endError()} onInput={setEnd} />
            <p class="field-help">{ta('recordings.trim.help', { length: writeTime(length) })}</p>
          </fieldset>
        </Show>
        <Show when={error()}>
          <Banner tone="error">{error()}</Banner>
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
            {ta('quality.save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
