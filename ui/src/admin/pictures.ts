/** Pictures on their way to the server. Checked here for a fast answer; the server checks again. */
import { ta } from '../i18n/admin.ts';

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** The server refuses anything larger. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Throws with a sentence for the operator. */
export function checkPicture(file: File): void {
  if (!PICTURE_TYPES.includes(file.type)) throw new Error(ta('logo.type'));
  if (file.size > MAX_BYTES) throw new Error(ta('logo.size'));
}

export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(ta('logo.unreadable')));
    reader.readAsDataURL(file);
  });
}
