/** The buttons below the player: the operator's own, and those of the page. What one of them shows over the page is fetched when it is pressed. */
import './actions.css';
import { type Component, children, createSignal, For, type JSX, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { t } from '../i18n/index.ts';
import type { ExternalAction } from '../wire.ts';
import type { ActionDialogProps } from './ActionDialog.tsx';
import { RemoteIcon } from './RemoteIcon.tsx';

/** How an action opens; nothing for one that leads nowhere. */
export function kindOf(action: ExternalAction): 'tab' | 'frame' | 'html' | undefined {
  if (action.html) return 'html';
  const { url } = action;
  if (!url || !URL.canParse(url, location.href) || !/^https?:$/.test(new URL(url, location.href).protocol)) return;
  return action.openExternally ? 'tab' : 'frame';
}

/** `children` are entries of the list. */
export function Actions(props: { actions: ExternalAction[]; children?: JSX.Element }): JSX.Element {
  const [pressed, setPressed] = createSignal<ExternalAction>();
  const [dialog, setDialog] = createSignal<Component<ActionDialogProps>>();
  const shown = () => props.actions.filter(kindOf);
  const parts = children(() => props.children);
  const own = () => parts.toArray().filter(Boolean);

  const press = async (action: ExternalAction) => {
    setPressed(action);
    // Without a connection it is asked for again with the next press.
    if (!dialog())
      await import('./ActionDialog.tsx').then(
        (loaded) => setDialog(() => loaded.ActionDialog),
        () => {},
      );
  };

  return (
    <Show when={shown().length > 0 || own().length > 0}>
      <ul class="action-buttons" aria-label={t('viewer.actions')}>
        {/* First, because a phone shows only the beginning of the row. */}
        {own()}
        <For each={shown()}>
          {(action) => (
            <li>
              <ActionButton action={action} onPress={() => void press(action)} />
            </li>
          )}
        </For>
      </ul>
      <Show when={pressed()} keyed>
        {(action) => (
          <Show when={dialog()}>
            {(loaded) => <Dynamic component={loaded()} action={action} onClose={() => setPressed(undefined)} />}
          </Show>
        )}
      </Show>
    </Show>
  );
}

export function ActionButton(props: { action: ExternalAction; onPress: () => void }): JSX.Element {
  const isTab = () => kindOf(props.action) === 'tab';
  return (
    <Dynamic
      component={isTab() ? 'a' : 'button'}
      class="button action-button"
      title={props.action.description || undefined}
      data-coloured={props.action.color ? '' : undefined}
      // Not a style attribute: the content security policy refuses those.
      ref={(element: HTMLElement) => element.style.setProperty('--action-color', props.action.color ?? '')}
      {...(isTab()
        ? { href: props.action.url, target: '_blank', rel: 'noopener noreferrer' }
        : { type: 'button', onClick: () => props.onPress() })}
    >
      <RemoteIcon src={props.action.icon} />
      <span>{props.action.title}</span>
    </Dynamic>
  );
}
