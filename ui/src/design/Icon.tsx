/** Line icons of one family: 24 by 24, stroke 1.75. Always decoration; the control beside them carries the name. */
import type { JSX } from 'solid-js';

const PATHS = {
  sun: 'M12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  'eye-off':
    'M4 4l16 16M9.9 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.6 3.3M6 7.5A15.5 15.5 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5m4-5v5',
  alert: 'M12 4 2.5 20h19L12 4Zm0 6v4.5M12 17.2v.1',
  info: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 11v5.5M12 7.7v.1',
  home: 'M4 11.5 12 4.5l8 7M6.5 10v9.5h11V10',
  sliders:
    'M4 7h9m5 0h2M4 17h3m5 0h8M15.5 4.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4ZM9.5 14.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4Z',
  drop: 'M12 3.5s6.5 6.7 6.5 11a6.5 6.5 0 0 1-13 0c0-4.3 6.5-11 6.5-11Z',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8v.1M7.5 16v.1',
  list: 'M4 6h2m3 0h11M4 12h2m3 0h11M4 18h2m3 0h11',
  menu: 'M4 7h16M4 12h16M4 17h16',
  exit: 'M14 4h5v16h-5M4 12h10m-3.5-3.5L14 12l-3.5 3.5',
  external: 'M13 5h6v6M19 5l-9 9M17 14v5H5V7h5',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.3M20 4.5v4.8h-4.8',
  globe: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM3.5 12h17M12 3.5c5 5 5 12 0 17-5-5-5-12 0-17Z',
  wave: 'M2.5 9c3.2-3 6.3-3 9.5 0s6.3 3 9.5 0M2.5 15.5c3.2-3 6.3-3 9.5 0s6.3 3 9.5 0',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM19.4 13.5l1.6 1.2-2 3.4-1.9-.7a7.5 7.5 0 0 1-2.6 1.5l-.3 2h-4l-.4-2a7.5 7.5 0 0 1-2.5-1.5l-1.9.7-2-3.4 1.6-1.2a7.7 7.7 0 0 1 0-3L3.4 9.3l2-3.4 1.9.7a7.5 7.5 0 0 1 2.5-1.5l.4-2h4l.3 2a7.5 7.5 0 0 1 2.6 1.5l1.9-.7 2 3.4-1.6 1.2a7.7 7.7 0 0 1 0 3Z',
  muted: 'M11 5 6.5 9H3v6h3.5L11 19V5ZM16 9.5l5 5m0-5-5 5',
  sound: 'M11 5 6.5 9H3v6h3.5L11 19V5ZM15.5 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12',
  play: 'M7 4.5v15l12.5-7.5L7 4.5Z',
  theatre: 'M3 6h18v12H3zM3 14.5h18',
  video: 'M3.5 6h12v12h-12zM15.5 10.5l5-3v9l-5-3',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7v5l3.5 2',
  upload: 'M12 16V5m-4.5 4.5L12 5l4.5 4.5M4.5 15.5V19h15v-3.5',
  chat: 'M4 5h16v11h-8.5L7 20v-4H4z',
  people:
    'M9 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM2.5 19.5c0-3.5 2.8-5.5 6.5-5.5s6.5 2 6.5 5.5M15.5 5a3.3 3.3 0 0 1 0 6.3M18 14.5c2.2.8 3.5 2.6 3.5 5',
  smile: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM8.5 14a4.2 4.2 0 0 0 7 0M9 9.5v.1M15 9.5v.1',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.8 7.6 7 9 4.2-1.4 7-4.7 7-9V6l-7-2.5Z',
  ban: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM6 6l12 12',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5 20 20',
} as const;

export type IconName = keyof typeof PATHS;

/** Those that point along the line, and so the other way in a language from right to left. */
const MIRRORED = /^(exit|external|list)$/;

export function Icon(props: { name: IconName }): JSX.Element {
  return <Drawing path={PATHS[props.name]} mirrors={MIRRORED.test(props.name)} />;
}

/** For icons only some pages have, which bring their own lines. */
export function Drawing(props: { path: string; mirrors?: boolean }): JSX.Element {
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
      classList={{ mirrors: props.mirrors }}
    >
      <path d={props.path} />
    </svg>
  );
}
