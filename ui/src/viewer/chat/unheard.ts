/** Messages that were handed over and not answered yet: whatever becomes of them, their texts are not lost. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { ChatReply } from '../../wire.ts';

/** Longer than an answer usually takes. */
const SLOW_MS = 2_000;

export interface Unheard {
  sent(text: string, reply: ChatReply | undefined): void;
  /** The server has taken the first of them. */
  heard(): void;
  /** The server has refused the first of them. */
  giveBack(): void;
  /** The connection is gone. */
  giveAllBack(): void;
  isSlow: Accessor<boolean>;
}

/** `onBack` puts a text back to where it was written. */
export function createUnheard(onBack: (text: string, reply: ChatReply | undefined) => void): Unheard {
  let waiting: { text: string; reply: ChatReply | undefined }[] = [];
  const [isSlow, setSlow] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    setSlow(false);
    if (waiting.length > 0) timer = setTimeout(() => setSlow(true), SLOW_MS);
  };
  onCleanup(() => clearTimeout(timer));

  const take = (count: number) => {
    const [gone, rest] = [waiting.slice(0, count), waiting.slice(count)];
    waiting = rest;
    watch();
    return gone;
  };
  const giveBack = (count: number) => {
    const gone = take(count);
    if (gone.length > 0) onBack(gone.map(({ text }) => text).join('\n'), gone.find(({ reply }) => reply)?.reply);
  };
  return {
    sent: (text, reply) => {
      waiting.push({ text, reply });
      watch();
    },
    heard: () => void take(1),
    giveBack: () => giveBack(1),
    giveAllBack: () => giveBack(waiting.length),
    isSlow,
  };
}
