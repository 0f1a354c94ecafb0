/** One's own name in the header, and what one can do with it and with the chat. */
import { createSignal, type JSX, Show, untrack } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { Menu, type MenuItem } from '../../design/Menu.tsx';
import { t } from '../../i18n/index.ts';
import { Glyph } from './Glyph.tsx';
import type { Room } from './room.ts';
import { canSignIn } from './rules.ts';

const POP_OUT = '/embed/chat/readwrite';

export interface UserMenuProps {
  room: Room;
  /** Where the chat can be hidden. */
  toggle?: { isShown: boolean; onToggle: () => void };
}

export function UserMenu(props: UserMenuProps): JSX.Element {
  const [anchor, setAnchor] = createSignal<HTMLElement>();
  const canSpeak = () => props.room.state() === 'open' || props.room.state() === 'fallback';

  const items = (): MenuItem[] => {
    const { room, toggle } = props;
    const list: MenuItem[] = [];
    const add = (label: string, icon: JSX.Element, onSelect: () => void) => list.push({ label, icon, onSelect });
    if (canSpeak()) {
      add(t('chat.name.change'), <Glyph name="person" />, () => room.setDialog({ kind: 'name' }));
      if (canSignIn(room.config()) && !room.me()?.authenticated) {
        add(t('chat.signIn'), <Glyph name="seal" />, () => room.setDialog({ kind: 'sign-in' }));
      }
    }
    if (canSpeak() && room.isModerating()) {
      add(t('chat.moderation'), <Glyph name="shield" />, () => room.setDialog({ kind: 'moderation' }));
    }
    if (toggle) {
      const icon = <Icon name={toggle.isShown ? 'eye-off' : 'eye'} />;
      add(t(toggle.isShown ? 'chat.hideChat' : 'chat.showChat'), icon, toggle.onToggle);
      add(t('chat.popOut'), <Icon name="external" />, () => {
        window.open(POP_OUT, 'rillcast-chat', 'popup,width=420,height=720');
      });
    }
    return list;
  };

  return (
    <>
      <button
        type="button"
        class="button user-menu"
        data-look="quiet"
        aria-haspopup="menu"
        aria-expanded={anchor() !== undefined}
        aria-label={t('chat.menu', { name: props.room.me()?.displayName ?? '' })}
        onClick={(event) => setAnchor(anchor() ? undefined : event.currentTarget)}
      >
        <Glyph name="person" />
        <span class="chat-name user-menu-name" data-color={(props.room.me()?.displayColor ?? 0) & 7}>
          {props.room.me()?.displayName}
        </span>
        <Show when={props.room.isModerating()}>
          <span class="chat-badge" data-badge="shield" title={t('chat.badge.moderator')}>
            <Glyph name="shield" />
          </span>
        </Show>
        <Glyph name="chevron" />
      </button>
      <Show when={anchor()}>
        {(button) => (
          <Menu
            label={t('chat.menu.label')}
            anchor={button()}
            // As it was opened: an entry that is drawn anew loses the focus, and the press that is on its way to it.
            items={untrack(items)}
            onClose={() => setAnchor(undefined)}
          />
        )}
      </Show>
    </>
  );
}
