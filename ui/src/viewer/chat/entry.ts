/** Everything of the chat that is fetched after the page. */
export { Chat } from './Chat.tsx';
export { Dialogs } from './Dialogs.tsx';
export { HeldButton } from './Held.tsx';
export { createRoom } from './room.ts';
export { UserMenu } from './UserMenu.tsx';
export { browserWorld } from './world.ts';
