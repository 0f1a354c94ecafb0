/** What the author wrote for the operator. */
import { createResource, type JSX, Match, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { loadInstructions } from '../requests.ts';
import { Markdown } from './Markdown.tsx';

export function Instructions(props: { slug: string }): JSX.Element {
  const [text, { refetch }] = createResource(() => loadInstructions(props.slug));
  return (
    <section class="card">
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={text.error}>
          <LoadError title={ta('error.load')} text={String(text.error.message)} onRetry={() => void refetch()} />
        </Match>
        <Match when={text() !== undefined}>
          <Markdown text={text() ?? ''} />
        </Match>
      </Switch>
    </section>
  );
}
