/** Showing who one is: with one's own site, or with a code that is sent to one's account in the Fediverse. */
import { createSignal, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/TextField.tsx';
import { complaint, webAddress } from '../fediverse/account.ts';
import { tf } from '../fediverse/texts.ts';
import { CodeSignIn } from './CodeSignIn.tsx';
import type { Room } from './room.ts';

/** People write "me.example"; the server wants an address. */
export function siteAddress(text: string): string | undefined {
  const typed = text.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(full)) return undefined;
  const { protocol, hostname, href } = new URL(full);
  return protocol === 'https:' && hostname.includes('.') ? href : undefined;
}

export function SignInDialog(props: { room: Room; onClose: () => void }): JSX.Element {
  const hasSite = () => props.room.config().authentication?.indieAuthEnabled === true;
  const hasCode = () => props.room.config().federation?.enabled === true;
  const [way, setWay] = createSignal<'site' | 'code'>(hasCode() ? 'code' : 'site');
  return (
    <Dialog open title={tf('chat.signIn')} onClose={props.onClose}>
      <Show when={hasSite() && hasCode()}>
        <fieldset class="segments" aria-label={tf('signIn.way')}>
          <button type="button" aria-pressed={way() === 'code'} onClick={() => setWay('code')}>
            {tf('signIn.way.code')}
          </button>
          <button type="button" aria-pressed={way() === 'site'} onClick={() => setWay('site')}>
            {tf('signIn.way.site')}
          </button>
        </fieldset>
      </Show>
      <Show when={way() === 'code'} fallback={<SiteSignIn room={props.room} onClose={props.onClose} />}>
        <CodeSignIn room={props.room} onClose={props.onClose} />
      </Show>
    </Dialog>
  );
}

/** IndieAuth: the server says where to go, the browser goes there. */
function SiteSignIn(props: { room: Room; onClose: () => void }): JSX.Element {
  const [site, setSite] = createSignal('');
  const [error, setError] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);

  const go = async () => {
    const authHost = siteAddress(site());
    if (!authHost) return setError(tf('signIn.site.invalid'));
    setBusy(true);
    setError(undefined);
    try {
      const query = new URLSearchParams({ accessToken: props.room.token() ?? '' });
      const { redirect } = await api.post<{ redirect: string }>(`/api/auth/indieauth?${query}`, { authHost });
      const target = webAddress(redirect);
      if (target) location.assign(target);
      else setError(tf('chat.failed'));
    } catch (problem) {
      setError(complaint(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <p class="muted">{tf('signIn.site.text')}</p>
      <TextField
        label={tf('signIn.way.site')}
        value={site()}
        onInput={setSite}
        error={error()}
        autocomplete="url"
        help={tf('signIn.site.help')}
        autofocus
      />
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {tf('chat.cancel')}
        </button>
        <button type="submit" class="button" data-look="primary" disabled={busy()}>
          {tf('signIn.go')}
        </button>
      </div>
    </form>
  );
}
