/** The keys viewers know from other players, wherever the focus is, except where keys mean something else. */

export type KeyAction = 'play' | 'mute' | 'fullscreen' | 'louder' | 'quieter';

const KEYS: Record<string, KeyAction> = {
  ' ': 'play',
  m: 'mute',
  f: 'fullscreen',
  '0': 'louder',
  '9': 'quieter',
};

/** Here the viewer writes. */
const TYPING = 'input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select, [contenteditable]';
/** Here the space bar presses what has the focus. */
const PRESSING = 'button, a, summary, input, [role="button"], [role="tab"], [role="switch"], [role="slider"]';

/** The element inside a shadow root that really has the focus. */
function targetOf(event: KeyboardEvent): Element | undefined {
  const target = event.composedPath()[0];
  return target instanceof Element ? target : undefined;
}

/** Whether the key belongs to a field or a dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = targetOf(event);
  return Boolean(target?.closest(TYPING) || target?.closest('dialog[open]'));
}

export function keyAction(event: KeyboardEvent): KeyAction | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const action = KEYS[event.key.toLowerCase()];
  if (!action || isTyping(event)) return undefined;
  if (event.key === ' ' && targetOf(event)?.closest(PRESSING)) return undefined;
  // Holding a key down would flicker.
  if (event.repeat && action !== 'louder' && action !== 'quieter') return undefined;
  return action;
}

/** Listens on the whole page; returns the function that stops it. */
export function listenForKeys(act: (action: KeyAction) => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    act(action);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
