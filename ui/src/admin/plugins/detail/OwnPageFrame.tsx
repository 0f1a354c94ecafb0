/** A page the plugin brings for the operator, in a frame that keeps it away from this one. */
import { type JSX, Show } from 'solid-js';
import { EmptyState } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import type { OwnPage } from '../state.ts';
import type { Plugin } from '../wire.ts';

/**
 * Not `allow-same-origin`: with its scripts on this origin the page could do everything the operator can,
 * whatever the plugin was allowed to do.
 */
const SANDBOX = 'allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox';

export function OwnPageFrame(props: { page: OwnPage; plugin: Plugin }): JSX.Element {
  return (
    <section class="card plugin-page">
      <Show
        when={props.plugin.running}
        fallback={
          <EmptyState title={ta('plugins.page.off.title')}>
            <p>{ta('plugins.page.off.text')}</p>
          </EmptyState>
        }
      >
        <iframe title={props.page.title} src={props.page.url} sandbox={SANDBOX} referrerpolicy="same-origin" />
      </Show>
    </section>
  );
}
