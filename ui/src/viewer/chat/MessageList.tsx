/**
 * The lines, newest at the bottom. Only a stretch of them is in the page; it follows the end until the reader scrolls
 * up, and then stands still while new lines are counted. It also stands still while somebody aims at a line's buttons.
 */
import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount, Show, untrack } from 'solid-js';
import { t } from '../../i18n/index.ts';
import { folded } from './folds.ts';
import { Glyph } from './Glyph.tsx';
import { FoldedLines, LineView } from './Lines.tsx';
import { LineTools } from './LineTools.tsx';
import type { Line } from './lines.ts';
import type { Room } from './room.ts';
import { countLater, earlierSpan, endSpan, hasEarlier, laterSpan, rowsOf, type Span, spanAround } from './span.ts';
import { useLongPress } from './touch.ts';

/** Closer to the end than this is at the end: a line that is still half below the edge. */
const END_PX = 48;
/** More lines are fetched before the reader comes to the edge. */
const EDGE_PX = 400;
/** A pointer that lies on the lines for longer does not aim at anything. */
const AIM_MS = 5_000;

export function MessageList(props: { room: Room; isReadOnly?: boolean }): JSX.Element {
  const { room } = props;
  let scroller: HTMLElement | undefined;
  let list: HTMLOListElement | undefined;
  const [following, setFollowing] = createSignal(true);
  const [fixed, setFixed] = createSignal<Span>({ from: 0, to: 0 });
  const [active, setActive] = createSignal<string>();
  const [pressed, setPressed] = createSignal<string>();
  /** The menu of a line is open. */
  const [held, setHeld] = createSignal(false);
  /** The line whose buttons have the focus. */
  const [focused, setFocused] = createSignal<string>();
  /** The keyboard is at a line or its buttons. */
  const [hasKeys, setHasKeys] = createSignal(false);
  /** A moderator's pointer moves over the lines. */
  const [aims, setAims] = createSignal(false);

  /** The stretch that must not move now: what somebody is about to press would be another line by then. */
  const still = createMemo<Span | undefined>((before) =>
    held() || hasKeys() || aims() ? (before ?? untrack(() => endSpan(room.log))) : undefined,
  );
  const span = createMemo(() => {
    room.version();
    if (!following()) return fixed();
    const kept = still();
    // Nothing was there to stand still, or it is so old that it has gone.
    const isThere = kept && kept.to >= (room.log.all[0]?.seq ?? 0);
    return isThere ? kept : endSpan(room.log);
  });
  /** Hidden lines that are not folded away. */
  const opened = new Set<string>();
  const [openings, setOpenings] = createSignal(0);
  const view = createMemo(() => {
    room.version();
    openings();
    // What somebody is at stays under the pointer and keeps the focus, also when it is hidden now.
    const at = untrack(() => focused() ?? active());
    if (at && room.log.isHidden(at)) opened.add(at);
    const isHidden = (id: string) => room.log.isHidden(id);
    return folded(rowsOf(room.log, span()), isHidden, (id) => opened.has(id));
  });
  const rows = () => view().rows;
  const foldOf = (line: Line) => view().folds.get(line.id) ?? [];
  const waiting = createMemo(() => {
    room.version();
    return countLater(room.log, span());
  });

  const leaveByKeys = () => {
    setFocused(undefined);
    setHasKeys(false);
  };

  /** Where the list was put last; the reader has scrolled up when it is further up than that. */
  let putAt = 0;
  const toEnd = () => {
    if (!scroller) return;
    scroller.scrollTop = scroller.scrollHeight;
    putAt = scroller.scrollTop;
  };
  createEffect(
    on([rows, following], () => {
      if (following() && !still()) toEnd();
      // Not every browser says that what had the focus is gone.
      if (untrack(hasKeys) && !list?.contains(document.activeElement)) leaveByKeys();
    }),
  );

  const rowWith = (id: string) => list?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);

  const unfold = (ids: string[]) => {
    // Whoever reads what was hidden does not follow what comes.
    if (following() && !still()) {
      setFixed(span());
      setFollowing(false);
    }
    for (const id of ids) opened.add(id);
    setOpenings((count) => count + 1);
    rowWith(ids[0] ?? '')?.focus({ preventScroll: true });
  };

  /** Changes the stretch so that what the reader looks at stays where it is. */
  const moveSpan = (next: Span) => {
    if (!scroller || !list) return;
    const edge = scroller.getBoundingClientRect().top;
    const anchor = [...list.children].find((row) => row.getBoundingClientRect().bottom > edge) as HTMLElement;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    setFixed(next);
    const anchorRow = anchor?.dataset.id ? rowWith(anchor.dataset.id) : undefined;
    if (anchorRow) scroller.scrollTop += anchorRow.getBoundingClientRect().top - before;
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
      // Not the reader moved but the lines: a picture arrived, or more lines did since.
      if (above >= putAt) {
        if (!still()) toEnd();
        return;
      }
      setFixed(span());
      setFollowing(false);
    }
    if (above < EDGE_PX && hasEarlier(room.log, fixed())) moveSpan(earlierSpan(room.log, fixed()));
    else if (below < EDGE_PX && waiting() > 0) moveSpan(laterSpan(room.log, fixed()));
  };

  const goTo = (id: string) => {
    const line = room.log.all.find((one) => one.id === id);
    if (!line) return;
    if (room.log.isHidden(id)) unfold([id]);
    if (!rowWith(id)) {
      setFixed(spanAround(room.log, line.seq));
      setFollowing(false);
    }
    const row = rowWith(id);
    if (!row || !scroller) return;
    // Into the middle of the list. `scrollIntoView` would move the page, and the picture with it.
    const box = row.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    scroller.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
    row.focus({ preventScroll: true });
  };

  const moveFocus = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const focused = (event.target as Element).closest('[data-id]');
    const last = list?.lastElementChild;
    const next =
      event.key === 'ArrowUp' ? (focused ? focused.previousElementSibling : last) : focused?.nextElementSibling;
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
  };

  onMount(() => {
    toEnd();
    if (typeof ResizeObserver !== 'function' || !scroller || !list) return;
    // The field below grows, a keyboard appears, a window is resized.
    const observer = new ResizeObserver(() => {
      if (following() && !still()) toEnd();
    });
    observer.observe(scroller);
    observer.observe(list);
    onCleanup(() => observer.disconnect());
  });

  // New lines move the others under the pointer; an open menu stays with its own.
  const attend = (id: string | undefined) => {
    if (!held()) setActive(id);
  };
  const idAt = (event: Event) => (event.target as Element).closest<HTMLElement>('[data-id]')?.dataset.id;

  /** Where the pointer is. One that rests still means the line it came to, whatever has moved under it since. */
  let restsAt = '';
  const hasMoved = (event: PointerEvent) => {
    const at = `${event.clientX} ${event.clientY}`;
    const moved = at !== restsAt;
    restsAt = at;
    return moved;
  };
  let rest: ReturnType<typeof setTimeout> | undefined;
  const aim = (isAiming: boolean) => {
    clearTimeout(rest);
    setAims(isAiming);
  };
  const letRest = () => {
    clearTimeout(rest);
    if (aims()) rest = setTimeout(() => aim(false), AIM_MS);
  };
  onCleanup(() => clearTimeout(rest));
  /** A finger leaves with every touch, and comes along while it scrolls: its line is the one it taps. */
  const isFinger = (event: PointerEvent) => event.pointerType === 'touch';
  const onPoint = (event: PointerEvent) => {
    if (isFinger(event)) return;
    if (hasMoved(event)) {
      if (!pressed()) attend(idAt(event));
      if (!room.isModerating()) return;
      aim(true);
    }
    // On the buttons it means them, however long that takes; a menu that is closed goes from under it.
    if (!(event.target as Element).closest('.chat-tools')) letRest();
  };
  const onPointerLeave = (event: PointerEvent) => {
    if (isFinger(event)) return;
    if (!hasMoved(event)) {
      // Something lies over the lines now, as a dialog that was chosen in a menu. It may not come back.
      letRest();
      return;
    }
    restsAt = '';
    aim(false);
    attend(undefined);
  };

  const onFocusIn = (event: FocusEvent) => {
    attend(idAt(event));
    // A click focuses too, and says nothing about what comes next.
    setHasKeys((event.target as Element).matches(':focus-visible'));
    setFocused((event.target as Element).closest('.chat-tools') ? idAt(event) : undefined);
  };
  const onFocusOut = (event: FocusEvent) => {
    if (!list?.contains(event.relatedTarget as Node | null)) leaveByKeys();
  };

  const longPress = useLongPress((event) => {
    setActive(idAt(event));
    setPressed(idAt(event));
  });
  let isTouched = false;
  const onTap = (event: MouseEvent) => {
    if (!isTouched) return;
    // What a button of the line was for is done; its menu keeps the attention by itself.
    const isDone = (event.target as Element).closest('.chat-tools');
    attend(isDone ? undefined : idAt(event));
    if (!held()) setPressed(undefined);
  };
  /** The keyboard has its own way: the line with the focus has its buttons. */
  const byFinger = { ...longPress, onClick: onTap };
  const onTouchElsewhere = (event: PointerEvent) => {
    if (isFinger(event) && !list?.contains(event.target as Node)) attend(undefined);
  };
  document.addEventListener('pointerdown', onTouchElsewhere);
  onCleanup(() => document.removeEventListener('pointerdown', onTouchElsewhere));

  const toolsOf = (line: Line) => (
    <Show when={!props.isReadOnly && (active() === line.id || focused() === line.id)}>
      <LineTools
        room={room}
        line={line}
        isPressed={pressed() === line.id}
        onPressEnd={() => setPressed(undefined)}
        onHold={setHeld}
      />
    </Show>
  );

  return (
    <div class="chat-scroll-frame">
      <section
        class="chat-scroll"
        ref={(element) => {
          scroller = element;
        }}
        aria-label={t('chat.lines')}
        tabindex="0"
        onScroll={onScroll}
        onKeyDown={moveFocus}
      >
        <ol
          class="chat-lines"
          ref={(element) => {
            list = element;
          }}
          {...byFinger}
          onPointerDown={(event) => {
            isTouched = isFinger(event);
            longPress.onPointerDown(event);
          }}
          onPointerOver={onPoint}
          onPointerMove={(event) => {
            longPress.onPointerMove(event);
            onPoint(event);
          }}
          onPointerLeave={onPointerLeave}
          onFocusIn={onFocusIn}
          onFocusOut={onFocusOut}
        >
          <For each={rows()}>
            {(line) => (
              <Show
                when={view().folds.has(line.id)}
                fallback={
                  <LineView
                    line={line}
                    me={room.me()}
                    tools={toolsOf(line)}
                    onGoTo={goTo}
                    isHidden={room.isHidden(line.id)}
                    onShowAgain={room.isDeleted(line.id) ? undefined : () => void room.showAgain(line.id)}
                  />
                }
              >
                <FoldedLines id={line.id} count={foldOf(line).length} onOpen={() => unfold(foldOf(line))} />
              </Show>
            )}
          </For>
        </ol>
      </section>
      <Show when={(!following() || waiting() > 0) && !props.isReadOnly}>
        <button
          type="button"
          class="chat-to-end"
          onClick={() => {
            aim(false);
            setHasKeys(false);
            setFollowing(true);
            toEnd();
          }}
        >
          <Glyph name="down" />
          {waiting() > 0 ? t('chat.toEnd.new', { count: waiting() }) : t('chat.toEnd')}
        </button>
      </Show>
    </div>
  );
}
