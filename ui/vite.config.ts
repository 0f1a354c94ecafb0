import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

/** `npm run dev` answers every admin address with the admin shell, and frames with theirs, as the server does. */
function routes(): Plugin {
  return {
    name: 'rillcast-routes',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (request.url === '/admin' || request.url?.startsWith('/admin/')) request.url = '/admin.html';
        if (request.url?.startsWith('/embed/video')) request.url = '/embed.html';
        if (request.url?.startsWith('/embed/chat/')) request.url = '/chat.html';
        next();
      });
    },
  };
}

/**
 * hls.js from its sources, with the one optional part our stream needs: audio in a playlist of its own. The "light"
 * build lacks it, the full build has everything and is 70 KB larger. The names are those of its own build.
 */
const HLS = new URL('node_modules/hls.js/', import.meta.url);
const HLS_PARTS = {
  ALT_AUDIO: true,
  CMCD: false,
  CONTENT_STEERING: false,
  EME_DRM: false,
  IFRAMES: false,
  INTERSTITIALS: false,
  M2TS_ADVANCED_CODECS: false,
  MEDIA_CAPABILITIES: false,
  SUBTITLES: false,
  VARIABLE_SUBSTITUTION: false,
};
// A part that a newer version adds would otherwise be an undefined name in the browser.
const undecided = [...readFileSync(new URL('src/define-plugin.d.ts', HLS), 'utf8').matchAll(/__USE_(\w+)__/g)]
  .map((match) => match[1] ?? '')
  .filter((name) => !(name in HLS_PARTS));
if (undecided.length > 0) throw new Error(`decide on these parts of hls.js: ${undecided.join(', ')}`);
const hlsDefines = {
  __VERSION__: JSON.stringify(JSON.parse(readFileSync(new URL('package.json', HLS), 'utf8')).version),
  __IN_WORKER__: 'false',
  __HLS_WORKER_BUNDLE__: 'undefined',
  ...Object.fromEntries(Object.entries(HLS_PARTS).map(([name, used]) => [`__USE_${name}__`, String(used)])),
};
const hlsAliases = [
  { find: /^hls\.js$/, replacement: fileURLToPath(new URL('src/hls.ts', HLS)) },
  // Only the parts that are off import these.
  { find: /^@svta\/cml-(cmcd|utils)$/, replacement: fileURLToPath(new URL('src/empty-es.js', HLS)) },
];

/** Our stream is MP4, and goes to the browser as it is. What makes MP4 of other containers is a fifth of hls.js. */
function onlyMp4(): Plugin {
  const left = ['./audio/aacdemuxer', './audio/ac3-demuxer', './audio/mp3demuxer', '../demux/tsdemuxer'];
  const others = new Set([...left, '../remux/mp4-remuxer']);
  const nothing = fileURLToPath(new URL('src/viewer/player/no-demuxer.ts', import.meta.url));
  return {
    name: 'rillcast-only-mp4',
    enforce: 'pre',
    resolveId: (source, importer) =>
      importer?.endsWith('/hls.js/src/demux/transmuxer.ts') && others.has(source) ? nothing : undefined,
  };
}

/**
 * The chat in one piece: cut wherever two pages share a module it is more requests and compresses worse.
 * Not in it: what the page needs before it, what the admin pages use, and what is fetched on a press.
 */
function isChatPart(id: string): boolean {
  if (id.endsWith('/src/design/Menu.tsx')) return true;
  const name = /\/src\/viewer\/chat\/([\w-]+)\.tsx?$/.exec(id)?.[1];
  const apart = [
    ...['panel-state', 'rules', 'Body', 'sanitise', 'entry', 'ChatHome'],
    ...['EmojiPicker', 'ModeratorMenu', 'ModeratorDialogs', 'SignInDialog', 'CodeSignIn'],
  ];
  return name !== undefined && !apart.includes(name);
}

/** Small modules compress better together. What every page needs at once is one piece, what dialogs need another. */
const PAGE_PARTS = [
  /\/solid-js\/(?:web\/)?dist\//,
  /preload-helper/,
  /\/src\/(?:api|boot|clock|pictures|poll|storage|theme)\.ts$/,
  /\/src\/i18n\/(?:index|languages|said|format|en)\.ts$/,
  /\/src\/design\/(?:Feedback|Icon|Logo|Preferences|StateTag|Tabs|Water)\.tsx$/,
  /\/src\/viewer\/(?:Actions|RemoteIcon|site|chat\/rules|fediverse\/(?:FollowButton|parts)|share\/ShareButton)\.tsx?$/,
];
const DIALOG_PARTS = [
  /\/src\/design\/(?:Dialog|TextField|toasts)\.tsx$/,
  /\/src\/viewer\/chat\/(?:Body|sanitise)\.tsx?$/,
];
const isAmong = (patterns: RegExp[]) => (id: string) => patterns.some((pattern) => pattern.test(id));

export default defineConfig({
  plugins: [onlyMp4(), solid(), shell(), routes()],
  define: hlsDefines,
  resolve: { alias: hlsAliases },
  build: {
    target: 'es2022',
    manifest: true,
    modulePreload: { polyfill: false },
    // An inlined asset would be a data: URL, which the content security policy refuses for styles and fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'embed.html', 'chat.html', 'admin.html'],
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'page-parts', test: isAmong(PAGE_PARTS) },
            { name: 'dialog-parts', test: isAmong(DIALOG_PARTS) },
            { name: 'chat-parts', test: isChatPart },
          ],
        },
      },
    },
  },
  // CommonJS, and found only when hls.js asks for them.
  optimizeDeps: { include: ['eventemitter3', 'url-toolkit'] },
  server: {
    // `npm run dev` beside a server on its default port.
    proxy: {
      ...Object.fromEntries(
        ['/api', '/logo', '/hls', '/img/emoji', '/plugins', '/styles', '/thumbnail.jpg'].map((path) => [
          path,
          'http://127.0.0.1:8080',
        ]),
      ),
      '/ws': { target: 'ws://127.0.0.1:8080', ws: true },
    },
  },
});
