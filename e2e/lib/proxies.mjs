// Real proxies with the configuration that docs/operations.md tells operators to use, word for word.
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterwards, atExit, scratchFolder } from './cleanup.mjs';
import { eventually } from './eventually.mjs';

const GUIDE = new URL('../../docs/operations.md', import.meta.url);
const UPSTREAM = '127.0.0.1:8080';

/** The blocks of the guide in a language, in their order. */
async function blocks(language) {
  const guide = await readFile(GUIDE, 'utf8');
  const found = guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
  return Array.from(found, ([, text]) => text);
}

/** Replaces what stands for the operator's own things; each has to be there. */
export function adapted(text, changes, where = 'docs/operations.md') {
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${where} does not say ${from} any more`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** nginx as a cache in front of `server`, until test `t` has ended: `{ http }`. */
export async function cachingNginx(t, server) {
  const folder = await scratchFolder(t);
  const [cache, site] = await blocks('nginx');
  const [zone, location] = cache.split('# in server { … }\n');
  const port = await freePort();
  const upstream = [UPSTREAM, new URL(server.http).host];
  const plain = withoutTls(adapted(site, [['listen 443 ssl;', `listen 127.0.0.1:${port};`], upstream]));
  const text = `${adapted(zone, [['/var/cache/nginx/rillcast', join(folder, 'cache')]])}
${plain.replace(/\}\s*$/, `${adapted(location, [upstream])}}`)}`;
  return nginx(t, folder, text, port);
}

/** A site of nginx without its certificates. */
export const withoutTls = (site) => site.replaceAll(/^ *ssl_certificate.*\n/gm, '');

/** nginx with what stands in `http { … }`, until test `t` has ended: `{ http }`. A cache may lie in `cache` of the folder. */
export async function nginx(t, folder, text, port) {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const own = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  // Started by root its workers would be somebody else, who may not enter the folder.
  const user = process.getuid() === 0 ? 'user root;' : '';
  const whole = `${user} daemon off; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
access_log off;
${own}
${text}
}`;
  await mkdir(join(folder, 'cache'));
  await writeFile(join(folder, 'nginx.conf'), whole);
  return started(t, 'nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], port);
}

/** HAProxy in front of `server`, until test `t` has ended: `{ http }`. */
export async function haproxyFor(t, server) {
  const folder = await scratchFolder(t);
  const [guide] = await blocks('haproxy');
  const port = await freePort();
  const text = adapted(guide, [
    ['bind :443 ssl crt /etc/haproxy/live.example.org.pem alpn h2,http/1.1', `bind 127.0.0.1:${port}`],
    [UPSTREAM, new URL(server.http).host],
  ]);
  await writeFile(join(folder, 'haproxy.cfg'), text);
  return started(t, 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], port);
}

/** A proxy that listens on a port, until test `t` has ended: `{ http }`, once the server behind it answers. */
export async function started(t, program, args, port) {
  // Debian has both where only root looks.
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const child = spawn(program, args, { env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(`it ended with ${code}`));
  });
  let end;
  ended.then((how) => (end = how));
  const forget = atExit(() => child.kill('SIGKILL'));
  afterwards(t, async () => {
    child.kill('SIGTERM');
    await ended;
    forget();
  });
  const http = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${http}/healthz`)).status === 200;
  await eventually(answers, { giveUp: () => end !== undefined }).catch((error) => {
    throw new Error(`${program} does not serve: ${end ?? error.message}\n${output}`);
  });
  return { http };
}

/** A port that nobody has. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
