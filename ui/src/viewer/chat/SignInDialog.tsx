/** Proving who one is with one's own site (IndieAuth): the server says where to go, the browser goes there. */
import { createSignal, type JSX } from 'solid-js';
import { ApiError, api } from '../../api.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/TextField.tsx';
import { t } from '../../i18n/index.ts';
import { webAddress } from './lines.ts';
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
  const [site, setSite] = createSignal('');
  const [error, setError] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);

  const go = async () => {
    const authHost = siteAddress(site());
    if (!authHost) return setError(t('chat.signIn.invalid'));
    setBusy(true);
    setError(undefined);
    try {
      const query = new URLSearchParams({ accessToken: props.room.token() ?? '' });
      const { redirect } = await api.post<{ redirect: string }>(`/api/auth/indieauth?${query}`, { authHost });
      const target = webAddress(redirect);
      if (target) location.assign(target);
      else setError(t('chat.failed'));
    } catch (problem) {
      setError((problem instanceof ApiError && problem.message) || t('chat.failed'));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open title={t('chat.signIn')} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <p class="muted">{t('chat.signIn.text')}</p>
        <TextField
          label={t('chat.signIn.site')}
          value={site()}
          onInput={setSite}
          error={error()}
          autocomplete="url"
          help={t('chat.signIn.help')}
          autofocus
        />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t('chat.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {t('chat.signIn.go')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
