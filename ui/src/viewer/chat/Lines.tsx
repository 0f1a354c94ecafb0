/**
 * One line of each kind. Classes that begin with `chat-message_` or `ChatUserMessage_` are hooks others rely on; the latter
 * come first, because tools look for elements whose classes begin so.
 */
import './hidden-lines.css';
import { createEffect, createSignal, type JSX, Match, Show, Switch, untrack } from 'solid-js';
import { locale } from '../../i18n/format.ts';
import { language, t } from '../../i18n/index.ts';
import type { ChatUser } from '../../wire.ts';
import { Body, Content } from './Body.tsx';
import { Glyph, type GlyphName } from './Glyph.tsx';
import type { Line, Social } from './lines.ts';
import { isModerator } from './rules.ts';
import { markMention, sanitise } from './sanitise.ts';

export interface LineProps {
  line: Line;
  me: ChatUser | undefined;
  /** The buttons of this line, while it has the attention. */
  tools: JSX.Element;
  onGoTo: (id: string) => void;
  /** Only moderators still see it. */
  isHidden: boolean;
  /** Not where the author has deleted it. */
  onShowAgain: (() => void) | undefined;
  /** What stands in the place of the time of day. */
  timeOf?: (line: Line) => string;
}

export function LineView(props: LineProps): JSX.Element {
  // A line never changes its kind.
  switch (props.line.kind) {
    case 'user':
      return <UserLine {...props} />;
    case 'system':
      return <SystemLine line={props.line} />;
    case 'action':
    case 'notice':
      return <ActionLine line={props.line} />;
    case 'social':
      return <SocialLine line={props.line} />;
    default:
      return <PresenceLine line={props.line} />;
  }
}

function UserLine(props: LineProps): JSX.Element {
  const { line } = props;
  let row: HTMLLIElement | undefined;
  const [isMentioned, setMentioned] = createSignal(false);
  const isOwn = () => line.user?.id === props.me?.id;
  // The history is there before the page knows who one is.
  createEffect(() => {
    const name = props.me?.displayName;
    const body = row?.querySelector('.chat-body');
    if (name && body && !isOwn() && !untrack(isMentioned)) setMentioned(markMention(body, name));
  });
  return (
    <li
      class="chat-line chat-message_user"
      classList={{
        'is-continued': line.continues,
        'is-own': isOwn(),
        'is-mentioned': isMentioned(),
        'is-hidden': props.isHidden,
      }}
      ref={(element) => {
        row = element;
      }}
      data-id={line.id}
      tabindex="-1"
    >
      <Show when={line.user}>{(user) => <Head user={user()} line={line} timeOf={props.timeOf} />}</Show>
      <Show when={line.reply}>
        {(reply) => (
          <button type="button" class="chat-quote" tabindex="-1" onClick={() => props.onGoTo(reply().id)}>
            <Glyph name="reply" />
            <strong>{reply().displayName}</strong>
            <span>{reply().excerpt}</span>
          </button>
        )}
      </Show>
      <Content of={sanitise(line.body, 'line')} class="ChatUserMessage_message__rc" />
      <Show when={props.isHidden}>
        <HiddenNote
          onShowAgain={
            props.onShowAgain &&
            (() => {
              // The button goes away; whoever came by keyboard stays at the line.
              row?.focus({ preventScroll: true });
              props.onShowAgain?.();
            })
          }
        />
      </Show>
      {props.tools}
    </li>
  );
}

/** What stands for several hidden lines. */
export function FoldedLines(props: { id: string; count: number; onOpen: () => void }): JSX.Element {
  return (
    <li class="chat-line chat-folded" data-id={`fold-${props.id}`} tabindex="-1">
      <button type="button" class="chat-show-again" aria-expanded="false" onClick={() => props.onOpen()}>
        {t('chat.hidden.many', { count: props.count })}
      </button>
    </li>
  );
}

function HiddenNote(props: { onShowAgain: (() => void) | undefined }): JSX.Element {
  return (
    <div class="chat-hidden-note">
      <span>{t('chat.hidden')}</span>
      <Show when={props.onShowAgain}>
        <button type="button" class="chat-show-again" onClick={() => props.onShowAgain?.()}>
          {t('chat.showAgain')}
        </button>
      </Show>
    </div>
  );
}

/** In a line that goes on, the name is there for those who listen and for tools that read the page. */
function Head(props: { user: ChatUser; line: Line; timeOf: LineProps['timeOf'] }): JSX.Element {
  return (
    <div class="chat-head" classList={{ 'visually-hidden': props.line.continues }}>
      <Name user={props.user} />
      <Show when={!props.line.continues}>
        <Badges user={props.user} />
        <time class="chat-time" datetime={new Date(props.line.at).toISOString()}>
          {props.timeOf?.(props.line) ?? clockTime(props.line.at)}
        </time>
      </Show>
    </div>
  );
}

export function Name(props: { user: ChatUser }): JSX.Element {
  return (
    <span class="ChatUserMessage_userName__rc chat-name" data-color={props.user.displayColor & 7}>
      {props.user.displayName}
    </span>
  );
}

export function Badges(props: { user: ChatUser }): JSX.Element {
  return (
    <>
      <Show when={isModerator(props.user)}>
        <Badge glyph="shield" label={t('chat.badge.moderator')} />
      </Show>
      <Show when={props.user.isBot}>
        <Badge glyph="bot" label={t('chat.badge.bot')} />
      </Show>
      <Show when={props.user.authenticated}>
        <Badge glyph="seal" label={t('chat.badge.authenticated')} />
      </Show>
    </>
  );
}

function Badge(props: { glyph: GlyphName; label: string }): JSX.Element {
  return (
    <span class="chat-badge" data-badge={props.glyph} title={props.label}>
      <Glyph name={props.glyph} />
      <span class="visually-hidden">{props.label}</span>
    </span>
  );
}

function SystemLine(props: { line: Line }): JSX.Element {
  return (
    <li class="chat-line chat-message_system" data-id={props.line.id} tabindex="-1">
      <Show when={props.line.user}>{(user) => <strong class="chat-system-name">{user().displayName}</strong>}</Show>
      <Body html={props.line.body} trust="trusted" />
    </li>
  );
}

function ActionLine(props: { line: Line }): JSX.Element {
  return (
    <li
      class="chat-line chat-message_action"
      classList={{ 'is-notice': props.line.kind === 'notice' }}
      data-id={props.line.id}
      tabindex="-1"
    >
      <Body html={props.line.body} trust="trusted" />
    </li>
  );
}

function PresenceLine(props: { line: Line }): JSX.Element {
  const name = () => props.line.user?.displayName ?? '';
  return (
    <li class="chat-line chat-message_presence" data-id={props.line.id} tabindex="-1">
      <Switch>
        <Match when={props.line.kind === 'joined' && props.line.others.length > 0}>
          {t('chat.joined.others', { name: name(), count: props.line.others.length })}
        </Match>
        <Match when={props.line.kind === 'joined'}>{t('chat.joined', { name: name() })}</Match>
        <Match when={true}>{t('chat.renamed', { old: props.line.oldName, name: name() })}</Match>
      </Switch>
    </li>
  );
}

const SOCIAL = {
  follow: { glyph: 'person', words: 'chat.social.follow' },
  like: { glyph: 'heart', words: 'chat.social.like' },
  repost: { glyph: 'repost', words: 'chat.social.repost' },
} as const;

function SocialLine(props: { line: Line }): JSX.Element {
  return (
    <Show when={props.line.social}>
      {(social) => (
        <li class="chat-line chat-message_social" data-id={props.line.id} tabindex="-1">
          <a href={social().link} target="_blank" rel="nofollow noreferrer noopener">
            <Portrait social={social()} />
            <span class="chat-social-text">
              <strong>{social().handle}</strong>
              <span>{t(SOCIAL[social().kind].words)}</span>
            </span>
          </a>
        </li>
      )}
    </Show>
  );
}

function Portrait(props: { social: Social }): JSX.Element {
  return (
    <span class="chat-portrait">
      <Show when={props.social.image}>
        {(image) => (
          <img
            src={image()}
            width="40"
            height="40"
            alt=""
            loading="lazy"
            referrerpolicy="no-referrer"
            onError={(event) => event.currentTarget.remove()}
          />
        )}
      </Show>
      <Glyph name={SOCIAL[props.social.kind].glyph} />
    </span>
  );
}

let clock: { language: string; format: Intl.DateTimeFormat } | undefined;

/** Making a formatter takes longer than using it. */
function clockTime(at: number): string {
  if (clock?.language !== language()) {
    clock = { language: language(), format: new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }) };
  }
  return clock.format.format(at);
}
