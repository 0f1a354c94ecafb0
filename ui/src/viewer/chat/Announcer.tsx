/** New lines for those who listen: history and scrolling are silent, and a busy room is cut to what can be heard. */
import { createEffect, createSignal, For, type JSX } from 'solid-js';
import { t } from '../../i18n/index.ts';
import type { Line } from './lines.ts';
import type { Room } from './room.ts';
import { plainText } from './sanitise.ts';

/** Of lines that come at once only the last are read. */
const AT_ONCE = 3;
/** Kept in the page; screen readers only read what is added. */
const KEPT = 20;

function spoken(line: Line): string {
  const text = plainText(line.body);
  const name = line.user?.displayName;
  return line.kind === 'user' && name ? t('chat.spoken', { name, text }) : text;
}

export function Announcer(props: { room: Room }): JSX.Element {
  const [announced, setAnnounced] = createSignal<Line[]>([]);
  createEffect(() => {
    const own = props.room.me()?.id;
    const worthReading = props.room
      .latest()
      .filter(({ user, body }) => body && (!own || user?.id !== own))
      .slice(-AT_ONCE);
    if (worthReading.length > 0) setAnnounced((before) => [...before, ...worthReading].slice(-KEPT));
  });
  return (
    <div class="visually-hidden" role="log" aria-live="polite" aria-label={t('chat.lines')}>
      <For each={announced()}>{(line) => <p>{spoken(line)}</p>}</For>
    </div>
  );
}
