// What peers say, in the words of their kind of server.
import { AS, PUBLIC } from './peer.mjs';

const activityOf = (peer, type, object, more = {}) => ({
  '@context': AS,
  id: peer.mint(),
  type,
  actor: peer.id,
  object,
  ...(OWN[peer.habits.kind]?.[type]?.(peer, object) ?? {}),
  ...more,
});

/** What a kind adds or writes otherwise, by type. */
const OWN = {
  Mastodon: {
    Like: (peer, note) => ({ id: `${peer.id}#likes/${note.slice(-8)}` }),
    Announce: (peer) => ({ atomUri: `${peer.base}/statuses/2/activity` }),
  },
  GoToSocial: {
    Follow: (_peer, actor) => ({ to: actor }),
    Like: (_peer, note) => ({ to: new URL(note).origin }),
  },
  Misskey: {
    Like: () => ({ content: '👍', _misskey_reaction: '👍', tag: [] }),
  },
  Pleroma: {
    Follow: (_peer, actor) => ({ to: [actor], cc: [], state: 'pending', context: 'https://pleroma.test/contexts/1' }),
    Like: () => ({ type: 'EmojiReact', content: '🔥' }),
  },
  PeerTube: {
    Follow: (peer) => ({ id: `${peer.id}/follows/12` }),
  },
  Mitra: {
    Follow: (_peer, actor) => ({ to: [actor], proof: PROOF }),
    Like: (_peer, note) => ({ to: [note], proof: PROOF }),
  },
};

/** We verify no proofs inside documents, and must not stumble over them either. */
const PROOF = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  verificationMethod: 'https://mitra.test/users/alice#ed25519-key',
  proofPurpose: 'assertionMethod',
  proofValue: 'z5LgJQhEvrLoNqXSbBzFR6mqmnhMvLMcHyLo',
};

export const follow = (peer, actor) => activityOf(peer, 'Follow', actor);
export const like = (peer, note) => activityOf(peer, 'Like', note);
export const undo = (peer, activity) => {
  const { '@context': _, ...inner } = activity;
  return activityOf(peer, 'Undo', inner);
};
export const boost = (peer, note, author) =>
  activityOf(peer, 'Announce', note, { published: now(), to: [PUBLIC], cc: [author, `${peer.id}/followers`] });

/** A note of the peer's own; others can fetch it. */
export function note(peer, content, more = {}) {
  const path = `/notes/${crypto.randomUUID()}`;
  const document = {
    '@context': AS,
    id: peer.base + path,
    type: 'Note',
    attributedTo: peer.id,
    published: now(),
    url: peer.base + path,
    to: [PUBLIC],
    cc: [`${peer.id}/followers`],
    content,
    ...more,
  };
  peer.documents.set(path, document);
  const { '@context': _, ...inner } = document;
  return inner;
}

export const create = (peer, object) =>
  activityOf(peer, 'Create', object, { published: now(), to: object.to, cc: object.cc });

export function reply(peer, inReplyTo, author, content) {
  const handle = `@live@${new URL(author).host}`;
  const tag = [{ type: 'Mention', href: author, name: handle }];
  return create(peer, note(peer, content, { inReplyTo, tag, cc: [`${peer.id}/followers`, author] }));
}

/** Asks to be allowed to quote, as Mastodon does; the quoting note comes along. */
export function quoteRequest(peer, quoted) {
  const quoting = note(peer, '<p>look at this</p>', { quote: quoted, quoteUri: quoted });
  return {
    ...activityOf(peer, 'QuoteRequest', quoted, { instrument: quoting }),
    '@context': [AS, { QuoteRequest: 'https://w3id.org/fep/044f#QuoteRequest' }],
  };
}

/** The account is deleted; everybody is told. */
export const deleteSelf = (peer) => activityOf(peer, 'Delete', peer.id, { id: `${peer.id}#delete`, to: [PUBLIC] });

const now = () => new Date().toISOString().replace(/\.\d+/, '');
