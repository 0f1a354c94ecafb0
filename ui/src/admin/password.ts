/** A hint, not a gate: the server decides what it accepts. */

export type Strength = 'short' | 'weak' | 'fair' | 'strong';

/** The server refuses anything shorter. */
export const MIN_PASSWORD_LENGTH = 8;

/** Length counts most; variety and absence of repetition help. */
export function strengthOf(password: string): Strength {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return 'short';
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length;
  const distinct = new Set(password.toLowerCase()).size;
  if (distinct < 5) return 'weak';
  const score = length + kinds * 2;
  if (score < 14) return 'weak';
  return score < 20 ? 'fair' : 'strong';
}
