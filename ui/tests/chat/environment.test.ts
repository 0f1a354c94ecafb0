import { afterEach, expect, test, vi } from 'vitest';
import { writePreference } from '../../src/storage.ts';
import { browserEnvironment, TOKEN } from '../../src/viewer/chat/environment.ts';
import type { SiteConfig } from '../../src/wire.ts';

afterEach(() => {
  history.replaceState(null, '', '/');
  writePreference(TOKEN, null);
});

test('a preview is nobody in the chat', () => {
  const fetching = vi.fn();
  vi.stubGlobal('fetch', fetching);
  writePreference(TOKEN, 'secret');
  const config = () => Promise.reject<SiteConfig>(new Error('not asked for'));
  expect(browserEnvironment(config).readToken()).toBe('secret');
  history.replaceState(null, '', '/?preview=true');
  const preview = browserEnvironment(config);
  expect(preview.readToken()).toBeNull();
  void preview.register();
  expect(fetching).not.toHaveBeenCalled();
});
