// What is in a folder, so that a test can say that nothing changed; and small disks that can be full or read-only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterwards, atExit } from './cleanup.mjs';
import { tool } from './command.mjs';

/**
 * Every file below `folder` with its mode and a hash of its content.
 * Left out is what says nothing about the data: the empty lock, an empty log of SQLite's and the index into its log.
 */
export async function picture(folder) {
  const names = await readdir(folder, { recursive: true });
  const entries = [];
  for (const name of names.sort()) {
    const path = join(folder, name);
    const about = await stat(path);
    const isEmptyLog = name.endsWith('-wal') && about.size === 0;
    if (!about.isFile() || name === 'lock' || name.endsWith('-shm') || isEmptyLog) continue;
    const hash = createHash('sha256').update(await readFile(path));
    entries.push(`${name} ${(about.mode & 0o777).toString(8)} ${about.size} ${hash.digest('hex').slice(0, 16)}`);
  }
  return entries;
}

/** Why there can be no small disk here, or false. */
export const NO_DISKS = process.getuid() === 0 ? false : 'mounting a small disk needs root';

/** A small disk at `path` (a tmpfs), unmounted when test `t` has ended. */
export async function smallDisk(t, path, megabytes) {
  mkdirSync(path, { recursive: true });
  await tool('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'rillcast-e2e', path]);
  // Lazily: a process that is still there must not keep the mount in the list.
  const unmount = () => spawnSync('umount', ['-l', path]);
  const forget = atExit(unmount);
  afterwards(t, () => {
    unmount();
    forget();
  });
  const ballast = join(path, 'ballast');
  return {
    remount: (mode) => tool('mount', ['-o', `remount,${mode}`, path]),
    fill: () => fill(ballast),
    makeRoom: () => rm(ballast),
  };
}

/** To the last block. */
async function fill(path) {
  const block = Buffer.alloc(4096, 1);
  const chunk = Buffer.alloc(1 << 20, 1);
  for (const piece of [chunk, block]) {
    for (;;) {
      try {
        await writeFile(path, piece, { flag: 'a' });
      } catch (error) {
        if (error.code === 'ENOSPC') break;
        throw error;
      }
    }
  }
}
