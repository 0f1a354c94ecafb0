/**
 * A line of the log as people read it: a sentence, and beside it what the server says about it in fields.
 * The server writes `message key=value other="two words"`.
 */
import { type AdminKey, ta } from '../../i18n/admin.ts';

export interface LogFact {
  name: string;
  value: string;
}

export interface LogSentence {
  text: string;
  facts: LogFact[];
}

/** Where a field begins, outside of quotes. */
const FIELD = /^ ([a-z_][a-z0-9_]*)=/;
/** A plugin may write anything; what the server adds begins here. */
const ABOUT_PLUGIN = / plugin="(?:[^"\\]|\\.)*"/;

/** Positions at which fields begin. */
function fieldStarts(line: string): number[] {
  const starts: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    if (isQuoted && line[at] === '\\') at += 1;
    else if (line[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && line[at] === ' ' && FIELD.test(line.slice(at, at + 64))) starts.push(at);
  }
  return starts;
}

/** Without the quotes and backslashes that the log needs. */
function plain(value: string): string {
  if (!/^".*"$/s.test(value)) return value;
  return value.slice(1, -1).replace(/\\(["\\])/g, '$1');
}

function factsOf(fields: string): LogFact[] {
  const starts = fieldStarts(fields);
  return starts.map((start, index) => {
    const field = fields.slice(start + 1, starts[index + 1]);
    const equals = field.indexOf('=');
    return { name: field.slice(0, equals), value: plain(field.slice(equals + 1)) };
  });
}

/** The words for a message that is common enough to have some, in the language of the person. */
function words(message: string): string | undefined {
  const key = `log.${message}`;
  const text = ta(key as AdminKey);
  return text === key ? undefined : text;
}

function sentence(message: string): string {
  const first = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…:)\]}]$/.test(first) ? first : `${first}.`;
}

export function sentenceOf(line: string): LogSentence {
  const plugin = line.match(ABOUT_PLUGIN);
  const end = plugin?.index ?? fieldStarts(line)[0] ?? line.length;
  const message = line.slice(0, end);
  const facts = factsOf(line.slice(end));
  // Of a plugin only its own words are known, and they stay as they are.
  if (!message.trim() || plugin) return { text: message, facts };
  return { text: words(message) ?? sentence(message), facts };
}

/** "is_tls" and "status_code" as words; what has a name of its own here is called by it. */
export function factName(name: string): string {
  const key = `logfact.${name}`;
  const text = ta(key as AdminKey);
  return text === key ? name.replaceAll('_', ' ') : text;
}

export function factValue(value: string): string {
  if (value === 'true') return ta('logfact.yes');
  return value === 'false' ? ta('logfact.no') : value;
}
