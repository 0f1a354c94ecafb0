/** The viewer page itself in a frame, with the draft's variables on it. It is on this site, so a page may reach in. */
import { createEffect, createSignal, For, type JSX, onCleanup } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { theme } from '../../theme.ts';
import { cssOf, type Scheme } from './colours.ts';
import { COLOURS, type Look } from './palette.ts';

/** As wide as a page with the chat beside the picture; the style sheet has the same. */
const WIDTH = 1280;
const SCHEMES: Scheme[] = ['light', 'dark'];

/** Puts a look on a page; what it does not set is as it comes, whatever is saved. */
export function dress(root: HTMLElement, look: Look, scheme: Scheme, before: Look): void {
  root.dataset.theme = scheme;
  for (const variable of Object.keys(before)) if (!(variable in look)) root.style.removeProperty(named(variable));
  for (const { variable, standard } of COLOURS) root.style.setProperty(variable, look[variable] ?? cssOf(standard));
  for (const [variable, value] of Object.entries(look)) root.style.setProperty(named(variable), value);
}

/** As the server writes it: the dashes may be left out. */
const named = (variable: string): string => `--${variable.replace(/^-+/, '')}`;

export function Preview(props: { look: Look }): JSX.Element {
  const [scheme, setScheme] = createSignal<Scheme>(theme());
  const [loads, setLoads] = createSignal(0);
  const [scale, setScale] = createSignal(0.5);
  let frame: HTMLIFrameElement | undefined;
  let before: Look = {};

  createEffect(() => {
    const look = props.look;
    const chosen = scheme();
    loads();
    const root = frame?.contentDocument?.documentElement;
    if (root) dress(root, look, chosen, before);
    before = look;
  });

  const watchSize = (box: HTMLElement) => {
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(([entry]) => setScale((entry?.contentRect.width ?? WIDTH / 2) / WIDTH));
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  };

  return (
    <section class="look-preview" aria-label={ta('look.preview')}>
      <div class="card-head">
        <h3>{ta('look.preview')}</h3>
        <fieldset class="look-schemes" aria-label={ta('look.scheme')}>
          <For each={SCHEMES}>
            {(one) => (
              <button
                type="button"
                class="button"
                data-size="small"
                aria-pressed={scheme() === one}
                onClick={() => setScheme(one)}
              >
                {ta(`look.${one}`)}
              </button>
            )}
          </For>
        </fieldset>
      </div>
      <div class="look-frame" ref={watchSize}>
        {/* A preview must not begin to talk: without the permission the player starts muted. */}
        <iframe
          ref={(element) => {
            frame = element;
          }}
          src="/?preview=true"
          title={ta('look.preview')}
          allow="autoplay 'none'"
          style={{ transform: `scale(${scale()})` }}
          onLoad={() => setLoads((count) => count + 1)}
        />
      </div>
    </section>
  );
}
