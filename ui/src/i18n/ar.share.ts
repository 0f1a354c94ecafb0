/** Arabic, for the share dialog. */
import type { enShare } from './en.share.ts';
import type { SameKeys } from './index.ts';

export const arShare: SameKeys<typeof enShare> = {
  'share.title': 'مشاركة هذا البث',
  'share.link': 'الرابط',
  'share.code': 'رمز التضمين',
  'share.code.help': 'يضع المشغّل في أي صفحة.',
  'share.withChat': 'مع الدردشة',
  'share.player': 'عنوان البث لبرنامج VLC والمشغّلات الأخرى',
  'share.send': 'إرسال إلى…',
};
