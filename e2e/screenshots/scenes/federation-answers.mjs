// What the server would say about the Fediverse after other servers have had to do with it: they are not there, so the
// pages are answered by us. The shapes are those of `ui/src/admin/federation/wire.ts`.

const WHEN = '2026-01-02T03:04:05Z';
const LONG = 'someone-with-a-very-long-name-that-goes-on-and-on';
const NAMES = ['Ilse Bach', 'مريم', LONG];

const followers = NAMES.map((name, at) => ({
  link: `https://social.example/@person${at}`,
  name,
  username: `${at === 2 ? LONG : `person${at}`}@social.example`,
  image: null,
  timestamp: WHEN,
  disabledAt: null,
}));

const server = (id, followStatus, more = {}) => ({
  id,
  iri: `https://stream${id}.example`,
  displayName: id === 2 ? 'Harbour Live' : `stream${id}.example`,
  summary: 'Boats that come in and go out.',
  logoUrl: '',
  isOnline: id === 2,
  streamTitle: id === 2 ? 'Evening in the harbour' : '',
  followStatus,
  isUnsolicited: false,
  isSilent: false,
  addedAt: WHEN,
  followedAt: followStatus === 'accepted' ? WHEN : null,
  lastSeenOnline: WHEN,
  lastStatusUpdate: WHEN,
  movedTo: null,
  ...more,
});

const post = (id, kind) => ({
  id,
  kind,
  receivedAt: WHEN,
  actor: {
    actorIRI: 'https://social.example/users/ilse',
    name: 'Ilse Bach',
    handle: 'ilse@social.example',
    url: 'https://social.example/@ilse',
    image: null,
  },
  content: '<p>Stay <b>dry</b>! See <a href="https://social.example/tags/weather">#weather</a></p>',
  url: `https://social.example/@ilse/${id}`,
  postedAt: WHEN,
  inReplyTo: 'https://stream.brook.example/federation/1',
  attachments: [],
  language: 'en',
  visibility: 'public',
});

const delivery = (id, state, more = {}) => ({
  id,
  inbox: `https://social${id}.example/users/ilse/inbox`,
  host: `social${id}.example`,
  kind: 'Create',
  state,
  attempts: id,
  nextAt: WHEN,
  expiresAt: WHEN,
  createdAt: WHEN,
  lastAt: WHEN,
  status: null,
  error: null,
  ...more,
});

const host = (name, state, more = {}) => ({
  host: name,
  state,
  until: null,
  failures: 0,
  failingDays: 0,
  lastFailureAt: null,
  lastError: null,
  waiting: 0,
  ...more,
});

const page = (results) => ({ total: results.length, results });

const ANSWERS = {
  followers: page(followers),
  'followers/pending': followers.slice(0, 2),
  'followers/blocked': followers.slice(2),
  'followers/directory': followers.slice(0, 1),
  'federation/servers': {
    servers: [
      server(1, 'pending', { isSilent: true }),
      server(2, 'accepted'),
      server(3, 'rejected'),
      server(4, 'none', { isUnsolicited: true }),
    ],
  },
  'federation/feature-requests': { requests: followers.slice(0, 1) },
  'federation/inbox': page([post(1, 'reply'), post(2, 'mention')]),
  'federation/actions': page(
    ['FEDIVERSE_ENGAGEMENT_FOLLOW', 'FEDIVERSE_ENGAGEMENT_LIKE', 'FEDIVERSE_ENGAGEMENT_REPOST'].map((type, at) => ({
      timestamp: WHEN,
      iri: `https://stream.brook.example/federation/${at}`,
      actorIRI: 'https://social.example/users/ilse',
      type,
      undoneAt: at === 2 ? WHEN : null,
    })),
  ),
  'federation/quotes': page([
    {
      id: '1',
      actorIRI: 'https://social.example/users/ilse',
      quotePost: 'https://social.example/@ilse/3',
      quotedPost: 'https://stream.brook.example/federation/1',
      timestamp: WHEN,
      revokedAt: null,
    },
  ]),
  'federation/reports': page([
    {
      id: 1,
      receivedAt: WHEN,
      actorIRI: 'https://social.example/actor',
      content: 'This stream shows a road and no river.',
      objects: ['https://stream.brook.example/federation/1'],
    },
  ]),
  'federation/deliveries': page([
    delivery(1, 'pending'),
    delivery(2, 'failed', { status: 500, error: 'the server answered with 500 Internal Server Error' }),
    delivery(3, 'delivered', { status: 202 }),
  ]),
  'federation/deliveries/summary': {
    waiting: 1,
    retrying: 1,
    inFlight: 0,
    delivered: 1,
    failed: 1,
    oldest: WHEN,
    heldHosts: 1,
  },
  'federation/hosts': [
    host('social1.example', 'well'),
    host('social2.example', 'held', {
      until: '2030-01-02T03:04:05Z',
      failures: 7,
      failingDays: 2,
      lastFailureAt: WHEN,
      lastError: 'connection refused',
      waiting: 3,
    }),
  ],
};

/** The answer at an address of the admin API; undefined where the server itself answers. */
export const answerFor = (path) => ANSWERS[path.replace('/api/admin/', '')];
