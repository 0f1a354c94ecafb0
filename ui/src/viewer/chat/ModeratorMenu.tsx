/** The moderator's menu of one line. */
import { createSignal, type JSX, Show, untrack } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { Menu, type MenuItem } from '../../design/Menu.tsx';
import { toast } from '../../design/toasts.tsx';
import { t } from '../../i18n/index.ts';
import type { ChatUser } from '../../wire.ts';
import { attempt } from './attempt.ts';
import { Glyph } from './Glyph.tsx';
import type { Line } from './lines.ts';
import { ownLineItems } from './OwnLineMenu.tsx';
import { pinItems } from './pins.tsx';
import type { Room } from './room.ts';
import { isModerator } from './rules.ts';

/** The menu waits this long for what is known about somebody, so that nothing moves in it afterwards. */
const ASK_MS = 600;

export interface ModeratorMenuProps {
  room: Room;
  line: Line;
  user: ChatUser;
  anchor: HTMLElement;
  onClose: () => void;
}

export function ModeratorMenu(props: ModeratorMenuProps): JSX.Element {
  const { room, line, user } = props;
  const { moderation } = room;
  const name = user.displayName;
  // Only the operator acts against moderators.
  const isSpared = user.id === room.me()?.id || isModerator(user);
  const [state, setState] = createSignal<SanctionState | undefined>(isSpared ? {} : undefined);
  if (!isSpared) void sanctionsOf(room, user.id).then(setState);

  const hide = async () => {
    const action = { label: t('chat.undo'), onSelect: () => void room.showAgain(line.id) };
    if (await attempt(moderation.hide([line.id]))) toast(t('chat.hide.done'), action);
  };
  const lineItems = (): MenuItem[] => {
    if (room.isDeleted(line.id)) return [];
    const show = {
      label: t('chat.showAgain'),
      icon: <Icon name="eye" />,
      onSelect: () => void room.showAgain(line.id),
    };
    const item = { label: t('chat.hide'), icon: <Icon name="eye-off" />, onSelect: () => void hide() };
    return [room.isHidden(line.id) ? show : item];
  };

  const aboutTheUser = ({ isBanned, isTimedOut }: SanctionState): MenuItem[] => {
    const lift = {
      label: t('chat.timeout.lift'),
      icon: <Icon name="check" />,
      onSelect: () => void attempt(moderation.timeOut(user.id, 0), t('chat.timeout.lifted', { name })),
    };
    const unban = {
      label: t('chat.unban'),
      icon: <Icon name="check" />,
      onSelect: () => void attempt(moderation.unban(user.id), t('chat.unban.done', { name })),
    };
    if (isBanned) return [unban];
    return [
      {
        label: t('chat.timeout'),
        icon: <Glyph name="hourglass" />,
        onSelect: () => room.setDialog({ kind: 'timeout', user }),
      },
      ...(isTimedOut ? [lift] : []),
      {
        label: t('chat.ban'),
        icon: <Glyph name="ban" />,
        tone: 'danger' as const,
        onSelect: () => room.setDialog({ kind: 'ban', user }),
      },
    ];
  };

  const items = (known: SanctionState): MenuItem[] => [
    ...lineItems(),
    ...ownLineItems(room, line),
    ...pinItems(room, line),
    // Whoever shuts themselves out needs somebody else to come back.
    ...(isSpared ? [] : aboutTheUser(known)),
    {
      label: t('chat.about'),
      icon: <Glyph name="person" />,
      onSelect: () => room.setDialog({ kind: 'user', user }),
    },
  ];

  return (
    <Show when={state()}>
      {(known) => (
        <Menu
          label={t('chat.moderate', { name })}
          anchor={props.anchor}
          onClose={props.onClose}
          items={untrack(() => items(known()))}
        />
      )}
    </Show>
  );
}

interface SanctionState {
  isBanned?: boolean;
  isTimedOut?: boolean;
}

/** What holds for somebody now; nothing is known when the server takes long to say. */
async function sanctionsOf(room: Room, userId: string): Promise<SanctionState> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ASK_MS));
  const asked = room.moderation.details(userId).catch(() => undefined);
  const user = (await Promise.race([asked, late]))?.user;
  const until = Date.parse(user?.mutedUntil ?? '');
  return { isBanned: user?.disabledAt !== undefined, isTimedOut: until > Date.now() };
}
