/** English: the first run. */
import type { Catalogue } from './index.ts';

export const enAdminSetup = {
  'setup.checking': 'Checking your link…',
  'setup.steps': 'Steps of the setup',
  'setup.step.account': 'Name and password',
  'setup.step.address': 'Address',
  'setup.step.stream': 'First stream',
  'setup.next': 'Next: your first stream',
  'setup.back': 'Back',
  'setup.later': 'Do this later',
  'setup.finish': 'Go to the admin pages',

  'setup.address.title': 'Can viewers reach you?',
  'setup.address.lead': 'Three checks, made from this browser. Nothing here keeps you from going on.',
  'check.title': 'Checks',
  'check.again': 'Check again',
  'check.running': 'Checking…',
  'check.verdict.checking': 'being checked',
  'check.verdict.good': 'fine',
  'check.verdict.warning': 'worth a look',
  'check.verdict.bad': 'does not work',
  'check.address.title': 'Public address',
  'check.address.same': 'You opened this page at {url}, and that is the server URL.',
  'check.address.other': '{url} answers. You opened this page at {here}; viewers use the server URL.',
  'check.address.none': 'No server URL is set. Links in posts and embeds need one.',
  'check.address.none.advice': 'Enter the address in the bar of this browser, if that is the one for your viewers.',
  'check.address.local': 'No server URL is set, and this page is open at an address that works only near the server.',
  'check.address.local.advice':
    'For a stream in your own network that is fine. For the public you need a domain that points to this server; enter it above.',
  'check.address.scheme': 'The server URL is {url}, but you are at {here}.',
  'check.address.scheme.advice': 'Make them the same: use https in the server URL if this page has it.',
  'check.address.unreachable': '{url} does not answer.',
  'check.address.unreachable.advice':
    'Check that the domain points to this server, that the router or firewall lets ports 80 and 443 through, and that the proxy is running.',
  'check.address.another': '{url} answers, but it is not this server.',
  'check.address.another.advice':
    'Check where the domain points to, and that the proxy passes everything on to this server.',
  'check.address.onlyHere': '{url} answers this browser, but the server could not reach it: {reason}.',
  'check.address.onlyHere.advice':
    'Many home routers do not let a server call itself. Open the address on a phone with mobile data: if it answers there, all is well.',
  'check.https.unproven': 'The server URL begins with https, but nothing of this server has answered there yet.',
  'check.https.unproven.advice': 'Mend the public address first, then check again.',
  'check.encryption.title': 'Encryption (https)',
  'check.https.good': 'Viewers come by https. Their browsers trust the connection, and everything works.',
  'check.https.local': 'Not encrypted. On your own machine or network that is fine.',
  'check.https.missing':
    'Not encrypted. Browsers say “not secure”, passwords travel in the open, and the Fediverse and sign-in do not work.',
  'check.https.advice':
    'Put a proxy such as Caddy in front, which gets a certificate by itself, or start the server with --tls-cert and --tls-key.',
  'check.socket.title': 'Chat connection (WebSocket)',
  'check.socket.good': 'A connection to {url} opened. The chat is instant.',
  'check.socket.off': 'The chat is turned off, so there is nothing to check.',
  'check.socket.bad': 'No connection to {url} could be opened. The chat uses a slower way instead.',
  'check.socket.advice':
    'Most often a proxy drops the Upgrade header. These are the lines nginx needs; Caddy needs none.',
  'check.socket.lines': 'Lines for nginx',

  'setup.phone.title': 'See it on your phone',
  'setup.phone.text': 'Point its camera here, or open the page in another tab.',
  'setup.phone.machine':
    'This address works on this machine alone. Enter one above that a phone understands: the domain, or the address of the server in your network.',
  'setup.phone.local': 'The phone has to be in the same network as the server.',
  'setup.phone.code': 'QR code of {url}',

  'setup.stream.title': 'Your first stream',
  'setup.stream.lead': 'Enter two values in your encoder and start. The picture appears below.',
  'setup.obs.title': 'OBS Studio in five steps',
  'setup.obs.other': 'Other programs call the fields the same: server (or URL) and stream key.',
  'setup.obs.1': 'Open Settings, at the bottom right.',
  'setup.obs.2': 'Choose Stream on the left, and Custom… as the service.',
  'setup.obs.3': 'Server: {server}. Copy the stream key from above into the field below it.',
  'setup.obs.4': 'Choose Output: bitrate 4500 kbps, keyframe interval 2 s (in the Advanced mode).',
  'setup.obs.5': 'Press OK, then Start Streaming.',
  'setup.waiting': 'Waiting for your stream…',
  'setup.waiting.text': 'Start streaming, and this place shows what your viewers see.',
  'setup.arrived': 'Your stream is here',
  'setup.picture': 'Your stream as viewers see it',
  'setup.bitrate': 'Arriving',
} satisfies Catalogue;
