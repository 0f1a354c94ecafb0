/** Everything of the chat that is fetched after the page. */
export { saidTexts } from '../../i18n/said.ts';
export { Chat } from './Chat.tsx';
export { Dialogs } from './Dialogs.tsx';
export { browserEnvironment } from './environment.ts';
export { HeldButton } from './HeldButton.tsx';
export { createRoom } from './room.ts';
export { UserMenu } from './UserMenu.tsx';
