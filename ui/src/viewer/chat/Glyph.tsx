/** The icons only chat has, in the family of design/Icon; kept here so that the rest of the page need not load them. */
import type { JSX } from 'solid-js';

const PATHS = {
  reply: 'M10 6 4 12l6 6M4 12h10a6 6 0 0 1 6 6v1',
  more: 'M5.5 12h.1M12 12h.1M18.5 12h.1',
  send: 'M4 12 20 4.5 15.5 20l-4-6.5L4 12Zm7.5 1.5L20 4.5',
  smile: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM8.5 14c1.8 2.6 5.2 2.6 7 0M9 9.5v.1m6-.1v.1',
  down: 'M12 5v14m-6-6 6 6 6-6',
  chevron: 'm7 10 5 5 5-5',
  shield: 'M12 3.5 5 6v5.5c0 4.4 2.9 7.4 7 9 4.1-1.6 7-4.6 7-9V6l-7-2.5Z',
  bot: 'M5 9h14v10H5zM12 9V5m-2.5 0h5M9.5 13v1.5m5-1.5v1.5',
  seal: 'm8.5 12.2 2.4 2.4 4.6-5M12 3l2.4 1.9 3-.3 1 2.9 2.7 1.5-.8 3 .8 3-2.7 1.5-1 2.9-3-.3L12 21l-2.4-1.9-3 .3-1-2.9L2.9 15l.8-3-.8-3 2.7-1.5 1-2.9 3 .3L12 3Z',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5',
  hourglass: 'M7 3.5h10M7 20.5h10M8 3.5c0 5 4 5.5 4 8.5s-4 3.5-4 8.5m8-17c0 5-4 5.5-4 8.5s4 3.5 4 8.5',
  ban: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM6 6l12 12',
  heart: 'M12 20S4 15 4 9.3A4.3 4.3 0 0 1 12 7a4.3 4.3 0 0 1 8 2.3C20 15 12 20 12 20Z',
  repost: 'm4 9 3-3 3 3M7 6v9a3 3 0 0 0 3 3h3m7-3-3 3-3-3m3 3V9a3 3 0 0 0-3-3h-3',
  pin: 'M9 4h6l-1 6 3 3H7l3-3-1-6Zm3 9v7',
  chat: 'M4 5h16v11h-9l-4.5 4v-4H4zM8 9h8m-8 3h5',
} as const;

export type GlyphName = keyof typeof PATHS;

/** As in design/Icon: they point along the line. */
const MIRRORED = /^(reply|send)$/;

export function Glyph(props: { name: GlyphName }): JSX.Element {
  return (
    <svg
      viewBox="0 0 24 24"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      classList={{ mirrors: MIRRORED.test(props.name) }}
    >
      <path d={PATHS[props.name]} />
    </svg>
  );
}
