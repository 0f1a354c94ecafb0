import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AddressCheck,
  checkAddress,
  checkEncryption,
  checkSocket,
  isLocalHost,
  type Place,
  type Probes,
} from '../src/admin/setup/checks.ts';
import { arrivalFacts, ingestAddress } from '../src/admin/setup/StreamStep.tsx';
import { stepOf } from '../src/admin/setup/steps.ts';
import { Wizard } from '../src/admin/setup/Wizard.tsx';
import type { AdminStream } from '../src/wire.ts';
import { answerWith, setting, speakEnglish } from './helpers.ts';

beforeEach(async () => {
  localStorage.clear();
  await speakEnglish();
});
afterEach(cleanup);

const place = (address: string): Place => {
  const { origin, protocol, host, hostname } = new URL(address);
  return { origin, protocol, host, hostname };
};
const HOME = place('https://live.example.org');
const LOCAL = place('http://127.0.0.1:8080');

/** A network on which only what is listed answers. */
function network(...answering: string[]): Probes & { asked: string[] } {
  const asked: string[] = [];
  const ask = async (url: string) => {
    asked.push(url.replace(/\?.*/, ''));
    return answering.some((one) => url.startsWith(one));
  };
  return { asked, opensSocket: ask, loadsPicture: ask, asksServer: async () => undefined };
}

/** The same, where the server itself finds this at its address. */
const seenByServer = (outcome: AddressCheck['outcome'], ...answering: string[]) => ({
  ...network(...answering),
  asksServer: async () => ({ outcome, reason: outcome === 'silent' ? 'no connection' : '' }),
});

describe('the public address', () => {
  test('is right where this page is at it', async () => {
    const probes = network();
    expect((await checkAddress('https://live.example.org', HOME, probes)).verdict).toBe('good');
    expect(probes.asked).toEqual([]);
  });

  test('is missing, with another advice near the server than on a domain', async () => {
    expect((await checkAddress('', HOME, network())).text).toBe('check.address.none');
    expect((await checkAddress('', LOCAL, network())).text).toBe('check.address.local');
  });

  test('is asked for where this page is elsewhere', async () => {
    const answering = network('https://live.example.org/logo');
    expect((await checkAddress('https://live.example.org', LOCAL, answering)).verdict).toBe('good');
    const silent = network();
    expect((await checkAddress('https://live.example.org', LOCAL, silent)).verdict).toBe('bad');
    expect(silent.asked).toEqual(['https://live.example.org/logo']);
    const plain = network('ws://live.example.org/ws');
    expect((await checkAddress('http://live.example.org', LOCAL, plain)).verdict).toBe('good');
  });

  test('is good only if this server is behind it', async () => {
    const url = 'https://live.example.org';
    const picture = `${url}/logo`;
    expect((await checkAddress(url, LOCAL, seenByServer('reached'))).verdict).toBe('good');
    expect((await checkAddress(url, LOCAL, seenByServer('another', picture))).text).toBe('check.address.another');
    expect((await checkAddress(url, HOME, seenByServer('another'))).verdict).toBe('bad');
    expect((await checkAddress(url, LOCAL, seenByServer('silent'))).verdict).toBe('bad');
  });

  test('that answers only here is worth a look, with the reason', async () => {
    const url = 'https://live.example.org';
    for (const here of [HOME, LOCAL]) {
      const finding = await checkAddress(url, here, seenByServer('silent', `${url}/logo`));
      expect([finding.verdict, finding.params?.reason]).toEqual(['warning', 'no connection']);
    }
    expect((await checkAddress(url, HOME, seenByServer('unasked'))).verdict).toBe('good');
  });

  test('with the other scheme is worth a look', async () => {
    const finding = await checkAddress('http://live.example.org', HOME, network());
    expect(finding.text).toBe('check.address.scheme');
  });
});

test.each([
  ['https://live.example.org', HOME, 'good'],
  ['', HOME, 'good'],
  ['', LOCAL, 'warning'],
  ['http://studio.lan', LOCAL, 'warning'],
  ['http://live.example.org', LOCAL, 'bad'],
] as const)('the encryption of %j is %s', (url, from, verdict) => {
  expect(checkEncryption(url, from).verdict).toBe(verdict);
});

test('an https address at which nothing answers encrypts nothing', () => {
  expect(checkEncryption('https://live.example.org', LOCAL, 'bad').text).toBe('check.https.unproven');
});

describe('the chat’s connection', () => {
  test('is opened where viewers open it', async () => {
    const probes = network('wss://live.example.org/ws');
    expect((await checkSocket('https://live.example.org', LOCAL, false, probes)).verdict).toBe('good');
    expect((await checkSocket('https://live.example.org', LOCAL, false, network())).verdict).toBe('bad');
  });

  test('is opened here where an encrypted page may not go there', async () => {
    const probes = network('wss://live.example.org/ws');
    expect((await checkSocket('http://live.example.org', HOME, false, probes)).verdict).toBe('good');
  });

  test('is left alone while the chat is off', async () => {
    const probes = network();
    expect((await checkSocket('', HOME, true, probes)).text).toBe('check.socket.off');
    expect(probes.asked).toEqual([]);
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['192.168.1.20', true],
  ['172.20.0.3', true],
  ['[::1]', true],
  ['[fd00::1]', true],
  ['studio.local', true],
  ['172.32.0.1', false],
  ['8.8.8.8', false],
  ['[2001:db8::1]', false],
  ['live.example.org', false],
])('%s is local: %s', (hostname, local) => {
  expect(isLocalHost(hostname)).toBe(local);
});

test('the server of the broadcasting program has the public host and only an unusual port', () => {
  expect(ingestAddress('https://live.example.org', LOCAL, 1935)).toBe('rtmp://live.example.org/live');
  expect(ingestAddress('', LOCAL, 1936)).toBe('rtmp://127.0.0.1:1936/live');
});

const offline: AdminStream = {
  state: 'offline',
  session: null,
  video: null,
  audio: null,
  publisher: null,
  output: null,
  inbound: { keyframeSeconds: null, samples: [] },
  diagnosis: [],
};

test('what arrives is told by bitrate and keyframe interval', () => {
  const samples = [{ at: '2026-01-02T12:00:00Z', kbps: 4500 }] as AdminStream['inbound']['samples'];
  const facts = arrivalFacts({ ...offline, inbound: { keyframeSeconds: 2, samples } });
  expect(facts.map(({ value }) => value)).toEqual(['4.5 Mbit/s', 'every 2\u00a0s']);
});

describe('the steps', () => {
  function show(step: 'address' | 'stream', state: AdminStream['state'] = 'offline', more: Partial<AdminStream> = {}) {
    const routes = {
      'GET /api/admin/settings': {
        body: { settings: [setting({ key: 'server_url', path: 'serverurl', kind: 'url', value: '' })] },
      },
      'GET /api/config': { body: { chatDisabled: true } },
      'GET /api/admin/serverconfig': { body: { streamKeys: [{ key: 'k-1', comment: '' }], rtmpServerPort: 1935 } },
      'GET /api/admin/stream': { body: { ...offline, ...more, state } },
    };
    vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
    return render(() => <Wizard step={step} />);
  }

  test('a reload and the link itself lead to the step one was at', async () => {
    expect(stepOf('setup')).toBe('address');
    expect(stepOf('config/general')).toBeUndefined();
    show('stream');
    expect(stepOf('setup')).toBe('stream');
    fireEvent.click(await screen.findByText('Do this later'));
    expect(stepOf('setup')).toBe('address');
    expect(location.pathname).toBe('/admin/');
  });

  test('the checks come with what to do, and no phone is sent to itself', async () => {
    const { container } = show('address');
    await screen.findByText(/The chat is turned off/);
    await screen.findByText(/you need a domain that points to this server/);
    const verdicts = [...container.querySelectorAll('.setup-check')].map((row) => row.getAttribute('data-verdict'));
    expect(verdicts).toEqual(['warning', 'warning', 'warning']);
    expect(screen.queryByRole('img', { name: /QR code/ }), 'localhost is another machine on a phone').toBeNull();
    await screen.findByText(/This address works on this machine alone/);
  });

  test('the place of the waiting shows the stream once it is there', async () => {
    const { container } = show('stream', 'live');
    await screen.findByText('Your stream is here');
    expect(container.querySelector('iframe')?.getAttribute('src')).toBe(
      '/embed/video?initiallyMuted=true&preview=true',
    );
    expect(container.querySelectorAll('.obs-steps li')).toHaveLength(5);
    expect(container.textContent).toContain('Server: rtmp://localhost/live');
  });

  test('whoever tries a wrong key is told while they wait', async () => {
    const wrongKeyAt = new Date().toISOString();
    show('stream', 'offline', { wrongKeyAt });
    expect(await screen.findByText(/tried to stream with a wrong stream key/)).toBeTruthy();
  });

  test('a wrong key of yesterday is forgotten', async () => {
    show('stream', 'offline', { wrongKeyAt: '2020-01-02T12:00:00Z' });
    await screen.findByText('Waiting for your stream…');
    expect(screen.queryByText(/wrong stream key/)).toBeNull();
  });

  test('the end of the setup begins the admin pages at their top', async () => {
    const scrolled = vi.spyOn(window, 'scrollTo').mockImplementation(() => {});
    show('stream');
    fireEvent.click(await screen.findByText('Do this later'));
    expect(scrolled).toHaveBeenCalledWith(0, 0);
  });

  test('nothing is played before', async () => {
    const { container } = show('stream');
    await screen.findByText('Waiting for your stream…');
    expect(container.querySelector('iframe')).toBeNull();
  });
});
