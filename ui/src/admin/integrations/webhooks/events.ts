/** What a webhook can be told about, and what may be in its form. */
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import type { CheckOption } from '../CheckGroup.tsx';

export const EVENTS = [
  'STREAM_STARTED',
  'STREAM_STOPPED',
  'STREAM_TITLE_UPDATED',
  'RECORDING_STARTED',
  'RECORDING_FINISHED',
  'RECORDING_PUBLISHED',
  'CHAT',
  'NAME_CHANGE',
  'USER_JOINED',
  'USER_PARTED',
  'VISIBILITY-UPDATE',
  'FEDIVERSE_ENGAGEMENT_FOLLOW',
];

/** One this page does not know keeps its name on the wire. */
export function eventName(event: string): string {
  return EVENTS.includes(event) ? ta(`event.${event}` as AdminKey) : event;
}

/** What is subscribed already is never lost by editing, known here or not. */
export function eventOptions(subscribed: string[] = []): CheckOption[] {
  const unknown = subscribed.filter((event) => !EVENTS.includes(event));
  return [...EVENTS, ...unknown].map((value) => ({ value, label: eventName(value), text: value }));
}

/** A hint, not a gate: the server decides, and it knows which addresses it can reach. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
