/** The chat column: head, lines, and the place where one writes or reads why one cannot. */
import './chat.css';
import './lines.css';
import './composer.css';
import { type JSX, Match, Show, Switch } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { WaterLines } from '../../design/Water.tsx';
import { t } from '../../i18n/index.ts';
import { Announcer } from './Announcer.tsx';
import { Composer } from './Composer.tsx';
import { Glyph } from './Glyph.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { MessageList } from './MessageList.tsx';
import type { Room } from './room.ts';
import { canSignIn, type Obstacle } from './rules.ts';

const PinnedMessage = lazyComponent(async () => (await import('./PinnedMessage.tsx')).PinnedMessage);

export interface ChatProps {
  room: Room;
  /** At the right of the head. */
  tools: JSX.Element;
}

export function Chat(props: ChatProps): JSX.Element {
  return (
    <>
      <div class="chat-header">
        <h2>{t('chat.title')}</h2>
        {props.tools}
      </div>
      {/* A new one is drawn anew. */}
      <Show when={props.room.pinned()} keyed>
        {(pin) => <PinnedMessage room={props.room} pin={pin} />}
      </Show>
      <Show when={!isDeserted(props.room)}>
        <Lines room={props.room} />
      </Show>
      <Switch>
        <Match when={standstill(props.room.obstacle())}>{(why) => <Closed room={props.room} why={why()} />}</Match>
        <Match when={true}>
          <Composer room={props.room} />
        </Match>
      </Switch>
      <Announcer room={props.room} />
    </>
  );
}

/** The lines alone, for an overlay. */
export function ReadOnlyChat(props: { room: Room }): JSX.Element {
  return (
    <>
      <MessageList room={props.room} isReadOnly />
      <Announcer room={props.room} />
    </>
  );
}

function isEmpty(room: Room): boolean {
  room.version();
  return room.log.all.length === 0;
}

/** Nothing was said and nothing can be. */
const isDeserted = (room: Room) => isEmpty(room) && standstill(room.obstacle()) !== undefined;

function Lines(props: { room: Room }): JSX.Element {
  const isQuiet = () => isEmpty(props.room) && props.room.state() !== 'connecting';
  return (
    <div class="chat-body-frame">
      <MessageList room={props.room} />
      <Show when={isQuiet()}>
        <div class="chat-empty">
          <Glyph name="chat" />
          <p>{t('chat.empty')}</p>
        </div>
      </Show>
    </div>
  );
}

/** A connection that comes back by itself is no reason to take the field away. */
type Standstill = Exclude<Obstacle, 'connecting' | 'lost'>;
const standstill = (obstacle: Obstacle | undefined): Standstill | undefined =>
  obstacle === 'connecting' || obstacle === 'lost' ? undefined : obstacle;

const WORDS = {
  closed: ['chat.closed.title', 'chat.closed.text'],
  setup: ['chat.closed.title', 'chat.setup.text'],
  off: ['chat.off.title', 'chat.off.text'],
  paused: ['chat.paused.title', 'chat.paused.text'],
  removed: ['chat.removed.title', 'chat.removed.text'],
  'sign-in': ['chat.signInNeeded.title', 'chat.signInNeeded.text'],
} as const;

function Closed(props: { room: Room; why: Standstill }): JSX.Element {
  const leadsToSignIn = () => props.why === 'sign-in' && canSignIn(props.room.config());
  return (
    <div
      class="chat-closed"
      classList={{ water: isDeserted(props.room) }}
      data-why={props.why}
      data-alone={isDeserted(props.room) ? 'true' : undefined}
      role="status"
    >
      <Show when={isDeserted(props.room)}>
        <WaterLines />
      </Show>
      <Icon name={props.why === 'sign-in' ? 'lock' : props.why === 'removed' ? 'info' : 'wave'} />
      <strong>{t(WORDS[props.why][0])}</strong>
      <p>{t(WORDS[props.why][1])}</p>
      <Show when={props.why === 'removed' && props.room.banReason()}>
        {(reason) => <p class="chat-ban-reason">{t('chat.removed.reason', { reason: reason() })}</p>}
      </Show>
      <Show when={leadsToSignIn()}>
        <button
          type="button"
          class="button"
          data-look="primary"
          data-size="small"
          onClick={() => props.room.setDialog({ kind: 'sign-in' })}
        >
          {t('chat.signIn')}
        </button>
      </Show>
    </div>
  );
}
