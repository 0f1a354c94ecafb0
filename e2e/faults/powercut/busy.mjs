// A server that is too busy to answer says so, and whoever asked asks again.
import assert from 'node:assert/strict';
import { sessionClient } from '../../lib/admin.mjs';
import { eventually } from '../../lib/eventually.mjs';

/** Other programs may have the processors for this long. */
const PATIENCE_MS = 60_000;

/** Whether nobody knows what became of a request: the server, or a plugin, ran out of time. */
export const isBusy = (status) => status === 503 || status === 504;

/** What the operator gets from the API; with a document, what is answered to it. */
export async function operatorAsks(server, admin, path, document) {
  const client = sessionClient(server, admin);
  const ask = () => (document === undefined ? client.get(path) : client.post(path, document));
  const attempt = async () => {
    const answer = await ask();
    if (isBusy(answer.status)) throw new Error(`${path} is not answered: ${answer.status} ${answer.text}`);
    return answer;
  };
  const { status, text, json } = await eventually(attempt, { deadlineMs: PATIENCE_MS });
  assert.equal(status, 200, `${path}: ${text}`);
  return json();
}
