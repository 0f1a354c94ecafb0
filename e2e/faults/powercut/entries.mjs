// The entries of a ledger: what the server promised, in a file that it knows nothing of.
import { openSync, readFileSync, writeSync } from 'node:fs';

/** One entry in each line, as words. It is in the file before anything else happens. */
export class Entries {
  constructor(path) {
    this.path = path;
    this.descriptor = openSync(path, 'a');
  }

  add(...words) {
    writeSync(this.descriptor, `${words.join(' ')}\n`);
  }

  all() {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => line.split(' '));
  }
}
