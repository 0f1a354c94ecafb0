/** Addresses to give away. */
import { type JSX, Show } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { useSettings } from '../settings.tsx';
import { publicAddress } from './addresses.ts';

/** What somebody pastes into a page of theirs. */
export function embedCode(base: string): string {
  return `<iframe src="${base}/embed/video" title="Rillcast" width="640" height="360" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`;
}

export function WatchCard(): JSX.Element {
  const settings = useSettings();
  const address = () => publicAddress(settings);
  return (
    <section class="card">
      <header>
        <h2>{ta('home.watch.title')}</h2>
        <p class="muted small">{ta('home.watch.text')}</p>
      </header>
      <GuessedAddress />
      <div class="field">
        <span class="field-label">{ta('home.watch.page')}</span>
        <CopyField label={ta('home.watch.page')} value={`${address().base}/`} />
      </div>
      <div class="field">
        <span class="field-label">{ta('home.watch.embed')}</span>
        <CopyField label={ta('home.watch.embed')} value={embedCode(address().base)} />
        <p class="field-help">{ta('home.watch.embed.help')}</p>
      </div>
      <div class="field">
        <span class="field-label">{ta('home.watch.playlist')}</span>
        <CopyField label={ta('home.watch.playlist')} value={`${address().base}/hls/stream.m3u8`} />
        <p class="field-help">{ta('home.watch.playlist.help')}</p>
      </div>
    </section>
  );
}

/** Where addresses are shown that the server was not told. */
export function GuessedAddress(): JSX.Element {
  const settings = useSettings();
  return (
    <Show when={publicAddress(settings).isGuessed}>
      <p class="field-help guessed-address">
        {ta('home.watch.guessed')} <Link href="/admin/config/server">{ta('home.watch.guessed.set')}</Link>
      </p>
    </Show>
  );
}
