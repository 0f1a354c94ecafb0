/** Under which address others reach this server. */
import type { Settings } from '../settings.tsx';

export interface PublicAddress {
  /** Without a slash at the end. */
  base: string;
  hostname: string;
  /** Nobody has said what it is: it is the address the operator happens to use. */
  isGuessed: boolean;
}

/** From the setting; whoever administers through a tunnel has another address in the browser. */
export function publicAddress(settings: Settings): PublicAddress {
  const url = String(settings.find('serverurl')?.value ?? '').trim();
  if (URL.canParse(url)) {
    const { hostname, href } = new URL(url);
    return { base: href.replace(/\/+$/, ''), hostname, isGuessed: false };
  }
  // Before the settings are there nobody knows whether it is a guess.
  return { base: location.origin, hostname: location.hostname, isGuessed: settings.loaded() };
}
