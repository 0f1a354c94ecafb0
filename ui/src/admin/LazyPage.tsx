/** A page that is fetched when it is first opened. */
import { type Component, createResource, type JSX, Match, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { LoadError, Skeleton } from '../design/Feedback.tsx';
import { ta } from '../i18n/admin.ts';
import type { PageProps } from './routes.tsx';

export function lazyPage<Props extends object = PageProps>(load: () => Promise<Component<Props>>): Component<Props> {
  return (props): JSX.Element => {
    const [view] = createResource(async () => ({ component: await load() }));
    return (
      <Switch
        fallback={
          <div class="card">
            <Skeleton lines={6} />
          </div>
        }
      >
        <Match when={view.error}>
          {/* After an update of the server the old file is gone, and only the new page knows the new one. */}
          <LoadError title={ta('error.load')} text={ta('error.page')} onRetry={() => location.reload()} />
        </Match>
        <Match when={view()}>{(loaded) => <Dynamic component={loaded().component} {...props} />}</Match>
      </Switch>
    );
  };
}
