/** German: going back in the stream. */
import type { enRewind } from './en.rewind.ts';
import type { SameKeys } from './index.ts';

export const deRewind: SameKeys<typeof enRewind> = {
  'rewind.bar': 'Im Stream zurückspulen',
  'rewind.back': '10 Sekunden zurück',
  'rewind.live': 'Zurück zu live',
  'rewind.atLive': 'Live',
  'rewind.behind': '{time} hinter live',
  'rewind.late': 'Du bist später dazugekommen: Der Stream läuft seit {duration}.',
  'rewind.late.start': 'Von Anfang an ansehen',
  'rewind.late.window': 'Du bist später dazugekommen, kannst aber zurückspulen.',
  'rewind.late.back': '{duration} zurück',
  'rewind.refused': 'Zurückspulen ist gerade nicht möglich.',
};
