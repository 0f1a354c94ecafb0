/** An address for a phone's camera. Always dark on white: many cameras read nothing else. */
import { createMemo, type JSX, Show } from 'solid-js';
import { qrCode } from './qr.ts';

/** Light modules around it, without which cameras do not find it. */
const QUIET = 4;

export function QrCode(props: { text: string; label: string }): JSX.Element {
  const rows = createMemo(() => qrCode(props.text));
  const side = () => (rows()?.length ?? 0) + 2 * QUIET;
  const dark = () =>
    (rows() ?? [])
      .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
      .join('');
  return (
    <Show when={rows()}>
      <svg
        class="qr-code"
        viewBox={`0 0 ${side()} ${side()}`}
        role="img"
        aria-label={props.label}
        shape-rendering="crispEdges"
      >
        <rect width={side()} height={side()} fill="#fff" />
        <path d={dark()} fill="#000" />
      </svg>
    </Show>
  );
}
