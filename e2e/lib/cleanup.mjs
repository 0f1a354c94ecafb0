// What a test leaves behind is removed when its process ends, whatever ends it.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chores = new Set();

process.on('exit', () => {
  for (const chore of [...chores].reverse()) {
    try {
      chore();
    } catch (error) {
      process.stderr.write(`cleaning up failed: ${error.message}\n`);
    }
  }
});
// Without a handler these would end the process before the chores are done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** Runs `chore` (synchronous) when the process ends; the returned function takes it back. */
export function atExit(chore) {
  chores.add(chore);
  return () => chores.delete(chore);
}

const lastSteps = new WeakMap();

/** Runs `step` when test `t` has ended, however it ended; the last one given comes first. */
export function afterwards(t, step) {
  const steps = lastSteps.get(t) ?? [];
  if (steps.length === 0) {
    lastSteps.set(t, steps);
    t.after(async () => {
      while (steps.length > 0) await steps.pop()();
    });
  }
  steps.push(step);
}

/** A folder that is gone when test `t` has ended. */
export async function scratchFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'rillcast-e2e-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const forget = atExit(remove);
  afterwards(t, () => {
    remove();
    forget();
  });
  return folder;
}
