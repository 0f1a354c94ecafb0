import { render } from '@solidjs/testing-library';
import type { JSX } from 'solid-js';
import { vi } from 'vitest';
import { createSettings, SettingsContext } from '../src/admin/settings.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import type { Setting } from '../src/wire.ts';
import { answerWith } from './helpers.ts';

export type Routes = Parameters<typeof answerWith>[0];

/** An admin page with the settings and the toasts it has around it in the layout. */
export function showPage(page: () => JSX.Element, routes: Routes, settings: Setting[] = []) {
  const all: Routes = { 'GET /api/admin/settings': { body: { settings } }, ...routes };
  const { sent, fakeFetch } = answerWith(all);
  vi.stubGlobal('fetch', fakeFetch);
  const { unmount } = render(() => {
    const loaded = createSettings();
    void loaded.load();
    return (
      <SettingsContext.Provider value={loaded}>
        {page()}
        <Toasts />
      </SettingsContext.Provider>
    );
  });
  const posted = () => sent.filter((request) => request.method === 'POST');
  return { sent, posted, routes: all, unmount };
}
