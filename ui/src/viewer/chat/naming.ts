/** What the server says about a new name. A name that is taken is no answer to nothing: who asked is still there. */
import type { ChatEvent } from '../../wire.ts';
import { translated } from './notices.ts';
import { plainText } from './sanitise.ts';

/** A server that says nothing until then will not say anything. */
const ANSWER_MS = 5_000;

export interface Naming {
  /** Why the name that was just asked for is refused; nothing where it is not. */
  answer(): Promise<string | undefined>;
  hear(event: ChatEvent, me: string | undefined): void;
}

export function createNaming(): Naming {
  let settle: ((reason?: string) => void) | undefined;
  return {
    answer: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => settle?.(), ANSWER_MS);
        settle = (reason) => {
          clearTimeout(timer);
          settle = undefined;
          resolve(reason);
        };
      }),
    hear: (event, me) => {
      const isOurs = event.type === 'CONNECTED_USER_INFO' || (event.type === 'NAME_CHANGE' && event.user?.id === me);
      if (isOurs) settle?.();
      if (event.notice === 'name' || event.notice === 'flood') settle?.(plainText(translated(event).body ?? ''));
    },
  };
}
