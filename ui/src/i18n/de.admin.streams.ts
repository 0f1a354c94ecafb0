/** German, for the admin pages about past streams and their charts. */
import type { enAdminStreams } from './en.admin.streams.ts';
import type { SameKeys } from './index.ts';

export const deAdminStreams: SameKeys<typeof enAdminStreams> = {
  'chart.read': 'Ablesen: {title}',
  'chart.read.help': 'Die Pfeiltasten gehen von einem Zeitpunkt zum nächsten.',
};
