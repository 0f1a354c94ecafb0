/** What moderators work through: lines that wait, brakes, people who are shut out, and what was done. */
import type { JSX } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { Tabs } from '../../../design/Tabs.tsx';
import type { Room } from '../room.ts';
import { ActionLog } from './ActionLog.tsx';
import { Brakes } from './Brakes.tsx';
import { HeldList } from './HeldList.tsx';
import { SanctionedList } from './SanctionedList.tsx';
import { tm } from './texts.ts';

export function ModerationPanel(props: { room: Room; onClose: () => void }): JSX.Element {
  const { room } = props;
  const tabs = [
    { id: 'held', label: tm('panel.held'), content: () => <HeldList room={room} /> },
    { id: 'brakes', label: tm('panel.brakes'), content: () => <Brakes room={room} /> },
    { id: 'sanctioned', label: tm('panel.sanctioned'), content: () => <SanctionedList room={room} /> },
    { id: 'log', label: tm('panel.log'), content: () => <ActionLog room={room} /> },
  ];
  return (
    <Dialog open wide title={tm('chat.moderation')} onClose={props.onClose}>
      <div class="moderation-panel">
        <Tabs label={tm('chat.moderation')} tabs={tabs} />
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {tm('common.close')}
        </button>
      </div>
    </Dialog>
  );
}
