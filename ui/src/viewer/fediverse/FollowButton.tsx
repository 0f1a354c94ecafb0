/** The way to follow the stream; what it opens is fetched when it is pressed. */
import { createSignal, type JSX, Show } from 'solid-js';
import { Dynamic, Portal } from 'solid-js/web';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import { WithFediverseParts } from './parts.tsx';

export function FollowButton(props: { account: string; name: string; id?: string }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const close = () => {
    setOpen(false);
    button?.focus();
  };
  return (
    <>
      <button
        id={props.id ?? 'follow-button'}
        type="button"
        class="button action-button"
        data-look="primary"
        aria-haspopup="dialog"
        ref={(element) => {
          button = element;
        }}
        onClick={() => setOpen(true)}
      >
        <Icon name="plus" />
        {t('viewer.follow')}
      </button>
      <Show when={open()}>
        {/* The look of what is around the button is not the dialog's. */}
        <Portal>
          <WithFediverseParts>
            {(parts) => (
              <Dynamic component={parts.FollowDialog} account={props.account} name={props.name} onClose={close} />
            )}
          </WithFediverseParts>
        </Portal>
      </Show>
    </>
  );
}
