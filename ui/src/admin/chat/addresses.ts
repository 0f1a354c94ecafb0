/** Whether this is one IP address. For a fast answer; the server decides. */
export function isAddress(text: string): boolean {
  if (text.includes(':')) return isVersion6(text);
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** URLs know the rules of version 6 with all their abbreviations. */
function isVersion6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`);
}

const BROWSERS: [RegExp, string][] = [
  [/\bOBS\//, 'OBS'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** "Firefox, Linux": what people call what they use. A program says its own name. */
export function agentName(userAgent: string): string {
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = first(BROWSERS);
  if (!browser) return userAgent.split(/[\s/]/)[0] ?? '';
  return [browser, first(SYSTEMS)].filter(Boolean).join(', ');
}
