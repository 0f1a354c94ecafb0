// The service worker of the viewer page. It shows a page of its own when the server cannot be reached, and has the
// files that page and the start of the viewer page need. Everything else goes to the network as if it were not there:
// the API, the stream, the admin pages, plugins.
//
// The server writes the two values. A new version of either is a new worker, which takes over at once and deletes
// what the old one cached; the files have hashes in their names, so an old page never gets a new file.
'use strict';

const CACHE = 'rillcast-__VERSION__';
const ASSETS = __ASSETS__;
const OFFLINE_PAGE = '/offline';

self.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await cache.addAll([new Request(OFFLINE_PAGE, { cache: 'reload' }), ...ASSETS]);
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      const old = names.filter((name) => name.startsWith('rillcast-') && name !== CACHE);
      await Promise.all(old.map((name) => caches.delete(name)));
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && url.pathname === '/') event.respondWith(viewerPage(request));
  else if (ASSETS.includes(url.pathname)) event.respondWith(asset(request));
});

/**
 * The page itself is never cached: what it shows is true for a moment only. Browsers could ask for it before this worker
 * runs (navigation preload), but then they ask for every other page as well, and twice: addresses that are good
 * once, such as the last step of signing in, would be used up by the first of both.
 */
async function viewerPage(request) {
  try {
    return await fetch(request);
  } catch (problem) {
    const page = await fromCache(OFFLINE_PAGE);
    if (!page) throw problem;
    return page;
  }
}

async function asset(request) {
  return (await fromCache(request)) ?? fetch(request);
}

async function fromCache(request) {
  const cache = await caches.open(CACHE);
  return cache.match(request, { ignoreVary: true });
}
