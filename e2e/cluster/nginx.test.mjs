// nginx as a cache in front of the stream, with the file that deploy/ has for it.
import { test } from 'node:test';
import { clusterNginx } from '../lib/cluster-proxies.mjs';
import { cachedStream, collapsesEqualReloads, keepsNothingOfTheMoment } from './caches.mjs';

test('a hundred equal blocking reloads through nginx reach the server once, and lists of the moment each time', async (t) => {
  const stream = await cachedStream(t, clusterNginx);
  await collapsesEqualReloads(stream);
  await keepsNothingOfTheMoment(stream);
});
