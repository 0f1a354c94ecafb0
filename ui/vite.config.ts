import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { hlsAliases, hlsDefines, playerParts } from './hls-build.ts';

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
 * The chat in one piece: cut wherever two pages share a module it is more requests and compresses worse.
 * Not in it: what the page needs before it, what the admin pages use, and what is fetched on a press.
 */
function isChatPart(id: string): boolean {
  if (id.endsWith('/src/design/Menu.tsx')) return true;
  const name = /\/src\/viewer\/chat\/([\w-]+)\.tsx?$/.exec(id)?.[1];
  const apart = [
    ...['panel-state', 'rules', 'Body', 'sanitise', 'entry', 'ChatHome'],
    ...['EmojiPicker', 'ModeratorMenu', 'ModeratorDialogs', 'SignInDialog', 'CodeSignIn'],
    ...['NameDialog', 'OwnLineMenu', 'PinnedMessage', 'pins', 'attempt'],
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
const DIALOG_PARTS = [/\/src\/design\/toasts\.tsx$/, /\/src\/viewer\/chat\/(?:Body|sanitise)\.tsx?$/];
/** What the viewer page has in common with the pages of past streams, and not with frames and chats. */
const VIEWER_PARTS = [
  /\/src\/design\/CorrectionNote\.tsx$/,
  /\/src\/viewer\/(?:Frame|theatre|chat\/panel-state)\.tsx?$/,
];
/** Which page it is. */
const ROUTE_PARTS = [/\/src\/viewer\/videos\/(?:route|lazy-parts)\.tsx?$/];
/** What all that shows past streams has in common. */
const VIDEO_PARTS = [
  /\/src\/viewer\/videos\/(?:texts|times|address|VideoCard|LiveHint)\.tsx?$/,
  /\/i18n\/en\.videos\.ts$/,
];
/** Needed only when a dialog is opened. */
const DIALOG_FRAME = [/\/src\/design\/(?:CopyField|Dialog|TextField)\.tsx$/, /\/src\/viewer\/share\/codes\.ts$/];
const isAmong = (patterns: RegExp[]) => (id: string) => patterns.some((pattern) => pattern.test(id));

export default defineConfig({
  plugins: [playerParts(), solid(), shell(), routes()],
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
            { name: 'viewer-parts', test: isAmong(VIEWER_PARTS) },
            { name: 'route-parts', test: isAmong(ROUTE_PARTS) },
            { name: 'video-parts', test: isAmong(VIDEO_PARTS) },
            { name: 'dialog-parts', test: isAmong(DIALOG_PARTS) },
            { name: 'dialog-frame', test: isAmong(DIALOG_FRAME) },
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
