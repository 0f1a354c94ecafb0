/** A component that is fetched when it is first shown. Nothing is there until it has arrived. */
import { type Component, createComponent, createSignal, type JSX, Show } from 'solid-js';

export function lazyComponent<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> {
  const [view, setView] = createSignal<Component<Props>>();
  let loading = false;
  const fetchOnce = async () => {
    if (loading || view()) return;
    loading = true;
    // Without a connection it is asked for again the next time.
    await load()
      .then((component) => setView(() => component))
      .catch(() => {});
    loading = false;
  };
  return (props): JSX.Element => {
    void fetchOnce();
    return <Show when={view()}>{(component) => createComponent(component(), props)}</Show>;
  };
}
