// A start that must not succeed: one clear line, a failing exit code, nothing else.
import assert from 'node:assert/strict';
import { rillcast } from './command.mjs';

/** Ports the system chooses, so that a start fails for the reason under test and no other. */
export const FREE_PORTS = ['--listen', '127.0.0.1:0', '--rtmp-listen', '127.0.0.1:0'];

/** Runs the binary, which must refuse, and returns the one line it says. */
export async function refusal(args, options) {
  const { code, stdout, stderr } = await rillcast(args, options);
  assert.notEqual(code, 0, `it did not refuse: ${stdout}`);
  assert.notEqual(code, null, `it was killed: ${stderr}`);
  assert.equal(stdout, '');
  const lines = stderr.trimEnd().split('\n');
  assert.equal(lines.length, 1, `more than one line:\n${stderr}`);
  assert.match(lines[0], /^rillcast: /);
  return lines[0];
}

/** Asserts that a line names every one of `things`. */
export function names(line, ...things) {
  for (const thing of things)
    assert.ok(line.includes(thing), `${JSON.stringify(line)} does not say ${JSON.stringify(thing)}`);
}
