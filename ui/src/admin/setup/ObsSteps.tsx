/** OBS in five steps, each with a sketch of where to look: boxes and lines, not a picture of the program. */
import { For, type JSX } from 'solid-js';
import { type AdminKey, ta } from '../../i18n/admin.ts';

/** A rectangle of a sketch: x, y, width, height, and what it is. */
type Box = readonly [x: number, y: number, width: number, height: number, kind: 'line' | 'field' | 'mark'];

/** The window of the program: preview above, panels below. */
const MAIN: Box[] = [
  [14, 16, 132, 40, 'field'],
  [14, 62, 28, 24, 'field'],
  [46, 62, 28, 24, 'field'],
  [78, 62, 32, 24, 'field'],
];

/** Its settings: a list at the side, fields beside it. */
const SETTINGS: Box[] = [
  [14, 20, 26, 4, 'line'],
  [14, 30, 26, 4, 'line'],
  [14, 40, 26, 4, 'line'],
  [14, 50, 26, 4, 'line'],
];

const SKETCHES: Box[][] = [
  // The column of buttons at the lower right; "Settings" is near its end.
  [...MAIN, [114, 62, 32, 6, 'field'], [114, 71, 32, 6, 'mark'], [114, 80, 32, 6, 'field']],
  // "Stream" in the list, "Custom…" among the services.
  [...SETTINGS, [12, 28, 30, 8, 'mark'], [50, 20, 24, 4, 'line'], [78, 17, 66, 10, 'mark']],
  // Two fields below the service.
  [
    ...SETTINGS,
    [50, 20, 24, 4, 'line'],
    [78, 17, 66, 10, 'field'],
    [50, 37, 24, 4, 'line'],
    [78, 34, 66, 10, 'mark'],
    [50, 54, 24, 4, 'line'],
    [78, 51, 66, 10, 'mark'],
  ],
  // "Output" in the list, bitrate and keyframe interval.
  [
    ...SETTINGS,
    [12, 38, 30, 8, 'mark'],
    [50, 20, 24, 4, 'line'],
    [78, 17, 40, 10, 'mark'],
    [50, 37, 24, 4, 'line'],
    [78, 34, 24, 10, 'mark'],
    [50, 54, 24, 4, 'line'],
    [78, 51, 66, 10, 'field'],
  ],
  // The first button of the column.
  [...MAIN, [114, 62, 32, 6, 'mark'], [114, 71, 32, 6, 'field'], [114, 80, 32, 6, 'field']],
];

export function ObsSteps(props: { server: string }): JSX.Element {
  return (
    <section class="stack" aria-labelledby="obs-steps">
      <div class="stack-tight">
        <h2 id="obs-steps">{ta('setup.obs.title')}</h2>
        <p class="muted small">{ta('setup.obs.other')}</p>
      </div>
      <ol class="obs-steps">
        <For each={SKETCHES}>
          {(boxes, index) => (
            <li>
              <Sketch boxes={boxes} />
              <p>{ta(`setup.obs.${index() + 1}` as AdminKey, { server: props.server })}</p>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}

function Sketch(props: { boxes: Box[] }): JSX.Element {
  return (
    <svg class="obs-sketch" viewBox="0 0 160 96" aria-hidden="true">
      <rect class="sketch-window" x="4" y="4" width="152" height="88" rx="5" />
      <path class="sketch-bar" d="M4 12h152" />
      <For each={props.boxes}>
        {([x, y, width, height, kind]) => (
          <rect class={`sketch-${kind}`} x={x} y={y} width={width} height={height} rx="2" />
        )}
      </For>
    </svg>
  );
}
