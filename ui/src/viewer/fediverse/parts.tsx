/** What concerns the Fediverse is fetched, with its texts, when somebody presses something for it. */
import { createSignal, type JSX, Show } from 'solid-js';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { addTexts, t } from '../../i18n/index.ts';

export type Parts = typeof import('./entry.ts');

let fetching: Promise<Parts> | undefined;

/** Rejects without a connection, and may then be asked again. */
export function fetchParts(): Promise<Parts> {
  fetching ??= fetchNow().catch((problem) => {
    fetching = undefined;
    throw problem;
  });
  return fetching;
}

async function fetchNow(): Promise<Parts> {
  const parts = await import('./entry.ts');
  await addTexts(parts.texts);
  return parts;
}

export function WithFediverseParts(props: { children: (parts: Parts) => JSX.Element }): JSX.Element {
  const [parts, setParts] = createSignal<Parts>();
  const [failed, setFailed] = createSignal(false);
  const load = () => {
    setFailed(false);
    fetchParts().then(
      (loaded) => setParts(() => loaded),
      () => setFailed(true),
    );
  };
  load();
  return (
    <Show
      when={parts()}
      fallback={
        <Show when={failed()} fallback={<Skeleton />}>
          <LoadError title={t('chat.failed')} onRetry={load} />
        </Show>
      }
    >
      {(loaded) => props.children(loaded())}
    </Show>
  );
}
