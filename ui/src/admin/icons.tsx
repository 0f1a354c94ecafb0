/** Icons only the admin pages have: in the shared table every viewer would download them. */
import type { JSX } from 'solid-js';
import { Drawing, Icon, type IconName } from '../design/Icon.tsx';

const PATHS = {
  key: 'M8 10.5a3.75 3.75 0 1 0 0 7.5 3.75 3.75 0 0 0 0-7.5ZM10.7 11.6 19 3.5M15.5 7l3 3M12.8 9.6l2 2',
  hook: 'M12 3.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM12 9.5l-4 7M6.5 16a3 3 0 1 0 2.6 4.5H15M14 8.5l3.5 6.2M16 15a3 3 0 1 1 1 5.8',
  button: 'M3.5 7.5h17v9h-17zM7.5 12h9',
  record: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z',
  chart: 'M4 4v16h16M7.5 15.5l4-5 3 3 5-6.5',
  chip: 'M7 7h10v10H7zM10 3.5V7m4-3.5V7m-4 10v3.5m4-3.5v3.5M3.5 10H7m-3.5 4H7m10-4h3.5M17 14h3.5',
  pulse: 'M3 12h4l2.5-6.5 5 13L17 12h4',
  pencil: 'M4 20l1-4.5L16.5 4 20 7.5 8.5 19 4 20ZM14 6.5l3.5 3.5',
  up: 'M12 19V5m-5.5 5.5L12 5l5.5 5.5',
  down: 'M12 5v14m-5.5-5.5L12 19l5.5-5.5',
  pause: 'M8 5v14M16 5v14',
  send: 'M4 12 20 4l-5 16-3.5-6.5L4 12ZM11.5 13.5 20 4',
  inbox: 'M4 13.5 6.5 5h11L20 13.5V19H4v-5.5Zm0 0h4.5l1.5 2.5h4l1.5-2.5H20',
  star: 'm12 3.8 2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8L12 3.8Z',
  puzzle: 'M4 8.5h4.3a2.3 2.3 0 1 1 4.4 0H17v4.3a2.3 2.3 0 1 1 0 4.4v3.3H4z',
  fold: 'm7 10 5 5 5-5',
  power: 'M12 3.5V12M7 6.5a7.5 7.5 0 1 0 10 0',
  pin: 'M9 4h6l-1 6 3 3H7l3-3-1-6Zm3 9v7',
  'pin-off': 'M9 4h6l-1 6 3 3H7l3-3-1-6Zm3 9v7M4 4l16 16',
} as const;

export type AdminIconName = IconName | keyof typeof PATHS;

const isOwn = (name: AdminIconName): name is keyof typeof PATHS => name in PATHS;

export function AdminIcon(props: { name: AdminIconName }): JSX.Element {
  return <>{isOwn(props.name) ? <Drawing path={PATHS[props.name]} /> : <Icon name={props.name} />}</>;
}
