/** Files in the plugins folder that are no plugins, and why; nothing where there are none. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { createPolled } from '../polled.ts';
import { BROKEN_PLUGINS } from './requests.ts';
import type { BrokenPlugin } from './wire.ts';

/** Somebody who mends such a file looks here whether it helped. */
const INTERVAL_MS = 10_000;

export function BrokenFiles(): JSX.Element {
  const files = createPolled<BrokenPlugin[]>(BROKEN_PLUGINS, INTERVAL_MS, { key: 'path' });
  return (
    <Show when={files.value()?.length}>
      {(count) => (
        <Banner tone="warning">
          <strong>{ta('plugins.broken', { count: count() })}</strong>
          <p>{ta('plugins.broken.text')}</p>
          <ul class="points">
            <For each={files.value()}>
              {(file) => (
                <li>
                  <code>{file.path}</code> {file.reason}
                </li>
              )}
            </For>
          </ul>
        </Banner>
      )}
    </Show>
  );
}
