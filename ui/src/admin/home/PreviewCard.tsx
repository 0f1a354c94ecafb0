/** What viewers see: the newest picture, and on request the player. */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';

/** The server draws one about every ten seconds and lets it be kept for twenty. */
const PICTURE_MS = 20_000;

export function PreviewCard(): JSX.Element {
  const [isPlaying, setPlaying] = createSignal(false);
  const [turn, setTurn] = createSignal(Date.now());
  const timer = setInterval(() => {
    if (!document.hidden && !isPlaying()) setTurn(Date.now());
  }, PICTURE_MS);
  onCleanup(() => clearInterval(timer));

  return (
    <section class="card preview-card">
      <div class="card-head">
        <h2>{ta('preview.title')}</h2>
        <button type="button" class="button" data-size="small" onClick={() => setPlaying(!isPlaying())}>
          <Icon name={isPlaying() ? 'cross' : 'play'} />
          {ta(isPlaying() ? 'preview.stop' : 'preview.play')}
        </button>
      </div>
      <div class="preview-frame">
        <Show
          when={isPlaying()}
          fallback={<img src={`/thumbnail.jpg?at=${turn()}`} width="640" height="360" alt={ta('preview.picture')} />}
        >
          <iframe
            src="/embed/video?initiallyMuted=true&preview=true"
            title={ta('preview.player')}
            allow="autoplay; fullscreen; picture-in-picture"
          />
        </Show>
      </div>
      <p class="field-help">{ta(isPlaying() ? 'preview.counts' : 'preview.text')}</p>
    </section>
  );
}
