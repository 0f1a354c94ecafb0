import { ownPicture } from '../pictures.ts';

/** Puts the operator's picture behind the offline message, or takes it away. */
export function showPicture(banner: HTMLElement | undefined, address: string | undefined): void {
  const own = ownPicture(address);
  if (banner && own) {
    banner.dataset.picture = '';
    banner.style.setProperty('--offline-picture', `url("${encodeURI(own)}")`);
  } else if (banner) {
    delete banner.dataset.picture;
    banner.style.removeProperty('--offline-picture');
  }
}
