/** Arabic, for going back in the stream. */
import type { enRewind } from './en.rewind.ts';
import type { SameKeys } from './index.ts';

export const arRewind: SameKeys<typeof enRewind> = {
  'rewind.bar': 'الرجوع في البث',
  'rewind.back': 'الرجوع 10 ثوانٍ',
  'rewind.live': 'العودة إلى المباشر',
  'rewind.atLive': 'مباشر',
  'rewind.behind': 'متأخر عن المباشر بمقدار {time}',
  'rewind.late': 'انضممت متأخرًا: بدأ البث قبل {duration}.',
  'rewind.late.start': 'المشاهدة من البداية',
  'rewind.late.window': 'انضممت متأخرًا، لكن يمكنك الرجوع.',
  'rewind.late.back': 'الرجوع {duration}',
  'rewind.refused': 'لا يمكن الرجوع الآن.',
};
