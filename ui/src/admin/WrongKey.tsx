/** That an encoder has just tried a wrong stream key: whoever waits for the picture would wait in vain. */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { Banner } from '../design/Feedback.tsx';
import { ta } from '../i18n/admin.ts';
import { relativeTime } from '../i18n/format.ts';

/** Afterwards whoever tried has given up, or has found the right one. */
const RECENT_MS = 5 * 60_000;

export function WrongKey(props: { at: string | undefined }): JSX.Element {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 10_000);
  onCleanup(() => clearInterval(timer));
  // What has just been told may be newer than the last look at the clock.
  const looked = () => Math.max(now(), Date.parse(props.at ?? '') || 0);
  const isRecent = () => props.at !== undefined && looked() - Date.parse(props.at) < RECENT_MS;
  return (
    <div role="status">
      <Show when={isRecent() && props.at}>
        {(at) => (
          <Banner tone="warning">
            <p>{ta('wrongKey', { ago: relativeTime(at(), new Date(looked()).toISOString()) })}</p>
          </Banner>
        )}
      </Show>
    </div>
  );
}
