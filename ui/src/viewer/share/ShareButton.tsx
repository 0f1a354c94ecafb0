/** The way to hand the stream on; what it opens is fetched when it is pressed. */
import { type Component, createSignal, type JSX, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Drawing } from '../../design/Icon.tsx';
import { addTexts, t } from '../../i18n/index.ts';
import type { ShareDialogProps } from './ShareDialog.tsx';

/** Three points and the lines between them. */
export const SHARE =
  'M17.5 3.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM6.5 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM17.5 15.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM8.8 10.8l6.4-3.6m-6.4 6 6.4 3.6';

export function ShareButton(props: { name: string; title: string; hasChat: boolean }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const [dialog, setDialog] = createSignal<Component<ShareDialogProps>>();
  let button: HTMLButtonElement | undefined;

  const press = async () => {
    // Without a connection it is asked for again with the next press.
    try {
      const parts = await import('./entry.ts');
      await addTexts(parts.texts);
      setDialog(() => parts.ShareDialog);
      setOpen(true);
    } catch {
      setOpen(false);
    }
  };
  const close = () => {
    setOpen(false);
    button?.focus();
  };

  return (
    <>
      <button
        id="share-button"
        type="button"
        class="button action-button"
        aria-haspopup="dialog"
        ref={(element) => {
          button = element;
        }}
        onClick={() => void press()}
      >
        <Drawing path={SHARE} />
        {t('viewer.share')}
      </button>
      <Show when={open() && dialog()}>
        {(loaded) => (
          <Dynamic component={loaded()} name={props.name} title={props.title} hasChat={props.hasChat} onClose={close} />
        )}
      </Show>
    </>
  );
}
