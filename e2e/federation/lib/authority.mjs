// A certificate authority of a test: what it signs is trusted by those who are told of it, and by nobody else.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tool } from '../../lib/command.mjs';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** In `folder`: `{ file, pem, issue }`; `issue(host)` makes `{ cert, key }`, paths of files. */
export async function makeAuthority(folder) {
  const [file, key] = [join(folder, 'authority.crt'), join(folder, 'authority.key')];
  await tool('openssl', [
    ...['req', '-x509', ...EC_KEY, '-days', '2', '-subj', '/CN=authority of a test'],
    ...['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'],
    ...['-keyout', key, '-out', file],
  ]);
  const issue = async (host) => {
    const path = (kind) => join(folder, `${host}.${kind}`);
    await tool('openssl', ['req', ...EC_KEY, '-subj', `/CN=${host}`, '-keyout', path('key'), '-out', path('csr')]);
    await writeFile(path('ext'), `subjectAltName=DNS:${host}\nbasicConstraints=critical,CA:FALSE\n`);
    await tool('openssl', [
      ...['x509', '-req', '-in', path('csr'), '-CA', file, '-CAkey', key, '-CAcreateserial', '-days', '2'],
      ...['-extfile', path('ext'), '-out', path('crt')],
    ]);
    return { cert: path('crt'), key: path('key') };
  };
  return { file, pem: await readFile(file, 'utf8'), issue };
}
