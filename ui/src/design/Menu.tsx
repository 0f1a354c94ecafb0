/** A list of things to do beside the control that opened it: arrows move, Escape and a click elsewhere close. */
import './menu.css';
import { For, type JSX, onCleanup, onMount } from 'solid-js';

export interface MenuItem {
  label: string;
  icon?: JSX.Element;
  tone?: 'danger';
  onSelect: () => void;
}

export interface MenuProps {
  label: string;
  items: MenuItem[];
  /** What the menu belongs to; it gets the focus back. */
  anchor: HTMLElement;
  onClose: () => void;
}

/** Between the control and its menu, and between the menu and the edge of the window. */
const GAP_PX = 6;

/** Below the anchor where it fits, above it otherwise; always inside the window. */
function positionMenu(menu: HTMLElement, anchor: HTMLElement): void {
  const box = anchor.getBoundingClientRect();
  const fitsBelow = box.bottom + GAP_PX + menu.offsetHeight <= window.innerHeight;
  const top = fitsBelow ? box.bottom + GAP_PX : box.top - GAP_PX - menu.offsetHeight;
  const left = Math.min(box.right - menu.offsetWidth, window.innerWidth - menu.offsetWidth - GAP_PX);
  menu.style.top = `${Math.max(top, GAP_PX)}px`;
  menu.style.left = `${Math.max(left, GAP_PX)}px`;
}

export function Menu(props: MenuProps): JSX.Element {
  // Read once: while it closes, where it came from may be gone already.
  const { anchor } = props;
  let menu: HTMLDivElement | undefined;
  const items = () => [...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];

  const close = () => {
    props.onClose();
    if (anchor.isConnected) anchor.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = items();
    const now = all.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = {
      ArrowDown: (now + 1) % all.length,
      ArrowUp: (now + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined) all[target]?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') props.onClose();
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  const onPointerDown = (event: PointerEvent) => {
    const target = event.target as Node;
    if (!menu?.contains(target) && !anchor.contains(target)) props.onClose();
  };

  onMount(() => {
    if (!menu) return;
    // In the top layer nothing can cut it off.
    menu.showPopover?.();
    positionMenu(menu, anchor);
    items()[0]?.focus({ preventScroll: true });
    document.addEventListener('pointerdown', onPointerDown, true);
  });
  onCleanup(() => document.removeEventListener('pointerdown', onPointerDown, true));

  return (
    <div
      class="menu"
      popover="manual"
      role="menu"
      tabindex="-1"
      aria-label={props.label}
      ref={(element) => {
        menu = element;
      }}
      onKeyDown={move}
    >
      <For each={props.items}>
        {(item) => (
          <button
            type="button"
            role="menuitem"
            tabindex="-1"
            data-tone={item.tone}
            onClick={() => {
              close();
              item.onSelect();
            }}
          >
            {item.icon}
            <span>{item.label}</span>
          </button>
        )}
      </For>
    </div>
  );
}
