/** The keys viewers know from other players, wherever the focus is, except where keys mean something else. */

export type KeyAction =
  | 'play'
  | 'mute'
  | 'fullscreen'
  | 'louder'
  | 'quieter'
  | 'back'
  | 'forward'
  | 'step-back'
  | 'step-forward'
  | 'pip'
  | 'theatre'
  | 'help';

const KEYS: Record<string, KeyAction> = {
  ' ': 'play',
  k: 'play',
  m: 'mute',
  f: 'fullscreen',
  '0': 'louder',
  '9': 'quieter',
  j: 'back',
  l: 'forward',
  arrowleft: 'step-back',
  arrowright: 'step-forward',
  i: 'pip',
  t: 'theatre',
  '?': 'help',
};
/** Elsewhere these move the page. */
const PLAYER_KEYS: Record<string, KeyAction> = { arrowup: 'louder', arrowdown: 'quieter' };
/** Holding the others down would flicker. */
const REPEATED: readonly KeyAction[] = ['louder', 'quieter', 'back', 'forward', 'step-back', 'step-forward'];

/** Here the viewer writes. */
const TYPING = 'input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select, [contenteditable]';
/** Here the space bar presses what has the focus. */
const PRESSING = 'button, a, summary, input, [role="button"], [role="tab"], [role="switch"], [role="slider"]';

/** Here the arrows go from one to the next. */
const STEERING =
  'input, [role="slider"], [role="tab"], [role="radio"], [role="menu"], [role="listbox"], [role="grid"], [role="tree"]';

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
  const key = event.key.toLowerCase();
  const target = targetOf(event);
  const isInPlayer = event.composedPath().some((one) => one instanceof Element && one.id === 'player');
  const action = KEYS[key] ?? (isInPlayer ? PLAYER_KEYS[key] : undefined);
  if (!action || isTyping(event)) return undefined;
  if (key === ' ' && target?.closest(PRESSING)) return undefined;
  if (key.startsWith('arrow') && target?.closest(STEERING)) return undefined;
  if (event.repeat && !REPEATED.includes(action)) return undefined;
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
