/**
 * Which player this is: made up anew by every page, so that the server can tell browsers behind one address apart.
 * It names nobody and is stored nowhere.
 */
const BYTES = 8;

// Not `randomUUID`: pages that came over plain HTTP have none.
const bytes = crypto.getRandomValues(new Uint8Array(BYTES));

export const PLAYER_SESSION = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
