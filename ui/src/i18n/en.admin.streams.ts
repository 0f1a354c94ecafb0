/** English, the source of the keys of the admin pages about past streams and their charts. */
import type { Catalogue } from './index.ts';

export const enAdminStreams = {
  'chart.read': 'Read off: {title}',
  'chart.read.help': 'The arrow keys go from one moment to the next.',
} satisfies Catalogue;
