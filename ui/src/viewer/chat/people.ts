/** Who spoke lately, for completing their names. Pure. */
import type { Line } from './lines.ts';

/** More than anybody scrolls through. */
const MOST_PEOPLE = 200;

export class People {
  /** By name, the last to speak at the end. */
  #names = new Map<string, string>();

  hear(lines: readonly Line[]): void {
    for (const { kind, user } of lines) {
      if (!user || (kind !== 'user' && kind !== 'joined' && kind !== 'renamed')) continue;
      this.#names.delete(user.displayName);
      this.#names.set(user.displayName, user.id);
    }
    for (const name of this.#names.keys()) {
      if (this.#names.size <= MOST_PEOPLE) break;
      this.#names.delete(name);
    }
  }

  /** The last to speak first, without oneself. */
  names(ownId: string | undefined): string[] {
    return [...this.#names]
      .filter(([, id]) => id !== ownId)
      .map(([name]) => name)
      .reverse();
  }
}
