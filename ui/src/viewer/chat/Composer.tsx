/** Where one writes: a field that grows, with completion, a counter, and the line one answers. */
import { createEffect, createMemo, createSignal, createUniqueId, type JSX, on, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import { Completion, choicesFor } from './Completion.tsx';
import { complete, type Edit, insertEmoji, tokenAt } from './completion.ts';
import { roomLeft } from './counter.ts';
import { Glyph } from './Glyph.tsx';
import { lazyComponent } from './lazy-component.tsx';
import type { Room } from './room.ts';
import { limitsOf } from './rules.ts';
import { WaitNote } from './WaitNote.tsx';

const EmojiPicker = lazyComponent(async () => (await import('./EmojiPicker.tsx')).EmojiPicker);

export function Composer(props: { room: Room }): JSX.Element {
  const { room } = props;
  const listId = createUniqueId();
  const noteId = createUniqueId();
  let field: HTMLTextAreaElement | undefined;
  const [caret, setCaret] = createSignal(0);
  const [chosen, setChosen] = createSignal(0);
  /** Start of the token whose list was closed by Escape. */
  const [dismissed, setDismissed] = createSignal<number>();
  const [picking, setPicking] = createSignal(false);

  const token = createMemo(() => {
    const found = tokenAt(room.draft(), caret());
    return found && found.start !== dismissed() ? found : undefined;
  });
  const choices = createMemo(() => choicesFor(token(), room.emoji(), room.people));
  createEffect(on(choices, () => setChosen(0)));
  const left = createMemo(() => roomLeft(room.draft(), room.replyTo()?.id, limitsOf(room.config())));
  const canSend = () =>
    !room.obstacle() && room.waitSeconds() === 0 && !left().isOver && room.draft().trim().length > 0;

  createEffect(
    on(
      room.replyTo,
      (reply) => {
        if (reply) field?.focus();
      },
      { defer: true },
    ),
  );

  const apply = (edit: Edit, isLast = true) => {
    room.setDraft(edit.text);
    setCaret(edit.caret);
    if (isLast) field?.focus();
    field?.setSelectionRange(edit.caret, edit.caret);
  };
  const choose = (index: number) => {
    const now = token();
    const choice = choices()[index];
    if (now && choice) apply(complete(room.draft(), caret(), now, choice.name));
  };
  const send = async () => {
    if (!canSend()) return;
    if (await room.say(room.draft())) setPicking(false);
    field?.focus();
  };

  const onListKey = (event: KeyboardEvent): boolean => {
    const count = choices().length;
    if (count === 0) return false;
    if (event.key === 'ArrowDown') setChosen((chosen() + 1) % count);
    else if (event.key === 'ArrowUp') setChosen((chosen() + count - 1) % count);
    else if (event.key === 'Tab' || event.key === 'Enter') choose(chosen());
    else if (event.key === 'Escape') setDismissed(token()?.start);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the composition of a character is not meant for us.
    if (event.isComposing) return;
    const isSend = event.key === 'Enter' && !event.shiftKey;
    if (!event.shiftKey && onListKey(event)) event.preventDefault();
    else if (event.key === 'Escape' && picking()) setPicking(false);
    else if (event.key === 'Escape' && room.replyTo()) room.setReplyTo(undefined);
    else if (isSend) void send();
    if (isSend) event.preventDefault();
    if (event.defaultPrevented || event.key === 'Escape') event.stopPropagation();
  };
  const follow = () => setCaret(field?.selectionEnd ?? 0);

  return (
    <form
      class="chat-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Quote room={room} />
      <Completion id={listId} choices={choices()} chosen={chosen()} onChoose={choose} />
      <Show when={picking()}>
        <EmojiPicker
          emoji={room.emoji()}
          onPick={(text, isLast) => {
            const edit = insertEmoji(room.draft(), field?.selectionStart ?? 0, field?.selectionEnd ?? 0, text);
            if (isLast) setPicking(false);
            apply(edit, isLast);
          }}
          onClose={() => {
            setPicking(false);
            field?.focus();
          }}
        />
      </Show>
      <div class="ChatTextField_inputWrap__rc chat-input">
        <div class="chat-grow" data-text={room.draft()}>
          <textarea
            ref={(element) => {
              field = element;
            }}
            rows="1"
            value={room.draft()}
            placeholder={t('chat.placeholder')}
            aria-label={t('chat.placeholder')}
            aria-describedby={noteId}
            aria-autocomplete="list"
            aria-controls={choices().length > 0 ? listId : undefined}
            aria-activedescendant={choices().length > 0 ? `${listId}-${chosen()}` : undefined}
            enterkeyhint="send"
            autocomplete="off"
            onFocus={() => void room.loadEmoji()}
            onInput={(event) => {
              room.setDraft(event.currentTarget.value);
              setDismissed(undefined);
              follow();
            }}
            onKeyUp={follow}
            onPointerUp={follow}
            onKeyDown={onKeyDown}
          />
        </div>
        <button
          type="button"
          class="icon-button"
          aria-label={t('chat.emoji')}
          title={t('chat.emoji')}
          aria-expanded={picking()}
          onClick={() => {
            void room.loadEmoji();
            setPicking(!picking());
          }}
        >
          <Glyph name="smile" />
        </button>
        <button type="submit" class="icon-button chat-send" aria-label={t('chat.send')} disabled={!canSend()}>
          <Glyph name="send" />
        </button>
      </div>
      <p class="chat-input-note" id={noteId}>
        <Note room={room} />
        <Show when={room.config().chatRecorded}>
          <span class="chat-recorded">{t('chat.recorded')}</span>
        </Show>
        <Show when={left().isNear}>
          <output class="chat-counter" data-over={left().isOver ? 'true' : undefined} title={t('chat.left')}>
            {left().left}
          </output>
        </Show>
      </p>
    </form>
  );
}

/** Why Enter does nothing right now. */
function Note(props: { room: Room }): JSX.Element {
  return (
    <span role="status">
      <Show
        when={props.room.obstacle()}
        fallback={
          <Show when={props.room.isSending()} fallback={<WaitNote seconds={props.room.waitSeconds()} />}>
            {t('chat.sending')}
          </Show>
        }
      >
        {(obstacle) => t(obstacle() === 'connecting' ? 'chat.connecting' : 'chat.lost')}
      </Show>
    </span>
  );
}

function Quote(props: { room: Room }): JSX.Element {
  return (
    <Show when={props.room.replyTo()}>
      {(reply) => (
        <div class="chat-replying">
          <Glyph name="reply" />
          <span>
            <strong>{t('chat.reply.to', { name: reply().displayName })}</strong> {reply().excerpt}
          </span>
          <button
            type="button"
            class="icon-button"
            aria-label={t('chat.reply.cancel')}
            title={t('chat.reply.cancel')}
            onClick={() => props.room.setReplyTo(undefined)}
          >
            <Icon name="cross" />
          </button>
        </div>
      )}
    </Show>
  );
}
