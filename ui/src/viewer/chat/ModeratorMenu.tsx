/** The moderator's menu of one line. */
import type { JSX } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { Menu } from '../../design/Menu.tsx';
import { t } from '../../i18n/index.ts';
import type { ChatUser } from '../../wire.ts';
import { attempt } from './attempt.ts';
import { Glyph } from './Glyph.tsx';
import type { Line } from './lines.ts';
import { ownLineItems } from './OwnLineMenu.tsx';
import { pinItems } from './pins.tsx';
import type { Room } from './room.ts';
import { isModerator } from './rules.ts';

const TIMEOUTS = [
  { seconds: 60, words: 'chat.timeout.minute' },
  { seconds: 600, words: 'chat.timeout.ten' },
  { seconds: 3600, words: 'chat.timeout.hour' },
] as const;

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
  const timeOut = (seconds: number, done: string) => () => void attempt(moderation.timeOut(user.id, seconds), done);
  // Only the operator acts against moderators.
  const isSpared = user.id === room.me()?.id || isModerator(user);

  const aboutTheUser = () => [
    ...TIMEOUTS.map(({ seconds, words }) => ({
      label: t(words),
      icon: <Glyph name="hourglass" />,
      onSelect: timeOut(seconds, t('chat.timeout.done', { name })),
    })),
    {
      label: t('chat.timeout.lift'),
      icon: <Icon name="check" />,
      onSelect: timeOut(0, t('chat.timeout.lifted', { name })),
    },
    {
      label: t('chat.ban'),
      icon: <Glyph name="ban" />,
      tone: 'danger' as const,
      onSelect: () => room.setDialog({ kind: 'ban', user }),
    },
  ];

  return (
    <Menu
      label={t('chat.moderate', { name })}
      anchor={props.anchor}
      onClose={props.onClose}
      items={[
        {
          label: t('chat.hide'),
          icon: <Icon name="eye-off" />,
          onSelect: () => void attempt(moderation.hide([line.id])),
        },
        ...ownLineItems(room, line),
        ...pinItems(room, line),
        // Whoever shuts themselves out needs somebody else to come back.
        ...(isSpared ? [] : aboutTheUser()),
        {
          label: t('chat.about'),
          icon: <Glyph name="person" />,
          onSelect: () => room.setDialog({ kind: 'user', user }),
        },
      ]}
    />
  );
}
