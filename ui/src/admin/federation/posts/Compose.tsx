/** A new post: text, and a picture with words for those who do not see it. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { MarkdownArea } from '../../../design/setting/MarkdownArea.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { AdminIcon } from '../../icons.tsx';
import { PICTURE_TYPES, readAsDataUrl } from '../../pictures.ts';
import { useSettings } from '../../settings.tsx';
import { useIsOff } from '../Frame.tsx';
import { sendPost } from '../requests.ts';

/** As the server refuses more. */
const MAX_CHARS = 5_000;
const MAX_DESCRIPTION_CHARS = 1_500;
/** Where most servers end a post; told, not enforced. */
const USUAL_CHARS = 500;
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

interface Picture {
  name: string;
  data: string;
}

export function Compose(props: { onSent: () => Promise<void> }): JSX.Element {
  const id = createUniqueId();
  const settings = useSettings();
  const isOff = useIsOff();
  const isPrivate = () => settings.find('federation/private')?.value === true;
  const [text, setText] = createSignal('');
  const [picture, setPicture] = createSignal<Picture>();
  const [description, setDescription] = createSignal('');
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const length = () => [...text()].length;

  const pick = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    // Picking the same file again must count as a change.
    input.value = '';
    if (!file) return;
    setError('');
    if (!PICTURE_TYPES.includes(file.type)) return setError(ta('logo.type'));
    if (file.size > MAX_PICTURE_BYTES) return setError(ta('posts.picture.size'));
    try {
      setPicture({ name: file.name, data: await readAsDataUrl(file) });
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    }
  };
  const unpick = () => {
    setPicture(undefined);
    setDescription('');
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = text().trim();
    const chosen = picture();
    if (!body && !chosen) return setError(ta('posts.missing'));
    if (length() > MAX_CHARS) return setError(ta('posts.long', { count: MAX_CHARS }));
    setBusy(true);
    setError('');
    try {
      await sendPost({ text: body, ...(chosen && { image: chosen.data, description: description().trim() }) });
      setText('');
      unpick();
      toast(ta('posts.sent'));
      await props.onSent();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <section class="card">
      <form class="stack" onSubmit={(event) => void submit(event)} novalidate>
        <div class="field">
          <label class="field-label" for={id}>
            {ta('posts.text')}
          </label>
          <MarkdownArea
            id={id}
            value={text()}
            place="post"
            rows={4}
            describedBy={`${id}-help ${id}-count`}
            onInput={setText}
          />
          <p class="field-help" id={`${id}-help`}>
            {ta(isPrivate() ? 'posts.help.private' : 'posts.help')}
          </p>
          <p class="field-help" id={`${id}-count`} role="status">
            {length() > USUAL_CHARS ? ta('posts.count', { count: length(), usual: USUAL_CHARS }) : ''}
          </p>
        </div>
        <Show when={picture()}>
          {(chosen) => (
            <div class="compose-picture">
              <img src={chosen().data} alt="" />
              <div class="field">
                <label class="field-label" for={`${id}-description`}>
                  {ta('posts.description')}
                </label>
                <textarea
                  id={`${id}-description`}
                  class="textarea"
                  rows={3}
                  dir="auto"
                  maxLength={MAX_DESCRIPTION_CHARS}
                  value={description()}
                  aria-describedby={`${id}-description-help`}
                  onInput={(event) => setDescription(event.currentTarget.value)}
                />
                <p class="field-help" id={`${id}-description-help`}>
                  {ta('posts.description.help')}
                </p>
                <button type="button" class="button" data-size="small" data-look="quiet" onClick={unpick}>
                  <Icon name="trash" />
                  {ta('posts.picture.remove')}
                </button>
              </div>
            </div>
          )}
        </Show>
        <Show when={error()}>
          <Banner tone="error">{error()}</Banner>
        </Show>
        <div class="row">
          <button type="submit" class="button" data-look="primary" disabled={busy() || isOff()} aria-busy={busy()}>
            <AdminIcon name="send" />
            {ta(busy() ? 'posts.sending' : 'posts.send')}
          </button>
          <label class="button" for={`${id}-file`}>
            <Icon name="upload" />
            {ta(picture() ? 'posts.picture.other' : 'posts.picture')}
            <input
              id={`${id}-file`}
              class="visually-hidden"
              type="file"
              accept={PICTURE_TYPES.join(',')}
              onChange={(event) => void pick(event.currentTarget)}
            />
          </label>
        </div>
      </form>
    </section>
  );
}
