/** An action while it is being edited: one way to open at a time, and what is wrong with it. */
import { ta } from '../../../i18n/admin.ts';
import { kindOf } from '../../../viewer/Actions.tsx';
import type { ExternalAction } from '../../../wire.ts';
import { isWebAddress } from '../webhooks/events.ts';

export type Kind = 'tab' | 'frame' | 'html';

export interface Draft {
  kind: Kind;
  title: string;
  description: string;
  url: string;
  html: string;
  icon: string;
  color: string;
}

export function draftOf(action: ExternalAction | undefined): Draft {
  return {
    kind: (action && kindOf(action)) ?? 'tab',
    title: action?.title ?? '',
    description: action?.description ?? '',
    url: action?.url ?? '',
    html: action?.html ?? '',
    icon: action?.icon ?? '',
    color: action?.color ?? '',
  };
}

/** What goes to the server: all keys, and only the address or only the text. */
export function actionOf(draft: Draft): Required<ExternalAction> {
  const isHtml = draft.kind === 'html';
  return {
    url: isHtml ? '' : draft.url.trim(),
    html: isHtml ? draft.html : '',
    title: draft.title.trim(),
    description: draft.description.trim(),
    icon: draft.icon.trim(),
    color: draft.color.trim(),
    openExternally: draft.kind === 'tab',
  };
}

export type DraftErrors = Partial<Record<keyof Draft, string>>;

export function errorsOf(draft: Draft): DraftErrors {
  const errors: DraftErrors = {};
  if (!draft.title.trim()) errors.title = ta('actions.title.missing');
  if (draft.kind === 'html' && !draft.html.trim()) errors.html = ta('actions.html.missing');
  if (draft.kind !== 'html' && !isWebAddress(draft.url.trim())) errors.url = ta('webhooks.url.invalid');
  return errors;
}
