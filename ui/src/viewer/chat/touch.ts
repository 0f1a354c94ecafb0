/** A finger that stays: what the right button is elsewhere. */

/** As long as phones take for it. */
const PRESS_MS = 500;
/** A finger that wanders further scrolls. */
const WANDER_PX = 10;

export function useLongPress(onPress: (event: PointerEvent) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { x: 0, y: 0 };
  const cancel = () => clearTimeout(timer);
  return {
    onPointerDown: (event: PointerEvent) => {
      cancel();
      if (event.pointerType !== 'touch') return;
      start = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => onPress(event), PRESS_MS);
    },
    onPointerMove: (event: PointerEvent) => {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > WANDER_PX) cancel();
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    /** Some phones would open a menu of their own. */
    onContextMenu: (event: MouseEvent) => {
      if ('pointerType' in event && event.pointerType === 'touch') event.preventDefault();
    },
  };
}
