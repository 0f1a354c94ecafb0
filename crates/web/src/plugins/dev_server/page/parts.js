// Makes elements of what the workshop tells. Texts of plugins are only ever put in as texts.

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a child is an element or a text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

export const timeOf = (text) => TIME.format(new Date(text));

export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}

/** A line of the chat. */
export function line(message) {
  const { user } = message;
  const item = make('li', { 'data-id': message.id, class: user ? undefined : 'system' });
  if (user) {
    item.append(make('span', { class: 'who' }, user.displayName || user.id));
    if (user.isBot) item.append(make('span', { class: 'tag' }, 'bot'));
    if (user.scopes?.includes('MODERATOR')) item.append(make('span', { class: 'tag' }, 'moderator'));
  } else {
    item.append(make('span', { class: 'tag' }, 'to everybody, as HTML'));
  }
  item.append(make('span', {}, message.body));
  return item;
}

/** A note on what happened. */
export function note({ id, time, level, what, text }) {
  return make(
    'li',
    { 'data-id': String(id), class: what === 'request' ? `${level} request` : level },
    make('time', { class: 'about-it', datetime: time }, timeOf(time)),
    make('span', { class: 'what' }, what),
    make('span', { class: 'text' }, text),
  );
}

/** A table with a head; cells are texts, numbers or null, or elements of their own. */
export function table(columns, rows) {
  const cell = (value) => {
    if (value instanceof Element) return value;
    return value === null ? make('td', { class: 'none' }, 'NULL') : make('td', {}, String(value));
  };
  return make(
    'table',
    {},
    make('thead', {}, make('tr', {}, ...columns.map((name) => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map(cell)))),
  );
}

export const numberCell = (text) => make('td', { class: 'number' }, text);

/** Shows either what is there or that nothing is. */
export function either(isThere, shown, empty) {
  byId(shown).hidden = !isThere;
  byId(empty).hidden = isThere;
}

/** Puts pairs into a list of terms. */
export function terms(id, pairs) {
  byId(id).replaceChildren(...pairs.flatMap(([term, text]) => [make('dt', {}, term), make('dd', {}, text)]));
}

/** Adds to a list that scrolls; it stays at its end if it was there. */
export function follow(scroller, change) {
  const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
  change();
  if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
}
