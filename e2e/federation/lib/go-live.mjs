// Small things the tests about several servers share.
import { publisherFor } from '../../lib/publisher.mjs';
import { untilState } from '../../lib/broadcast.mjs';

/** Goes live; `stop` ends it as an encoder's stop button does. */
export async function goLive(t, server) {
  const publisher = publisherFor(t, server);
  await untilState(server, 'live');
  return publisher;
}
