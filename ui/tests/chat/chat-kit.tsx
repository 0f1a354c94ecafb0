import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, vi } from 'vitest';
import { Chat } from '../../src/viewer/chat/Chat.tsx';
import { Dialogs } from '../../src/viewer/chat/Dialogs.tsx';
import { createRoom, type Room } from '../../src/viewer/chat/room.ts';
import { UserMenu } from '../../src/viewer/chat/UserMenu.tsx';
import type { ChatUser, SiteConfig } from '../../src/wire.ts';
import { dialogsOpen, speakEnglish } from '../helpers.ts';
import { chatConfig, FakeEnvironment, greeting, me } from './fakes.ts';

/** One frame and everything that waits for a promise. */
export const pass = (ms = 20) => vi.advanceTimersByTimeAsync(ms);

/** For every test of a file that shows the chat. */
export function useChat(): void {
  beforeEach(async () => {
    await speakEnglish();
    dialogsOpen();
    vi.useFakeTimers();
  });
  afterEach(() => {
    cleanup();
    // Notes go by themselves, and not into the next test.
    vi.runOnlyPendingTimers();
    vi.useRealTimers();
  });
}

interface Options {
  config?: Partial<SiteConfig>;
  user?: Partial<ChatUser>;
  history?: FakeEnvironment['entries'];
}

export async function enter(options: Options = {}) {
  const environment = new FakeEnvironment();
  environment.entries = options.history ?? [];
  const [config, setConfig] = createSignal<SiteConfig>({ ...chatConfig, ...options.config });
  const [isOpen, setOpen] = createSignal(true);
  const [isCrowded, setCrowded] = createSignal(false);
  let room: Room | undefined;
  render(() => {
    const made = createRoom({ config, isOpen, isCrowded, environment });
    room = made;
    return (
      <>
        <UserMenu room={made} toggle={{ isShown: true, onToggle: () => {} }} />
        <Chat room={made} tools={null} />
        <Dialogs room={made} />
      </>
    );
  });
  await pass();
  environment.socket.say({ ...greeting, user: { ...me, ...options.user } });
  await pass();
  if (!room) throw new Error('no room');
  return { environment, room, setConfig, setOpen, setCrowded };
}

/** Loses its socket until it takes part by events and requests instead. */
export async function goOnByEvents(environment: FakeEnvironment) {
  environment.socket.drop();
  while (environment.sources.length === 0) {
    await pass(5_000);
    environment.socket.drop();
  }
  environment.source.ready('session');
  environment.source.say(greeting);
}

export const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Send a message' });
export const type = (text: string) => {
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  fireEvent.input(field());
};
export const press = (key: string, more: KeyboardEventInit = {}) => fireEvent.keyDown(field(), { key, ...more });
export const rows = () => [...document.querySelectorAll<HTMLElement>('.chat-line')];
export const row = (id: string) => document.querySelector<HTMLElement>(`[data-id="${id}"]`);
