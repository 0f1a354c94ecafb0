import { Plugins } from '../src/admin/plugins/Plugins.tsx';
import type { Plugin } from '../src/admin/plugins/wire.ts';
import { navigate, useHistory } from '../src/router.tsx';
import { type Routes, showPage } from './admin-fakes.tsx';

/** A plugin that is installed and off, with what the test is about. */
export function plugin(change: Partial<Plugin> = {}): Plugin {
  return {
    slug: 'echo-bot',
    name: 'Echo Bot',
    version: '1.2.0',
    description: 'Says it again.',
    permissions: ['chat.send'],
    permissionDetails: [permission('chat.send')],
    path: '/data/plugins/echo-bot.ocpkg',
    runtime: 'python',
    enabled: false,
    loaded: false,
    running: false,
    discoveredAt: '2026-01-01T10:00:00Z',
    memoryBytes: 0,
    strikes: 0,
    included: false,
    replacesIncluded: false,
    unfilteredLines: 0,
    droppedEvents: 0,
    callStats: { total: 0, failed: 0, fatal: 0, cpuMicros: 0, medianMicros: 0, p99Micros: 0 },
    ...change,
  };
}

export const running = (change: Partial<Plugin> = {}) =>
  plugin({ enabled: true, loaded: true, running: true, ...change });

/** One that comes with the server. */
export const included = (change: Partial<Plugin> = {}) =>
  plugin({ slug: 'dice', name: 'Dice', description: 'Rolls dice.', path: '', included: true, ...change });

export const permission = (name: string, pending = false) => ({
  name,
  meaning: `what ${name} means`,
  highTrust: name === 'auth.gate',
  pending,
});

export const LIST = 'GET /api/admin/plugins';

/** The page at this address below /admin/plugins, with these plugins installed. */
export function showPlugins(plugins: Plugin[], routes: Routes = {}, address = '') {
  navigate(`/admin/plugins${address}`, 'replace');
  const page = () => {
    useHistory();
    return <Plugins />;
  };
  return showPage(page, { [LIST]: { body: plugins }, ...routes });
}
