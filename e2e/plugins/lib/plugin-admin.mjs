// The operator's plugins, over the admin API with a session: a password would be verified anew at each call.
import { eventually } from '../../lib/eventually.mjs';

/** A plugin may need several seconds to be refused, and the machine may be busy. */
const PATIENCE_MS = 30_000;

/** @param {{cookie: string}} admin what `setUp` returned */
export function pluginAdminOf(server, admin) {
  const ask = async (method, path, body) => {
    const headers = { Cookie: admin.cookie, 'X-Rillcast-CSRF': '1' };
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    const response = await fetch(server.http + path, { method, headers, body });
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) };
  };
  const list = async () => (await ask('GET', '/api/admin/plugins')).json();
  const entry = async (slug) => (await list()).find((one) => one.slug === slug);
  const tell = (slug, action) => ask('POST', `/api/admin/plugins/${slug}/${action}`);
  const must = async (answer) => {
    const { status, text } = await answer;
    if (status !== 200) throw new Error(`it was refused: ${status} ${text}`);
  };
  const upload = (bytes, name = 'any.ocpkg') => {
    const form = new FormData();
    form.append('plugin', new Blob([bytes]), name);
    return ask('POST', '/api/admin/plugins', form);
  };
  return {
    list,
    /** The plugin as the list has it; undefined when there is none. */
    entry,
    upload,
    tell,
    install: async (slug, bytes) => {
      await must(upload(bytes));
      await must(tell(slug, 'enable'));
    },
    reload: (slug) => must(tell(slug, 'reload')),
    disable: (slug) => must(tell(slug, 'disable')),
    remove: (slug) => must(tell(slug, 'uninstall')),
    configure: (slug, values) => must(ask('POST', `/api/admin/plugins/${slug}/config`, JSON.stringify(values))),
    /** What a plugin that keeps the gate has behind it. */
    guard: (slug, accessMode) =>
      must(ask('POST', `/api/admin/plugins/${slug}/auth-settings`, JSON.stringify({ accessMode }))),
    /** The newest lines of the log that this plugin caused. */
    logs: async (slug) => {
      const lines = (await ask('GET', '/api/admin/logs')).json().map(({ message }) => message);
      return lines.filter((line) => line.includes(`plugin=${slug}`) || line.includes(`plugin="${slug}"`));
    },
    /** The newest lines of the log that the server wrote for itself. */
    serverLogs: async () =>
      (await ask('GET', '/api/admin/logs'))
        .json()
        .map(({ time, message }) => `${time} ${message}`)
        .filter((line) => !line.includes('plugin=')),
    /**
     * Does `act`, which ends the plugin, until it was ended so many times. What happens while it starts again is lost to
     * it, and its end is counted before its state says so.
     */
    untilEnded: (slug, times, act) =>
      eventually(async () => {
        const { running, callStats } = await entry(slug);
        if (callStats.fatal >= times) return true;
        if (running) await act();
        return false;
      }),
    /** Waits until the entry meets `wanted`; the error shows how it was instead. */
    until: (slug, wanted) => {
      let last;
      const attempt = async () => {
        last = await entry(slug);
        return last && wanted(last) ? last : undefined;
      };
      return eventually(attempt, { deadlineMs: PATIENCE_MS }).catch(() => {
        const { running, autoDisabled, lastError, callStats, strikes } = last ?? {};
        const shown = JSON.stringify({ running, autoDisabled, lastError, callStats, strikes });
        throw new Error(`${slug} is not as expected (${wanted}): ${shown.slice(0, 2000)}`);
      });
    },
  };
}
