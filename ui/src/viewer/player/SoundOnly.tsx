/** In place of the picture where there is only sound: whose it is, what it is called, and that something is heard. */
import { For, type JSX, Show } from 'solid-js';
import { Logo } from '../../design/Logo.tsx';
import { createLevel } from './level.ts';

const BARS = [0.55, 0.8, 1, 0.8, 0.55];

export default function SoundOnly(props: {
  video: HTMLVideoElement;
  name: string;
  logo: string;
  title: string;
  /** Why there is no picture. */
  reason: string | undefined;
}): JSX.Element {
  const level = createLevel(props.video);
  return (
    <div class="player-sound">
      <Logo src={props.logo} size={112} />
      <strong>{props.title || props.name}</strong>
      <Show when={props.title}>
        <span>{props.name}</span>
      </Show>
      <div class="player-level" aria-hidden="true">
        <For each={BARS}>{(part) => <i style={{ '--level': Math.max(level() * part, 0.06).toFixed(2) }} />}</For>
      </div>
      <Show when={props.reason}>
        <span>{props.reason}</span>
      </Show>
    </div>
  );
}
