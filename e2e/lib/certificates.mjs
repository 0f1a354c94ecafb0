// Self-signed certificates for 127.0.0.1 by the openssl command, and what a server presents.
import { join } from 'node:path';
import { connect } from 'node:tls';
import { tool } from './command.mjs';

/** Makes a pair in `folder`; `name` goes into the subject and the file names. */
export async function makePair(folder, name) {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  await tool('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
    ...['-keyout', key, '-out', cert],
  ]);
  return { cert, key };
}

/** The subject of the certificate a server presents now, and the protocol it chose among `offers`. */
export function presented(server, offers = ['http/1.1']) {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(server.http);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: offers }, () => {
      resolve({ name: socket.getPeerCertificate().subject.CN, protocol: socket.alpnProtocol });
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
