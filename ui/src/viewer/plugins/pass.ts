/**
 * Passes: how a plugin's pages know who looks at them. They have no origin and therefore no cookies; the pass stands in
 * the path of a frame, where relative addresses carry it.
 */
import { createSignal, onCleanup, onMount } from 'solid-js';
import { api } from '../../api.ts';
import { readPreference } from '../../storage.ts';
import type { PluginPass } from '../../wire.ts';
import { TOKEN, TOKEN_CHANGED } from '../chat/environment.ts';

/** Well before a pass ends, which is after ten minutes. */
const RENEW_MS = 4 * 60 * 1000;
const RETRY_MS = 5 * 1000;
/** A page that was away for longer than this asks when it is back. */
const FRESH_MS = 30 * 1000;
const BACK = ['focus', 'online', 'pageshow'];
/** The pass of somebody nobody knows. */
const NOBODY = '~';

/** The pass for a plugin's pages for as long as something shows them; nothing until it is known. */
export function createPass(plugin: () => string): () => string | undefined {
  const [pass, setPass] = createSignal<string>();
  let run = 0;
  let askedAt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const renew = async () => {
    run += 1;
    const mine = run;
    askedAt = Date.now();
    clearTimeout(retry);
    const token = readPreference(TOKEN);
    const query = token ? `?${new URLSearchParams({ accessToken: token })}` : '';
    try {
      const path = `/api/plugins/${encodeURIComponent(plugin())}/pass${query}`;
      const given = await api.post<PluginPass>(path, { pass: pass() ?? '' });
      if (mine === run) setPass(given.pass);
    } catch {
      // Without an answer what is shown stays as it is, and is asked for again soon.
      setPass((known) => known ?? NOBODY);
      if (mine === run) retry = setTimeout(renew, RETRY_MS);
    }
  };
  const renewSoon = () => void (document.hidden || Date.now() - askedAt < FRESH_MS || renew());

  onMount(() => {
    void renew();
    const timer = setInterval(renew, RENEW_MS);
    window.addEventListener(TOKEN_CHANGED, renew);
    document.addEventListener('visibilitychange', renewSoon);
    for (const event of BACK) window.addEventListener(event, renewSoon);
    onCleanup(() => {
      clearInterval(timer);
      window.removeEventListener(TOKEN_CHANGED, renew);
      clearTimeout(retry);
      run += 1;
      document.removeEventListener('visibilitychange', renewSoon);
      for (const event of BACK) window.removeEventListener(event, renewSoon);
    });
  });
  return pass;
}

/** Where the pages of a plugin are for whoever has this pass. */
export const homeOf = (plugin: string, pass: string): string => `/plugins/${plugin}/${pass}/`;

/** Which plugin an address of this server leads to, and where there; nothing for any other address. */
export function pluginPage(url: string): { plugin: string; path: string } | undefined {
  const { origin, pathname, search, hash } = new URL(url, location.href);
  const [, plugin, path] = /^\/plugins\/([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
  if (origin !== location.origin || !plugin) return;
  return { plugin, path: `${path ?? ''}${search}${hash}` };
}
