/** A native <dialog>: the browser brings the focus trap, Escape and the backdrop. */
import { createEffect, createUniqueId, type JSX, onCleanup } from 'solid-js';
import { dialogClosed, dialogOpened, Toasts } from './toasts.tsx';

export function Dialog(props: {
  open: boolean;
  title: string;
  /** For more than a question and two buttons. */
  wide?: boolean;
  onClose: () => void;
  children: JSX.Element;
}): JSX.Element {
  const titleId = createUniqueId();
  let element: HTMLDialogElement | undefined;

  createEffect(() => {
    if (!element) return;
    if (props.open && !element.open) element.showModal();
    if (!props.open && element.open) element.close();
    if (props.open) dialogOpened(titleId);
    else dialogClosed(titleId);
  });

  // Only closing gives the focus back; what is merely taken off the page leaves it nowhere.
  let isGone = false;
  onCleanup(() => {
    isGone = true;
    dialogClosed(titleId);
    if (element?.open) element.close();
  });

  return (
    <dialog
      class="dialog"
      data-size={props.wide ? 'wide' : undefined}
      ref={(dialog) => {
        element = dialog;
      }}
      aria-labelledby={titleId}
      onClose={() => {
        dialogClosed(titleId);
        if (!isGone) props.onClose();
      }}
    >
      <div class="stack">
        <h2 id={titleId}>{props.title}</h2>
        {props.children}
      </div>
      <Toasts dialog={titleId} />
    </dialog>
  );
}
