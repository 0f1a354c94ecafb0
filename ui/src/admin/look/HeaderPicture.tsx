/** A picture behind the name at the top of the page. It is a variable of the look, so the preview shows it too. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { checkPicture, PICTURE_TYPES, readAsDataUrl } from '../pictures.ts';
import { withReason } from '../session.ts';
import type { Draft } from './draft.ts';

export const HEADER_PICTURE = '--theme-header-picture';

export function HeaderPicture(props: { state: Draft; disabled: boolean }): JSX.Element {
  const id = createUniqueId();
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const isSet = () => props.state.draft()[HEADER_PICTURE] !== undefined;

  const upload = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    // Picking the same file again must count as a change.
    input.value = '';
    if (!file) return;
    setError('');
    setBusy(true);
    try {
      checkPicture(file);
      const value = await readAsDataUrl(file);
      await withReason(api.post('/api/admin/config/headerpicture', { value }));
      // A new address for a new picture: browsers keep the old one for a while.
      const address = `url(/headerpicture?v=${Date.now().toString(36)})`;
      props.state.setDraft({ ...props.state.draft(), [HEADER_PICTURE]: address });
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };
  const remove = () => {
    const { [HEADER_PICTURE]: _, ...rest } = props.state.draft();
    props.state.setDraft(rest);
  };

  return (
    <section class="look-group" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{ta('look.header')}</h3>
      <p class="field-help" id={`${id}-help`}>
        {ta('look.header.help')}
      </p>
      <div class="row">
        <label class="button" data-size="small" for={id}>
          <Icon name="upload" />
          {ta(busy() ? 'look.header.busy' : 'logo.choose')}
          <input
            id={id}
            class="visually-hidden"
            type="file"
            accept={PICTURE_TYPES.join(',')}
            aria-label={`${ta('look.header')}: ${ta('logo.choose')}`}
            aria-describedby={`${id}-help ${id}-error`}
            disabled={props.disabled || busy()}
            onChange={(event) => void upload(event.currentTarget)}
          />
        </label>
        <Show when={isSet()}>
          <button type="button" class="button" data-size="small" disabled={props.disabled} onClick={remove}>
            <Icon name="trash" />
            {ta('look.header.remove')}
          </button>
        </Show>
      </div>
      <div class="field-error" id={`${id}-error`} role="alert">
        {error()}
      </div>
    </section>
  );
}
