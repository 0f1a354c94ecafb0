/** Everything about going back in the stream, fetched only where the server keeps some of it. */
import './rewind.css';
import { enRewind } from '../../../i18n/en.rewind.ts';
import { type Loaders, translations } from '../../../i18n/index.ts';

export { Rewind } from './Rewind.tsx';

export const texts: Loaders = {
  en: () => enRewind,
  ...translations(import.meta.glob(['../../../i18n/??.rewind.ts', '!../../../i18n/en.rewind.ts'])),
};
