/** What can be done with a line of one's own. */
import type { JSX } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { Menu, type MenuItem } from '../../design/Menu.tsx';
import { t } from '../../i18n/index.ts';
import { attempt } from './attempt.ts';
import type { Line } from './lines.ts';
import type { Room } from './room.ts';

/** None for the lines of others, and for those that are too old. */
export function ownLineItems(room: Room, line: Line): MenuItem[] {
  if (!room.isDeletable(line)) return [];
  return [
    {
      label: t('chat.own.delete'),
      icon: <Icon name="trash" />,
      tone: 'danger',
      onSelect: () => void attempt(room.deleteOwn(line.id), t('chat.own.deleted')),
    },
  ];
}

export interface OwnLineMenuProps {
  room: Room;
  line: Line;
  anchor: HTMLElement;
  onClose: () => void;
}

export function OwnLineMenu(props: OwnLineMenuProps): JSX.Element {
  return (
    <Menu
      label={t('chat.own.menu')}
      anchor={props.anchor}
      items={ownLineItems(props.room, props.line)}
      onClose={props.onClose}
    />
  );
}
