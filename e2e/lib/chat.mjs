// People in the chat without a browser: they register, come in over the socket, and remember what they hear.
import WebSocket from 'ws';
import { eventually } from './eventually.mjs';

/** A frame may hold several documents, one in each line. */
const documentsOf = (frame) => frame.toString().split('\n').map(JSON.parse);

/** `{ id, token, name }` of somebody new. */
export async function register(server, displayName) {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ displayName });
  const response = await fetch(`${server.http}/api/chat/register`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`registering failed: ${response.status} ${await response.text()}`);
  const answer = await response.json();
  return { id: answer.id, token: answer.accessToken, name: answer.displayName };
}

/** The last lines, oldest first, as a page gets them when it is opened. */
export async function history(server, person) {
  const query = new URLSearchParams({ accessToken: person.token });
  const response = await fetch(`${server.http}/api/chat?${query}`);
  if (!response.ok) throw new Error(`no history: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Does something with a person's token: `{ status, text }`. */
export async function postAs(server, person, path, document) {
  const response = await fetch(`${server.http}${path}?${new URLSearchParams({ accessToken: person.token })}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(document),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Opens a socket for somebody who has registered, or has a cookie instead of a token; resolves once the server has said who they are.
 * @param {{lastId?: string, onEvent?: (event: object) => void, headers?: Record<string, string>}} options
 *   `onEvent` is called for each event before anything else is done with it.
 */
export async function enter(server, person, { lastId, onEvent = () => {}, headers } = {}) {
  const query = new URLSearchParams({ ...(person.token && { accessToken: person.token }), ...(lastId && { lastId }) });
  const socket = new WebSocket(`${server.http.replace(/^http/, 'ws')}/ws?${query}`, { headers });
  const events = [];
  let closeCode;
  let node;
  socket.once('upgrade', ({ headers }) => {
    node = headers['x-rillcast-node'];
  });
  const closed = new Promise((resolve) => {
    socket.once('close', (code) => {
      closeCode = code;
      resolve(code);
    });
  });
  // A server that is killed is an error here and a close right after.
  socket.on('error', () => {});
  socket.on('message', (frame) => {
    for (const event of documentsOf(frame)) {
      onEvent(event);
      events.push(event);
    }
  });
  const client = {
    person,
    /** The machine of a cluster that it is at, if that says its name. */
    node: () => node,
    /** All that was heard, oldest first. */
    events,
    /** The code, once the connection is over. */
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send: (document) => socket.send(JSON.stringify(document)),
    say: (body, inReplyTo) => socket.send(JSON.stringify({ type: 'CHAT', body, inReplyTo })),
    /** Waits for an event that meets `wanted`, among those that were heard already too. */
    hears: (wanted) =>
      eventually(() => events.find(wanted), { giveUp: () => closeCode !== undefined }).catch(() => {
        const kinds = events.map(({ type, body }) => `${type} ${body ?? ''}`).slice(-10);
        throw new Error(`${person.name} does not hear it (closed: ${closeCode}): ${kinds.join(', ')}`);
      }),
    /** Says farewell; a server that does not answer it is caught by every test. */
    leave: async () => {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.close(1000);
      const code = await closed;
      if (code !== 1000) throw new Error(`the farewell of ${person.name} was answered with ${code}`);
    },
    /** Ends it without a word. */
    drop: () => socket.terminate(),
  };
  await client.hears(({ type }) => type === 'CONNECTED_USER_INFO');
  return client;
}

/** Registers and comes in. */
export async function join(server, name, options) {
  return enter(server, await register(server, name), options);
}

/** Says something and waits until it is there for everybody; returns the event. `pattern` tells it from earlier ones. */
export async function sayAndHear(client, body, inReplyTo, pattern = /^/) {
  const before = client.events.length;
  client.say(body, inReplyTo);
  const isIt = ({ type, user, body: html }) => type === 'CHAT' && user.id === client.person.id && pattern.test(html);
  return client.hears((event, index) => index >= before && isIt(event));
}
