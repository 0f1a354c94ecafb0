/** Messages that are on their way and not answered yet: whatever becomes of them, their texts are not lost. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { ChatReply } from '../../wire.ts';

/** Longer than an answer usually takes. */
const SLOW_MS = 2_000;
/** An answer that follows a line from another tab is here within this time. */
const SETTLE_MS = 1_000;

interface Parcel {
  text: string;
  reply: ChatReply | undefined;
  /** It is still where it was written, too. */
  isOnTheWay: boolean;
  answer?: 'heard' | 'back';
  /** A line of one's own came that reads otherwise: another tab's, or this one as the server shows it. */
  isMaybeHeard?: boolean;
}

/** Without what the server may show in another way, such as asterisks. */
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '') || text.trim();

/** Told whether it was handed over; says whether it is gone from where it was written. */
type Handed = (isSent: boolean) => boolean;

export interface Unheard {
  /** Before it is handed over: over events its answer may be here before the word that it is. */
  sending(text: string, reply: ChatReply | undefined): Handed;
  /** The server has taken one of them: this one, or the first. */
  heard(text?: string): void;
  /** The server has refused the first of them. */
  giveBack(): void;
  /** The connection is gone. Returns whether there was any. */
  giveAllBack(): boolean;
  isSlow: Accessor<boolean>;
}

/** `onBack` puts a text back to where it was written. */
export function createUnheard(onBack: (text: string, reply: ChatReply | undefined) => void): Unheard {
  let waiting: Parcel[] = [];
  const [isSlow, setSlow] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    setSlow(false);
    if (waiting.length > 0) timer = setTimeout(() => setSlow(true), SLOW_MS);
  };
  let settling: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => {
    clearTimeout(timer);
    clearTimeout(settling);
  });

  const take = (taken: Parcel[], answer: Parcel['answer']) => {
    for (const parcel of taken) parcel.answer = answer;
    waiting = waiting.filter((parcel) => !taken.includes(parcel));
    watch();
    return taken;
  };
  const settle = () =>
    void take(
      waiting.filter(({ isMaybeHeard }) => isMaybeHeard),
      'heard',
    );
  const heard = (text: string | undefined) => {
    const meant = text === undefined ? waiting[0] : waiting.find((one) => letters(one.text) === letters(text));
    const other = waiting.find(({ isMaybeHeard }) => !isMaybeHeard);
    if (meant) take([meant], 'heard');
    else if (other) {
      other.isMaybeHeard = true;
      clearTimeout(settling);
      settling = setTimeout(settle, SETTLE_MS);
    }
  };
  const giveBack = (count: number) => {
    const gone = take(waiting.slice(0, count), 'back').filter(({ isOnTheWay }) => !isOnTheWay);
    if (gone.length > 0) onBack(gone.map(({ text }) => text).join('\n'), gone.find(({ reply }) => reply)?.reply);
    return gone.length > 0;
  };
  return {
    sending: (text, reply) => {
      const parcel: Parcel = { text, reply, isOnTheWay: true };
      waiting.push(parcel);
      watch();
      return (isSent) => {
        parcel.isOnTheWay = false;
        if (parcel.answer) return parcel.answer === 'heard';
        if (isSent) return true;
        waiting = waiting.filter((one) => one !== parcel);
        watch();
        return false;
      };
    },
    heard,
    giveBack: () => void giveBack(1),
    giveAllBack: () => {
      settle();
      return giveBack(waiting.length);
    },
    isSlow,
  };
}
