/** What a button of the operator's shows over the page: another site in a frame, or their own text. */
import './action-dialog.css';
import { type JSX, Show } from 'solid-js';
import { Dialog } from '../design/Dialog.tsx';
import { t } from '../i18n/index.ts';
import type { ExternalAction } from '../wire.ts';
import { sanitise } from './chat/sanitise.ts';
import { createPass, homeOf, pluginPage } from './plugins/pass.ts';

export interface ActionDialogProps {
  action: ExternalAction;
  onClose: () => void;
}

/**
 * Another site may run its scripts and keep its own cookies, but not lead this page away.
 * A page of this very server must not have both: together they would let it out of its frame.
 */
export function sandboxFor(url: string): string {
  const allowed = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';
  return new URL(url, location.href).origin === location.origin ? allowed : `${allowed} allow-same-origin`;
}

export function ActionDialog(props: ActionDialogProps): JSX.Element {
  return (
    <Dialog open wide title={props.action.title} onClose={props.onClose}>
      <Show when={props.action.description}>
        <p class="muted">{props.action.description}</p>
      </Show>
      <Show when={props.action.html} fallback={<FramedPage action={props.action} />}>
        {(html) => (
          <div class="prose action-text" dir="auto" ref={(place) => place.append(sanitise(html(), 'trusted'))} />
        )}
      </Show>
      <div class="dialog-actions">
        {/* Many sites refuse to be framed, and the page cannot find out. */}
        <Show when={!props.action.html}>
          <a class="button" data-look="quiet" href={props.action.url} target="_blank" rel="noopener noreferrer">
            {t('viewer.newTab')}
          </a>
        </Show>
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t('common.close')}
        </button>
      </div>
    </Dialog>
  );
}

function FramedPage(props: { action: ExternalAction }): JSX.Element {
  const url = () => props.action.url ?? '';
  const page = pluginPage(url());
  if (!page) return <ActionFrame title={props.action.title} url={url()} />;
  const pass = createPass(() => page.plugin);
  return (
    <Show when={pass()}>
      {(known) => <ActionFrame title={props.action.title} url={`${homeOf(page.plugin, known())}${page.path}`} />}
    </Show>
  );
}

function ActionFrame(props: { title: string; url: string }): JSX.Element {
  return (
    <iframe
      class="action-frame"
      title={props.title}
      sandbox={sandboxFor(props.url)}
      referrerpolicy="strict-origin-when-cross-origin"
      allow="fullscreen"
      src={props.url}
    />
  );
}
