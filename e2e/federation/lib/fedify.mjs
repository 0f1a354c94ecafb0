// An account on a server made with Fedify, as others make theirs (Ghost, Hollo): it looks up, signs, verifies and reads
// with Fedify's own code alone.
import './transfer.mjs';
import { Readable } from 'node:stream';
import {
  Activity,
  createFederation,
  exportJwk,
  generateCryptoKeyPair,
  importJwk,
  MemoryKvStore,
  Person,
} from '@fedify/fedify';
import { eventually } from '../../lib/eventually.mjs';
import { ARRIVAL_MS } from './operator.mjs';

const NAME = 'frieda';

/**
 * At `host` of a world.
 * @param {{firstKnock?: string}} options the scheme it signs with first; the other one follows when that is refused.
 */
export async function fedifyFor(world, host, { firstKnock } = {}) {
  // Nothing but these tests has to be private here.
  const federation = createFederation({ kv: new MemoryKvStore(), allowPrivateAddress: true, firstKnock });
  const pair = await generateCryptoKeyPair('RSASSA-PKCS1-v1_5');
  const keys = {
    publicKey: await importJwk(await exportJwk(pair.publicKey), 'public'),
    privateKey: await importJwk(await exportJwk(pair.privateKey), 'private'),
  };
  const [received, statuses, failures] = [[], [], []];

  federation
    .setActorDispatcher('/people/{identifier}', async (context, identifier) => {
      if (identifier !== NAME) return null;
      const [key] = await context.getActorKeyPairs(identifier);
      return new Person({
        id: context.getActorUri(identifier),
        preferredUsername: identifier,
        name: 'Frieda of Fedify',
        inbox: context.getInboxUri(identifier),
        publicKey: key.cryptographicKey,
      });
    })
    .setKeyPairsDispatcher(async () => [keys]);
  federation
    .setInboxListeners('/people/{identifier}/inbox', '/inbox')
    // Without a queue this runs before the answer, and after the signature was found good.
    .on(Activity, (_context, activity) => void received.push(activity))
    .onError((_context, error) => void failures.push(error));

  const server = await world.serve(host, async (incoming, outgoing) => {
    try {
      const request = new Request(`https://${host}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        ...(incoming.method === 'POST' && { body: Readable.toWeb(incoming), duplex: 'half' }),
      });
      const response = await federation.fetch(request, { contextData: undefined });
      if (incoming.method === 'POST') statuses.push(response.status);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    } catch (error) {
      failures.push(error);
      outgoing.writeHead(500).end();
    }
  });

  const context = federation.createContext(new URL(`https://${host}`), undefined);
  const id = context.getActorUri(NAME);
  return {
    id,
    server,
    context,
    /** Activities whose signature Fedify found good, oldest first. */
    received,
    /** What deliveries to it were answered with. */
    statuses,
    failures,
    /** Signs and delivers; throws when the other side does not take it. */
    send: (recipient, activity) => context.sendActivity({ identifier: NAME }, recipient, activity, { immediate: true }),
    /** The address of a new thing of this account's. */
    mint: (kind) => new URL(`https://${host}/${kind}/${crypto.randomUUID()}`),
    hears: (Type, wanted = async () => true) =>
      eventually(
        async () => {
          for (const activity of received) if (activity instanceof Type && (await wanted(activity))) return activity;
          const heard = received.map((one) => one.constructor.name).join(', ');
          throw new Error(
            `${host} hears no ${Type.name}: [${heard}], ${statuses}, ${failures.map(({ message }) => message)}`,
          );
        },
        { deadlineMs: ARRIVAL_MS },
      ),
  };
}
