// What NodeInfo 2.0 allows, as its authors' JSON schema says it (https://nodeinfo.diaspora.software, public domain by
// CC0): our own words for the same rules.

const closed = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const listOf = (words, more = {}) => ({ type: 'array', items: { enum: words.trim().split(/\s+/) }, ...more });
const count = { type: 'integer', minimum: 0 };

const PROTOCOLS = 'activitypub buddycloud dfrn diaspora libertree ostatus pumpio tent xmpp zot';
const READ_FROM = 'atom1.0 gnusocial imap pnut pop3 pumpio rss2.0 twitter';
const WRITTEN_TO = `
  acropolis atom1.0 blogger buddycloud diaspora dreamwidth drupal facebook friendica gnusocial google insanejournal
  libertree linkedin livejournal mediagoblin myspace pinterest pnut posterous pumpio redmatrix rss2.0 smtp tent tumblr
  twitter wordpress xmpp`;

/** Written for draft 4 of JSON Schema. Nothing may be added but inside `metadata`. */
export const NODEINFO_2_0 = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  id: 'http://nodeinfo.diaspora.software/ns/schema/2.0#',
  ...closed({
    version: { enum: ['2.0'] },
    software: closed({ name: { type: 'string', pattern: '^[a-z0-9-]+$' }, version: { type: 'string' } }),
    protocols: listOf(PROTOCOLS, { minItems: 1 }),
    services: closed({ inbound: listOf(READ_FROM), outbound: listOf(WRITTEN_TO) }),
    openRegistrations: { type: 'boolean' },
    usage: closed(
      {
        users: closed({ total: count, activeHalfyear: count, activeMonth: count }, []),
        localPosts: count,
        localComments: count,
      },
      ['users'],
    ),
    metadata: { type: 'object' },
  }),
};
