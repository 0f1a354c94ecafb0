/** What a token may do, in words, and how it is tried out. */
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import type { CheckOption } from '../CheckGroup.tsx';
import type { Scope } from '../wire.ts';

export const SCOPES: Scope[] = ['CAN_SEND_MESSAGES', 'CAN_SEND_SYSTEM_MESSAGES', 'HAS_ADMIN_ACCESS'];

const isScope = (text: string): text is Scope => (SCOPES as string[]).includes(text);

/** One this page does not know keeps its name on the wire. */
export function scopeName(scope: string): string {
  return isScope(scope) ? ta(`scope.${scope}` as AdminKey) : scope;
}

export function scopeText(scope: string): string | undefined {
  return isScope(scope) ? ta(`scope.${scope}.text` as AdminKey) : undefined;
}

export const scopeOptions = (): CheckOption[] =>
  SCOPES.map((value) => ({ value, label: scopeName(value), text: scopeText(value) }));

/** What the first of its scopes allows; a scope never includes another one. */
const EXAMPLES: Record<Scope, { path: string; body?: string }> = {
  CAN_SEND_MESSAGES: { path: '/api/integrations/chat/send', body: '{"body": "Hello from my bot"}' },
  CAN_SEND_SYSTEM_MESSAGES: { path: '/api/integrations/chat/system', body: '{"body": "Hello from the server"}' },
  HAS_ADMIN_ACCESS: { path: '/api/integrations/status' },
};

/** A line for the shell that shows whether the token works; nothing for scopes this page does not know. */
export function exampleCall(server: string, token: string, scopes: string[]): string | undefined {
  const scope = SCOPES.find((one) => scopes.includes(one));
  if (!scope) return undefined;
  const { path, body } = EXAMPLES[scope];
  const address = `${server.replace(/\/+$/, '')}${path}`;
  const lines = [`curl '${address}'`, `  -H 'Authorization: Bearer ${token}'`];
  if (body) lines.push("  -H 'Content-Type: application/json'", `  -d '${body}'`);
  return lines.join(' \\\n');
}
