// Run by walk/ipv6.test.mjs in a network of its own, where this machine has an address of IPv6 that is not loopback: a
// crowd comes through HAProxy at once. Prints how many of it were answered by the server, with the proxy trusted and not.
import { connect } from 'node:net';
import { afterwards } from './cleanup.mjs';
import { haproxyFor } from './proxies.mjs';
import { startServer } from './server.mjs';

const [address, size] = process.argv.slice(2);

/** Somebody whose request is begun, so that the proxy holds a connection for it. */
function visitor({ http }) {
  const { hostname, port } = new URL(http);
  const socket = connect(Number(port), hostname);
  const head = `POST /api/chat/register HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n`;
  // The server has got it once it asks for the rest, or has answered.
  const begun = new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('end', () => resolve('closed'));
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').split(' ')[1]));
    socket.write(`${head}Expect: 100-continue\r\n\r\n`);
  });
  return { begun, leave: () => socket.destroy() };
}

/** What `after` of a test does, for a script. */
async function story(run) {
  const steps = [];
  try {
    return await run({ after: (step) => steps.push(step) });
  } finally {
    for (const step of steps) await step();
  }
}

const answered = (isTrusted) =>
  story(async (t) => {
    const args = isTrusted ? ['--trusted-proxies', address] : [];
    const server = await startServer({ listen: `[${address}]:0`, args });
    afterwards(t, server.kill);
    const haproxy = await haproxyFor(t, server);
    const crowd = Array.from({ length: Number(size) }, () => visitor(haproxy));
    const codes = await Promise.all(crowd.map(({ begun }) => begun));
    for (const one of crowd) one.leave();
    return codes.reduce((counts, code) => ({ ...counts, [code]: (counts[code] ?? 0) + 1 }), {});
  });

process.stdout.write(JSON.stringify({ trusted: await answered(true), stranger: await answered(false) }));
