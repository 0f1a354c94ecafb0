// In how many ways a state is looked at. Each state once as most people have it, and in two ways that are hard for a page:
// small, dark and with long words; and from right to left on a screen between the two. What everybody opens is looked at
// in more.

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1440, height: 900 } };

const DEVICES = { phone: PHONE, tablet: TABLET, desktop: DESKTOP };
const LOCALES = { en: 'en-GB', de: 'de-DE', ar: 'ar' };

const variant = (device, colorScheme, language) => ({
  name: `${device}-${colorScheme}-${language}`,
  device,
  language,
  options: { ...DEVICES[device], colorScheme, locale: LOCALES[language] },
});

export const BASE = variant('desktop', 'light', 'en');
const HARD = [variant('phone', 'dark', 'de'), variant('tablet', 'light', 'ar')];
const FOR_MAIN = [
  variant('phone', 'light', 'en'),
  variant('tablet', 'dark', 'en'),
  variant('desktop', 'dark', 'de'),
  variant('phone', 'light', 'ar'),
  variant('desktop', 'dark', 'ar'),
];

/**
 * The variants of a state. `isMain`: everybody opens it. `only`: the devices it exists on; without a desktop among them
 * the first variant of the hard ones takes its place.
 */
export function variantsOf({ isMain = false, only }, { isShort }) {
  const wanted = isShort ? [BASE, ...(isMain ? HARD.slice(0, 1) : [])] : [BASE, ...HARD, ...(isMain ? FOR_MAIN : [])];
  const possible = wanted.filter(({ device }) => !only || only.includes(device));
  if (possible.length > 0) return possible;
  return HARD.filter(({ device }) => only.includes(device)).slice(0, 1);
}

/** Every language that any variant speaks. */
export const LANGUAGES = Object.keys(LOCALES);
export const localeOf = (language) => LOCALES[language];
