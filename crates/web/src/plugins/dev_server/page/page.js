// The author's page: it hears that something has changed, asks for what it shows, and sends what the author types.
import { byId, either, follow, line, make, note, numberCell, sizeOf, table, terms, timeOf } from './parts.js';

/** As many notes as the workshop remembers. */
const MAX_NOTES = 500;
/** Lines the arrow keys bring back. */
const MAX_TYPED = 50;
const TRY_AGAIN_MS = 2000;
const OTHER = 'another';
const STATES = { running: 'Running', disabled: 'Switched off', stopped: 'Not running' };

const seen = { started: undefined, chat: undefined, note: 0, data: undefined, kept: undefined, about: undefined, times: 0 };
const typed = { lines: [], at: 0 };
const tablesOpen = new Map();
let samples = [];
let handled = [];
let isLooking = false;
let isNewer;

// What the workshop tells

function listen() {
  const source = new EventSource('/_dev/pulse');
  source.onopen = () => {
    byId('gone').hidden = true;
  };
  source.onmessage = ({ data }) => look(JSON.parse(data));
  source.onerror = () => {
    byId('gone').hidden = false;
    // A browser tries again by itself, unless it was turned away.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, TRY_AGAIN_MS);
  };
}

/** One look at a time; what is told meanwhile is looked at afterwards. */
async function look(pulse) {
  if (seen.started !== undefined && seen.started !== pulse.started) return location.reload();
  seen.started = pulse.started;
  isNewer = pulse;
  if (isLooking) return;
  isLooking = true;
  try {
    while (isNewer) {
      const now = isNewer;
      isNewer = undefined;
      await lookOnce(now);
    }
  } catch {
    byId('gone').hidden = false;
    setTimeout(() => look(isNewer ?? pulse), TRY_AGAIN_MS);
  } finally {
    isLooking = false;
  }
}

async function lookOnce(pulse) {
  const query = new URLSearchParams({ since: seen.note });
  if (seen.chat !== undefined) query.set('chat', seen.chat);
  const state = await ask(`/_dev/state?${query}`);
  seen.chat = state.pulse.chat;
  if (state.messages) showChat(state.messages);
  showNotes(state.notes);
  showPlugin(state.plugin);
  const data = `${pulse.calls} ${pulse.kept} ${pulse.loads} ${pulse.state}`;
  if (data !== seen.data) {
    const kept = await ask('/_dev/data');
    // What looks the same stays, with the focus in it.
    const text = JSON.stringify(kept);
    if (text !== seen.kept) showData(kept);
    seen.kept = text;
    seen.data = data;
  }
  byId('gone').hidden = true;
}

async function ask(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// The plugin

function showPlugin(plugin) {
  if (!plugin) return;
  document.title = `${plugin.name} · Workshop`;
  byId('name').textContent = plugin.name;
  byId('version').textContent = `${plugin.slug} ${plugin.version}`;
  byId('description').textContent = plugin.description ?? '';
  byId('description').hidden = !plugin.description;
  const state = byId('state');
  state.textContent = STATES[plugin.state];
  state.className = `badge ${plugin.state === 'running' ? 'running' : 'bad'}`;
  state.hidden = false;
  showLoading(plugin);
  showAbout(plugin);
  terms('numbers', [
    ['calls', `${plugin.calls.total}, of which ${plugin.calls.failed} failed`],
    ['memory', sizeOf(plugin.memoryBytes)],
  ]);
  if (plugin.events.join() !== handled.join()) {
    handled = plugin.events;
    offerEvents();
  }
}

/** What changes only with the plugin itself: as long as it is the same it stays, with the focus in it. */
function showAbout(plugin) {
  const { links: places, permissions, commands, isFilter, events } = plugin;
  const about = JSON.stringify({ places, permissions, commands, isFilter, events });
  if (about === seen.about) return;
  seen.about = about;
  const links = plugin.links.map(({ title, href }) => make('a', { href, target: '_blank', rel: 'noopener' }, title));
  byId('links').replaceChildren(...links);
  byId('links').hidden = links.length === 0;

  terms(
    'permissions',
    plugin.permissions.map(({ name, meaning }) => [name, meaning]),
  );
  byId('no-permissions').hidden = plugin.permissions.length > 0;
  terms('commands', plugin.commands.map(aboutCommand));
  byId('no-commands').hidden = plugin.commands.length > 0;
  const handlers = [...(plugin.isFilter ? ['filter of chat messages'] : []), ...plugin.events];
  byId('handlers').replaceChildren(...handlers.map((name) => make('li', {}, name)));
  byId('no-handlers').hidden = handlers.length > 0;
}

function aboutCommand({ prefix, name, description, usage, aliases, modOnly }) {
  const names = [name, ...aliases].map((word) => prefix + word).join(', ');
  const about = [usage, description, modOnly ? 'for moderators' : ''].filter(Boolean).join(' · ');
  return [names, about || 'no description'];
}

function showLoading({ loading, state, error }) {
  const loaded = byId('loaded');
  if (loading.times !== seen.times && loading.loadedAt) {
    const time = timeOf(loading.loadedAt);
    loaded.textContent = loading.times === 1 ? `Loaded at ${time}` : `Reloaded at ${time}, ${loading.times - 1}×`;
    loaded.classList.remove('fresh');
    if (seen.times > 0) {
      // The animation begins anew only after the page was laid out without it.
      void loaded.offsetWidth;
      loaded.classList.add('fresh');
    }
    seen.times = loading.times;
  }
  const { refused } = loading;
  const isDown = state !== 'running';
  if (refused) {
    const rest = isDown ? 'nothing runs' : 'the former version goes on';
    tellTrouble(`Not loaded at ${timeOf(refused.at)}: ${rest}`, refused.why);
  } else if (isDown && error) {
    tellTrouble('The plugin does not run; it is loaded again when you save a file', error);
  } else {
    byId('trouble').hidden = true;
  }
}

function tellTrouble(title, text) {
  const trouble = byId('trouble');
  const isSame = byId('trouble-title').textContent === title && byId('trouble-text').textContent === text;
  // Told anew it would be read out anew.
  if (isSame && !trouble.hidden) return;
  byId('trouble-title').textContent = title;
  byId('trouble-text').textContent = text;
  trouble.hidden = false;
}

// Chat and notes

function showChat(messages) {
  const list = byId('chat');
  const there = new Set(messages.map(({ id }) => id));
  for (const item of list.querySelectorAll('[data-id]')) {
    if (!there.has(item.dataset.id)) item.remove();
    else there.delete(item.dataset.id);
  }
  follow(byId('chat-scroller'), () => {
    list.append(...messages.filter(({ id }) => there.has(id)).map(line));
    byId('no-chat').hidden = list.children.length > 0;
  });
}

/** A remark between the lines that only this page knows. */
function mark(text) {
  const list = byId('chat');
  follow(byId('chat-scroller'), () => list.append(make('li', { class: 'mark' }, text)));
  const marks = list.querySelectorAll('.mark');
  if (marks.length > MAX_TYPED) marks[0].remove();
  byId('no-chat').hidden = true;
}

function showNotes(notes) {
  const list = byId('notes');
  const fresh = notes.filter(({ id }) => id > seen.note);
  if (fresh.length === 0) return;
  seen.note = fresh.at(-1).id;
  follow(byId('notes-scroller'), () => {
    list.append(...fresh.map(note));
    while (list.children.length > MAX_NOTES) list.firstElementChild.remove();
    byId('no-notes').hidden = true;
  });
}

// What the plugin keeps

function showData({ values, valueCount, tables, tableCount, tablesError, files, fileCount }) {
  const counted = (id, count, shown) => {
    const more = shown < count ? `, the first ${shown} are shown` : '';
    byId(id).textContent = count > 0 ? `(${count}${more})` : '';
  };
  counted('value-count', valueCount, values.length);
  either(values.length > 0, 'values', 'no-values');
  const rows = values.map(({ key, value, bytes }) => [key, value, numberCell(sizeOf(bytes))]);
  byId('values').replaceChildren(table(['Key', 'Value', 'Size'], rows));

  counted('table-count', tableCount, tables.length);
  byId('no-tables').hidden = tables.length > 0 || tablesError !== undefined;
  const trouble = tablesError ? [make('p', { class: 'outcome bad' }, tablesError)] : [];
  byId('tables').replaceChildren(...trouble, ...tables.map(showTable));

  counted('file-count', fileCount, files.length);
  either(files.length > 0, 'files', 'no-files');
  const names = files.map(({ path, bytes }) => [path, numberCell(sizeOf(bytes))]);
  byId('files').replaceChildren(table(['Path', 'Size'], names));
}

function showTable({ name, columns, rows, count }, index) {
  const more = rows.length < count ? `, the first ${rows.length} are shown` : '';
  const about = `${name} (${count} ${count === 1 ? 'row' : 'rows'}${more})`;
  const isOpen = tablesOpen.get(name) ?? index === 0;
  const inside =
    rows.length > 0
      ? make('div', { class: 'sideways', tabindex: '0', role: 'region', 'aria-label': name }, table(columns, rows))
      : make('p', { class: 'empty' }, `No rows; its columns are ${columns.join(', ')}.`);
  const details = make('details', { open: isOpen }, make('summary', {}, about), inside);
  details.addEventListener('toggle', () => tablesOpen.set(name, details.open));
  return details;
}

// What the author does

/** Sends it, and gives the answer or a sentence on what went wrong. */
async function send(path, body) {
  try {
    const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    return response.ok ? { answer: await response.json() } : { why: (await response.text()).trim() };
  } catch {
    return { why: 'the workshop does not answer' };
  }
}

function outcome(id, text, kind = '') {
  byId(id).textContent = text;
  byId(id).className = `outcome ${kind}`;
}

/** Does it once at a time, and leaves the focus where it was. */
async function once(form, work) {
  if (form.hasAttribute('aria-busy')) return;
  form.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    form.removeAttribute('aria-busy');
  }
}

async function say() {
  const name = byId('speaker').value.trim();
  const body = byId('message').value;
  const isModerator = byId('moderator').checked;
  const known = { id: name, displayName: name, scopes: ['MODERATOR'], isAuthenticated: true };
  const { answer, why } = await send('/_dev/chat', { user: isModerator ? known : name, body });
  if (why) return outcome('said', why, 'bad');
  typed.lines = [...typed.lines.filter((one) => one !== body), body].slice(-MAX_TYPED);
  typed.at = typed.lines.length;
  // What was typed meanwhile stays.
  if (byId('message').value === body) byId('message').value = '';
  if (answer.allowed) return outcome('said', '');
  const reason = answer.reason ? `: ${answer.reason}` : '';
  mark(`${name}: ${body} (kept back${reason})`);
  outcome('said', `Kept back by the filter${reason}`, 'odd');
}

function recall(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const at = typed.at + step;
  if (step === undefined || at < 0 || at > typed.lines.length) return;
  event.preventDefault();
  typed.at = at;
  byId('message').value = typed.lines[at] ?? '';
}

const chosenEvent = () => (byId('event').value === OTHER ? byId('other').value.trim() : byId('event').value);

async function fire() {
  const type = chosenEvent();
  let payload;
  try {
    payload = JSON.parse(byId('payload').value.trim() || '{}');
  } catch (error) {
    byId('payload').focus();
    return outcome('fired', `The payload is no JSON: ${error.message}`, 'bad');
  }
  const { why } = await send('/_dev/event', { type, payload });
  if (why) return outcome('fired', why, 'bad');
  const at = timeOf(Date.now());
  if (handled.includes(type)) return outcome('fired', `${type} was told at ${at}.`);
  outcome('fired', `${type} was told at ${at}, but the plugin has no handler for it.`, 'odd');
}

function offerEvents() {
  const former = byId('event').value;
  const names = samples.map(({ event }) => event);
  const own = handled.filter((event) => !names.includes(event));
  const option = (event) => {
    const { needs } = samples.find((one) => one.event === event) ?? {};
    return make('option', { value: event }, needs ? `${event} (needs ${needs})` : event);
  };
  const group = (label, events) => (events.length > 0 ? [make('optgroup', { label }, ...events.map(option))] : []);
  const all = [...names, ...own];
  byId('event').replaceChildren(
    ...group(
      'The plugin has a handler',
      all.filter((event) => handled.includes(event)),
    ),
    ...group(
      'It has none',
      all.filter((event) => !handled.includes(event)),
    ),
    make('option', { value: OTHER }, 'another name…'),
  );
  if ([...all, OTHER].includes(former)) byId('event').value = former;
  else chooseEvent();
}

function chooseEvent() {
  const isOther = byId('event').value === OTHER;
  byId('other-field').hidden = !isOther;
  byId('other').required = isOther;
  const sample = samples.find(({ event }) => event === byId('event').value);
  byId('payload').value = JSON.stringify(sample?.payload ?? {}, null, 2);
  outcome('fired', '');
}

function onSubmit(id, work) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    once(event.currentTarget, work);
  });
}

onSubmit('say', say);
onSubmit('fire', fire);
byId('message').addEventListener('keydown', recall);
byId('event').addEventListener('change', chooseEvent);
byId('restore').addEventListener('click', chooseEvent);
byId('payload').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('fire').requestSubmit();
});
byId('level').addEventListener('change', ({ target }) => {
  byId('notes').className = target.value === 'all' ? '' : `${target.value}-only`;
});
byId('clear').addEventListener('click', () => {
  byId('notes').replaceChildren();
  byId('no-notes').hidden = false;
});

try {
  samples = await ask('/_dev/samples');
} catch {
  byId('gone').hidden = false;
}
offerEvents();
listen();
