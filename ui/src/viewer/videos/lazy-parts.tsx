/** What shows past streams is fetched, with its texts, by the pages that have them. */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { addTexts, type Loaders, t } from '../../i18n/index.ts';

interface WithTexts {
  texts: Loaders;
}

/** `fallback` stands there meanwhile; a page has an own word for failing, a part of one is just not there. */
export function lazyParts<Parts extends WithTexts>(fetchParts: () => Promise<Parts>) {
  return (props: {
    fallback?: JSX.Element;
    isOptional?: boolean;
    children: (parts: Parts) => JSX.Element;
  }): JSX.Element => {
    const [parts, setParts] = createSignal<Parts>();
    const [failed, setFailed] = createSignal(false);
    let isGone = false;
    onCleanup(() => {
      isGone = true;
    });
    const load = async () => {
      setFailed(false);
      try {
        const loaded = await fetchParts();
        await addTexts(loaded.texts);
        if (!isGone) setParts(() => loaded);
      } catch {
        if (!isGone) setFailed(true);
      }
    };
    void load();
    return (
      <Show
        when={parts()}
        fallback={
          <Show when={failed()} fallback={props.fallback ?? <Waiting />}>
            <Show when={!props.isOptional}>
              <main class="viewer-waiting">
                <LoadError
                  title={t('viewer.failed.title')}
                  text={t('viewer.failed.text')}
                  onRetry={() => void load()}
                />
              </main>
            </Show>
          </Show>
        }
      >
        {(loaded) => props.children(loaded())}
      </Show>
    );
  };
}

function Waiting(): JSX.Element {
  return (
    <main class="viewer-waiting">
      <Skeleton lines={6} />
    </main>
  );
}
