/** What can be done with the line that has the attention: answer it, and for moderators the menu. */
import { createEffect, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { t } from '../../i18n/index.ts';
import type { ChatUser } from '../../wire.ts';
import { Glyph } from './Glyph.tsx';
import { lazyComponent } from './lazy-component.tsx';
import type { Line } from './lines.ts';
import type { Room } from './room.ts';
import { plainText } from './sanitise.ts';

const OwnLineMenu = lazyComponent(async () => (await import('./OwnLineMenu.tsx')).OwnLineMenu);
const ModeratorMenu = lazyComponent(async () => (await import('./ModeratorMenu.tsx')).ModeratorMenu);

/** As long as the server's own excerpts. */
const EXCERPT_CHARS = 100;

export interface LineToolsProps {
  room: Room;
  line: Line;
  /** A finger stayed on the line. */
  isPressed: boolean;
  onPressEnd: () => void;
  /** The menu was opened or closed: the line keeps the attention as long. */
  onHold: (isHeld: boolean) => void;
}

export function LineTools(props: LineToolsProps): JSX.Element {
  return <Show when={props.line.user}>{(user) => <Tools {...props} user={user()} />}</Show>;
}

function Tools(props: LineToolsProps & { user: ChatUser }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const hasMenu = () => props.room.isModerating() || props.room.isDeletable(props.line);
  const menuLabel = () =>
    props.room.isModerating() ? t('chat.moderate', { name: props.user.displayName }) : t('chat.own.menu');
  let more: HTMLButtonElement | undefined;

  // Also when the menu goes because the line can no longer be deleted.
  createEffect(() => props.onHold(open() && hasMenu()));
  onCleanup(() => props.onHold(false));
  createEffect(() => {
    if (props.isPressed && hasMenu()) setOpen(true);
  });
  const reply = () => {
    const excerpt = [...plainText(props.line.body)].slice(0, EXCERPT_CHARS).join('');
    props.room.setReplyTo({ id: props.line.id, displayName: props.user.displayName, excerpt });
  };
  const close = () => {
    setOpen(false);
    props.onPressEnd();
  };

  return (
    <div class="chat-tools">
      <Show when={!props.room.obstacle()}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('chat.reply.to', { name: props.user.displayName })}
          title={t('chat.reply')}
          onClick={reply}
        >
          <Glyph name="reply" />
        </button>
      </Show>
      <Show when={hasMenu()}>
        <button
          type="button"
          class="icon-button"
          ref={(element) => {
            more = element;
          }}
          aria-label={menuLabel()}
          title={t(props.room.isModerating() ? 'chat.moderate.short' : 'chat.own.menu')}
          aria-haspopup="menu"
          aria-expanded={open()}
          onClick={() => setOpen(!open())}
        >
          <Glyph name="more" />
        </button>
        <Show when={open() && more}>
          {(anchor) => (
            <Show
              when={props.room.isModerating()}
              fallback={<OwnLineMenu room={props.room} line={props.line} anchor={anchor()} onClose={close} />}
            >
              <ModeratorMenu room={props.room} line={props.line} user={props.user} anchor={anchor()} onClose={close} />
            </Show>
          )}
        </Show>
      </Show>
    </div>
  );
}
