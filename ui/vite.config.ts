import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

/**
 * Two things Vite cannot be told to do with its own tags:
 * the operator's styles (which the server puts in place of the HEAD comment) must come after ours, and the entry
 * must block the first paint, so that a stored light or dark choice never flashes the other one.
 */
function shell(): Plugin {
  const marker = '<!--__HEAD__-->';
  return {
    name: 'rillcast-shell',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const ordered = html.includes(marker)
          ? html.replace(marker, '').replace('</head>', `  ${marker}\n  </head>`)
          : html;
        return ordered.replace(
          '<script type="module" crossorigin',
          '<script type="module" blocking="render" crossorigin',
        );
      },
    },
  };
}

/** `npm run dev` answers every admin address with the admin shell, as the server does. */
function adminRoutes(): Plugin {
  return {
    name: 'rillcast-admin-routes',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (request.url === '/admin' || request.url?.startsWith('/admin/')) request.url = '/admin.html';
        next();
      });
    },
  };
}

export default defineConfig({
  plugins: [solid(), shell(), adminRoutes()],
  build: {
    target: 'es2022',
    manifest: true,
    modulePreload: { polyfill: false },
    // An inlined asset would be a data: URL, which the content security policy refuses for styles and fonts.
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', 'admin.html'] },
  },
  server: {
    // `npm run dev` beside a server on its default port.
    proxy: { '/api': 'http://127.0.0.1:8080', '/logo': 'http://127.0.0.1:8080', '/hls': 'http://127.0.0.1:8080' },
  },
});
