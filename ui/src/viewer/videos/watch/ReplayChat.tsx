/** What was said, beside the picture: up to where that is, as the room looked then. Nobody writes here. */
import { createEffect, createMemo, createSignal, For, type JSX, Match, on, Show, Switch, untrack } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { Glyph } from '../../chat/Glyph.tsx';
import { LineView } from '../../chat/Lines.tsx';
import type { Line } from '../../chat/lines.ts';
import { countLater, earlierSpan, endSpan, hasEarlier, laterSpan, rowsOf, type Span } from '../../chat/span.ts';
import { t } from '../texts.ts';
import { clockOf } from '../times.ts';
import type { ChatReplay } from './chat-replay.ts';

/** Closer to the end than this is at the end. */
const END_PX = 48;
/** More is put into the page before the reader comes to the edge. */
const EDGE_PX = 400;

export function ReplayChat(props: { chat: ChatReplay; tools: JSX.Element }): JSX.Element {
  const { chat } = props;
  const isEmpty = () => {
    chat.version();
    return chat.log.all.length === 0;
  };
  return (
    <>
      <div class="chat-header">
        <h2>{t('video.chat')}</h2>
        {props.tools}
      </div>
      <div class="chat-body-frame">
        <ReplayLines chat={chat} />
        <Show when={isEmpty()}>
          <div class="chat-empty">
            <Switch>
              <Match when={chat.state() === 'loading'}>
                <p role="status">{t('common.loading')}</p>
              </Match>
              <Match when={chat.state() === 'ready'}>
                <Glyph name="chat" />
                <p>{t('video.chat.empty')}</p>
              </Match>
            </Switch>
          </div>
        </Show>
      </div>
      <Show when={chat.state() === 'failed'}>
        <div class="replay-chat-note" role="status">
          <span>{t('video.chat.failed')}</span>
          <button type="button" class="button" data-size="small" onClick={() => chat.retry()}>
            <Icon name="refresh" />
            {t('common.retry')}
          </button>
        </div>
      </Show>
      <p class="replay-chat-note muted small">{t('video.chat.help')}</p>
    </>
  );
}

function ReplayLines(props: { chat: ChatReplay }): JSX.Element {
  const { chat } = props;
  let scroller: HTMLElement | undefined;
  let list: HTMLOListElement | undefined;
  const [following, setFollowing] = createSignal(true);
  const [fixed, setFixed] = createSignal<Span>({ from: 0, to: 0 });

  // Whoever goes to another place wants to see what was said there.
  createEffect(on(chat.place, () => setFollowing(true), { defer: true }));

  const span = createMemo(() => {
    chat.version();
    return following() ? endSpan(chat.log) : fixed();
  });
  const rows = createMemo(() => {
    chat.version();
    return rowsOf(chat.log, span());
  });
  const waiting = createMemo(() => {
    chat.version();
    return countLater(chat.log, span());
  });

  /** Where the list was put last; the reader has scrolled up when it is further up than that. */
  let putAt = 0;
  const toEnd = () => {
    if (!scroller) return;
    scroller.scrollTop = scroller.scrollHeight;
    putAt = scroller.scrollTop;
  };
  const rowWith = (id: string) => list?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);

  /** Whatever is put above it: what the reader looks at stays where it is. */
  const keepPlace = (change: () => void) => {
    if (!scroller || !list) return change();
    const edge = scroller.getBoundingClientRect().top;
    const anchor = [...list.children].find((row) => row.getBoundingClientRect().bottom > edge) as
      | HTMLElement
      | undefined;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    change();
    const row = anchor?.dataset.id ? rowWith(anchor.dataset.id) : undefined;
    if (row) scroller.scrollTop += row.getBoundingClientRect().top - before;
  };

  createEffect(
    on([rows, following], () => {
      if (following()) toEnd();
    }),
  );
  // Older lines have come: more of them can be put into the page.
  createEffect(
    on(chat.version, () => {
      if (!untrack(following) && scroller && scroller.scrollTop < EDGE_PX) more();
    }),
  );

  const more = () => {
    if (hasEarlier(chat.log, fixed())) keepPlace(() => setFixed(earlierSpan(chat.log, fixed())));
    else if (chat.hasEarlier()) chat.earlier();
  };

  const onScroll = () => {
    if (!scroller) return;
    const above = scroller.scrollTop;
    const below = scroller.scrollHeight - scroller.clientHeight - above;
    if (below < END_PX && waiting() === 0) {
      putAt = above;
      setFollowing(true);
      return;
    }
    if (following()) {
      // Not the reader moved but the lines.
      if (above >= putAt) {
        toEnd();
        return;
      }
      setFixed(span());
      setFollowing(false);
    }
    if (above < EDGE_PX) more();
    else if (below < EDGE_PX && waiting() > 0) keepPlace(() => setFixed(laterSpan(chat.log, fixed())));
  };

  const goTo = (id: string) => {
    const row = rowWith(id);
    if (!row || !scroller) return;
    const box = row.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    scroller.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
    row.focus({ preventScroll: true });
  };

  const moveFocus = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const at = (event.target as Element).closest('[data-id]');
    const next =
      event.key === 'ArrowUp'
        ? (at?.previousElementSibling ?? (at ? null : list?.lastElementChild))
        : at?.nextElementSibling;
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  };

  const timeOf = (line: Line) => clockOf(chat.timeOf(line.id) ?? 0);

  return (
    <div class="chat-scroll-frame">
      {/* Not a log: it would be read into the sound of the video. */}
      <section
        class="chat-scroll"
        aria-label={t('chat.lines')}
        tabindex="0"
        ref={(element) => {
          scroller = element;
        }}
        onScroll={onScroll}
        onKeyDown={moveFocus}
      >
        <ol
          class="chat-lines"
          ref={(element) => {
            list = element;
          }}
        >
          <For each={rows()}>
            {(line) => (
              <LineView
                line={line}
                me={undefined}
                tools={undefined}
                onGoTo={goTo}
                isHidden={false}
                onShowAgain={undefined}
                timeOf={timeOf}
              />
            )}
          </For>
        </ol>
      </section>
      <Show when={!following()}>
        <button type="button" class="chat-to-end" onClick={() => setFollowing(true)}>
          <Glyph name="down" />
          {waiting() > 0 ? t('chat.toEnd.new', { count: waiting() }) : t('chat.toEnd')}
        </button>
      </Show>
    </div>
  );
}
