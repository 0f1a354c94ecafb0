/** English, the source of the keys: going back in the stream, fetched where the server keeps some of it. */
import type { Catalogue } from './index.ts';

export const enRewind = {
  'rewind.bar': 'Rewind the stream',
  'rewind.back': '10 seconds back',
  'rewind.live': 'Back to live',
  'rewind.atLive': 'Live',
  'rewind.behind': '{time} behind live',
  'rewind.late': 'You joined late: the stream has been on for {duration}.',
  'rewind.late.start': 'Watch from the start',
  'rewind.late.window': 'You joined late, but you can still rewind.',
  'rewind.late.back': 'Rewind {duration}',
  'rewind.refused': 'Rewinding is not possible right now.',
} satisfies Catalogue;
