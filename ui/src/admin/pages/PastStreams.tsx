/** The streams of the past: all of them, or the one the address names. */
import { createMemo, type JSX, Show } from 'solid-js';
import { lazyPage } from '../LazyPage.tsx';
import { chosenStream } from '../streams/address.ts';
import { StreamList } from '../streams/StreamList.tsx';

/** With its charts it is long; who only looks at the list does not load it. */
const StreamPage = lazyPage(async () => (await import('../streams/StreamPage.tsx')).StreamPage);

export function PastStreams(): JSX.Element {
  const id = createMemo(chosenStream);
  return (
    <Show when={id()} keyed fallback={<StreamList />}>
      {(_id) => <StreamPage />}
    </Show>
  );
}
