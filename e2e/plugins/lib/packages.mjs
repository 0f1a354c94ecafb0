// Makes packages: of a few lines of Python, or of a plugin in the repository.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zip } from './zip.mjs';

const EXAMPLES = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'plugins');

/** The entries of a package; `manifest` needs a slug and what differs from the usual. */
export function entriesOf(manifest, code, files = {}) {
  const whole = { api: '1', name: manifest.slug, version: '1.0.0', ...manifest };
  return [
    { name: 'plugin.manifest.json', content: JSON.stringify(whole) },
    { name: 'plugin.py', content: code },
    ...Object.entries(files).map(([name, content]) => ({ name, content })),
  ];
}

export const packageOf = (manifest, code, files) => zip(entriesOf(manifest, code, files));

/** An example of the repository as its author would package it. */
export function exampleOf(name) {
  const folder = join(EXAMPLES, name);
  const entry = (file, path) => ({ name: file, content: readFileSync(join(folder, path)) });
  const extras = ['icon.png', 'INSTRUCTIONS.md', 'public', 'assets'].flatMap((top) => filesBelow(folder, top));
  return zip([
    entry('plugin.manifest.json', 'plugin.manifest.json'),
    entry('plugin.py', join('src', 'plugin.py')),
    ...extras.map((file) => entry(file, file)),
  ]);
}

function filesBelow(folder, path) {
  const facts = statSync(join(folder, path), { throwIfNoEntry: false });
  if (!facts?.isDirectory()) return facts ? [path] : [];
  return readdirSync(join(folder, path)).flatMap((name) => filesBelow(folder, `${path}/${name}`));
}

/** A file as Playwright's file chooser takes it. */
export const fileOf = (name, buffer) => ({ name: `${name}.ocpkg`, mimeType: 'application/octet-stream', buffer });
