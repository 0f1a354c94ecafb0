/** Pinning a line above the chat: what moderators find in its menu. */
import { api } from '../../api.ts';
import type { MenuItem } from '../../design/Menu.tsx';
import { t } from '../../i18n/index.ts';
import { attempt } from './attempt.ts';
import { Glyph } from './Glyph.tsx';
import type { Line } from './lines.ts';
import type { Room } from './room.ts';

export async function setPinned(room: Room, id: string, pinned: boolean): Promise<boolean> {
  const path = `/api/chat/pin?${new URLSearchParams({ accessToken: room.token() ?? '' })}`;
  return attempt(api.post(path, { id, pinned }));
}

export function pinItems(room: Room, line: Line): MenuItem[] {
  const isPinned = room.pinned()?.message.id === line.id;
  return [
    {
      label: t(isPinned ? 'chat.unpin' : 'chat.pin'),
      icon: <Glyph name="pin" />,
      onSelect: () => void setPinned(room, line.id, !isPinned),
    },
  ];
}
