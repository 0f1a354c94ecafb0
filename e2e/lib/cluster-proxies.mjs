// Real proxies with the files that deploy/ has for several machines, word for word but for the addresses.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterwards, scratchFolder } from './cleanup.mjs';
import { adapted, freePort, nginx, started, withoutTls } from './proxies.mjs';

const hostOf = (server) => new URL(server.http).host;
const fileOf = (name) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

/** nginx as a cache in front of machines, until test `t` has ended: `{ http }`. */
export async function clusterNginx(t, [left, right]) {
  const folder = await scratchFolder(t);
  const name = 'nginx-cluster.conf';
  const port = await freePort();
  const changes = [
    ['/var/cache/nginx/rillcast', join(folder, 'cache')],
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    ['10.0.0.11:8080', hostOf(left)],
    ['10.0.0.12:8080', hostOf(right)],
  ];
  return nginx(t, folder, withoutTls(adapted(await fileOf(name), changes, name)), port);
}

/** HAProxy in front of machines, until test `t` has ended: `{ http, rtmp }`. */
export async function clusterHaproxy(t, [left, right]) {
  const folder = await scratchFolder(t);
  const name = 'haproxy-cluster.cfg';
  const [port, rtmpPort] = [await freePort(), await freePort()];
  const rtmpLine = (server) => `${new URL(server.rtmp).host} port ${new URL(server.http).port}`;
  const text = adapted(
    await fileOf(name),
    [
      ['bind :443 ssl crt /etc/haproxy/live.example.org.pem alpn h2,http/1.1', `bind 127.0.0.1:${port}`],
      ['bind :1935', `bind 127.0.0.1:${rtmpPort}`],
      ['check port 8080 inter', 'check inter'],
      ['10.0.0.11:8080', hostOf(left)],
      ['10.0.0.12:8080', hostOf(right)],
      ['10.0.0.11:1935', rtmpLine(left)],
      ['10.0.0.12:1935', rtmpLine(right)],
    ],
    name,
  );
  await writeFile(join(folder, 'haproxy.cfg'), text);
  const haproxy = await started(t, 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], port);
  return { ...haproxy, rtmp: `rtmp://127.0.0.1:${rtmpPort}` };
}

/** Varnish as a cache in front of machines, until test `t` has ended: `{ http }`. */
export async function clusterVarnish(t, [left, right]) {
  const folder = await scratchFolder(t);
  const name = 'varnish-cluster.vcl';
  const port = await freePort();
  const host = (server) => new URL(server.http).hostname;
  const portOf = (server) => new URL(server.http).port;
  const text = adapted(
    await fileOf(name),
    [
      ['.host = "10.0.0.11";\n    .port = "8080";', `.host = "${host(left)}";\n    .port = "${portOf(left)}";`],
      ['.host = "10.0.0.12";\n    .port = "8080";', `.host = "${host(right)}";\n    .port = "${portOf(right)}";`],
    ],
    name,
  );
  await writeFile(join(folder, 'cluster.vcl'), text);
  const args = ['-F', '-n', join(folder, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', join(folder, 'cluster.vcl')];
  // Without a jail: the folder is that of whoever runs the test.
  return started(t, 'varnishd', [...args, '-j', 'none', '-s', 'malloc,64m'], port);
}

/**
 * Passes every request on to `server` and counts them, until test `t` has ended:
 * `{ http, rtmp, count(path), underWay(path) }`. The path is with its query; `underWay` have no answer yet.
 */
export async function countingProxy(t, server) {
  const counted = new Map();
  const waiting = new Map();
  const add = (counts, path, number) => counts.set(path, (counts.get(path) ?? 0) + number);
  const { hostname, port } = new URL(server.http);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    add(counted, path, 1);
    add(waiting, path, 1);
    const upstream = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      add(waiting, path, -1);
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  afterwards(t, async () => {
    const closed = new Promise((resolve) => proxy.close(resolve));
    proxy.closeAllConnections();
    await closed;
  });
  const get = (counts) => (path) => counts.get(path) ?? 0;
  const http = `http://127.0.0.1:${proxy.address().port}`;
  return { http, rtmp: server.rtmp, count: get(counted), underWay: get(waiting) };
}
