-- Who on other servers follows the stream. `host` is the authority of the actor, its inbox and its shared inbox.
CREATE TABLE ap_followers (
    iri              TEXT PRIMARY KEY NOT NULL,
    host             TEXT NOT NULL,
    inbox            TEXT NOT NULL,
    shared_inbox     TEXT,
    username         TEXT NOT NULL,
    handle           TEXT NOT NULL,
    name             TEXT NOT NULL,
    url              TEXT,
    image            TEXT,
    follow_id        TEXT NOT NULL,
    follow_json      TEXT NOT NULL,
    is_directory     BIGINT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'blocked')),
    created_at       BIGINT NOT NULL,
    approved_at      BIGINT,
    disabled_at      BIGINT,
    validated_at     BIGINT NOT NULL,
    first_failure_at BIGINT,
    last_failure_at  BIGINT,
    failing_days     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX ap_followers_listed ON ap_followers (state, is_directory, created_at);
CREATE INDEX ap_followers_validated ON ap_followers (state, validated_at);
CREATE INDEX ap_followers_away ON ap_followers (validated_at) WHERE first_failure_at IS NOT NULL;
CREATE INDEX ap_followers_host ON ap_followers (host);
CREATE INDEX ap_followers_inbox ON ap_followers (inbox);
CREATE INDEX ap_followers_shared_inbox ON ap_followers (shared_inbox);

-- Who blocks us.
CREATE TABLE ap_blocked_by (
    actor TEXT PRIMARY KEY NOT NULL,
    at    BIGINT NOT NULL
);
CREATE INDEX ap_blocked_by_at ON ap_blocked_by (at);

-- Follows that were undone before they came; `pair` is a digest of the follow and its actor.
CREATE TABLE ap_undone_follows (
    pair BLOB PRIMARY KEY NOT NULL,
    at   BIGINT NOT NULL
);
CREATE INDEX ap_undone_follows_at ON ap_undone_follows (at);

-- What we publish, under its full address. `note` is the post that a Create tells of. Deleted ones lose their text.
CREATE TABLE ap_objects (
    iri                  TEXT PRIMARY KEY NOT NULL,
    kind                 TEXT NOT NULL,
    json                 TEXT NOT NULL,
    note                 TEXT,
    is_public            BIGINT NOT NULL,
    is_live_notification BIGINT NOT NULL,
    created_at           BIGINT NOT NULL,
    deleted_at           BIGINT
);
CREATE INDEX ap_objects_kind ON ap_objects (kind, created_at);
CREATE INDEX ap_objects_note ON ap_objects (note);

-- Pictures of posts, as they were when the post was made.
CREATE TABLE ap_media (
    name         TEXT PRIMARY KEY NOT NULL,
    content_type TEXT NOT NULL,
    bytes        BLOB NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE INDEX ap_media_created_at ON ap_media (created_at);

-- What is sent, once; to whom is in `deliveries`. `signer` is the former name that signs it. A secret one is for one person
-- and loses its text when nobody is to be sent it any more.
CREATE TABLE outbound_activities (
    id         TEXT PRIMARY KEY NOT NULL,
    json       TEXT NOT NULL,
    signer     TEXT,
    is_secret  BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX outbound_activities_secret ON outbound_activities (id) WHERE is_secret = 1;
CREATE INDEX outbound_activities_created_at ON outbound_activities (created_at);

-- One row for each activity and inbox. One that was tried before is backlog and goes after those that were not. An answer
-- is for one inbox alone, mostly because somebody there asked for it.
CREATE TABLE deliveries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    activity_id TEXT NOT NULL REFERENCES outbound_activities (id),
    inbox       TEXT NOT NULL,
    host        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'in_flight', 'delivered', 'failed')),
    is_backlog  BIGINT NOT NULL,
    is_answer   BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    next_at     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    last_at     BIGINT,
    status      BIGINT,
    error       TEXT,
    UNIQUE (activity_id, inbox)
);
CREATE INDEX deliveries_due ON deliveries (is_backlog, next_at, id) WHERE state = 'pending';
CREATE INDEX deliveries_answers ON deliveries (host) WHERE state = 'pending' AND is_answer = 1;
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE state = 'pending';
CREATE INDEX deliveries_under_way ON deliveries (host, inbox) WHERE state = 'in_flight';
CREATE INDEX deliveries_inbox ON deliveries (inbox, state, id);
CREATE INDEX deliveries_host ON deliveries (host, state);
CREATE INDEX deliveries_state ON deliveries (state, created_at);
CREATE INDEX deliveries_last ON deliveries (last_at) WHERE last_at IS NOT NULL;

-- What is known of other servers: only those with trouble, or with a way of signing that was found out.
-- Until `probe_at` nothing new is queued for a server that is unavailable or gone.
CREATE TABLE ap_hosts (
    host              TEXT PRIMARY KEY NOT NULL,
    failures          BIGINT NOT NULL,
    failing_days      BIGINT NOT NULL,
    last_failure_at   BIGINT,
    last_error        TEXT,
    held_until        BIGINT,
    unavailable_since BIGINT,
    gone_at           BIGINT,
    probe_at          BIGINT,
    scheme            TEXT,
    scheme_until      BIGINT
);

-- Requests that were answered 202 and are to be handled, in their order for each key.
CREATE TABLE ap_inbox (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    key_id         TEXT NOT NULL,
    key_host       TEXT NOT NULL,
    verified_owner TEXT,
    is_verified    BIGINT NOT NULL,
    target         TEXT NOT NULL,
    headers        TEXT NOT NULL,
    body           BLOB NOT NULL,
    size           BIGINT NOT NULL,
    is_claimed     BIGINT NOT NULL,
    attempts       BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    next_at        BIGINT NOT NULL
);
CREATE INDEX ap_inbox_due ON ap_inbox (is_claimed, next_at, id);
CREATE INDEX ap_inbox_key ON ap_inbox (key_id, is_verified, id);
CREATE INDEX ap_inbox_size ON ap_inbox (is_verified, key_host, key_id, size);

-- Activities that were handled; `pair` is a digest of the activity and its actor.
CREATE TABLE ap_seen (
    pair BLOB PRIMARY KEY NOT NULL,
    at   BIGINT NOT NULL
);
CREATE INDEX ap_seen_at ON ap_seen (at);

-- Keys of others. Without a key it says why there is none, and until when nobody asks again.
CREATE TABLE ap_keys (
    key_id     TEXT PRIMARY KEY NOT NULL,
    owner      TEXT,
    pem        TEXT,
    absence    TEXT,
    until_at   BIGINT,
    fetched_at BIGINT NOT NULL
);
CREATE INDEX ap_keys_owner ON ap_keys (owner);
CREATE INDEX ap_keys_fetched_at ON ap_keys (fetched_at);

-- What others did with what is ours. An undone one stays, so that it is told of once. `pair` is a digest of the activity
-- and its actor.
CREATE TABLE ap_activity_log (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    iri         TEXT NOT NULL,
    actor       TEXT NOT NULL,
    type        TEXT NOT NULL,
    activity_id TEXT,
    pair        BLOB UNIQUE,
    at          BIGINT NOT NULL,
    undone_at   BIGINT,
    UNIQUE (iri, actor, type)
);
CREATE INDEX ap_activity_log_actor ON ap_activity_log (actor);

-- What others wrote to us, for the operator.
CREATE TABLE ap_inbound_posts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    iri        TEXT NOT NULL UNIQUE,
    actor      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('reply', 'mention')),
    json       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX ap_inbound_posts_actor ON ap_inbound_posts (actor);
CREATE INDEX ap_inbound_posts_created_at ON ap_inbound_posts (created_at);

-- Complaints of other servers about us, for the operator.
CREATE TABLE ap_reports (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    iri        TEXT UNIQUE,
    actor      TEXT NOT NULL,
    content    TEXT NOT NULL,
    objects    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX ap_reports_created_at ON ap_reports (created_at);

-- Which posts may quote ours, and who asked. A revoked one stays, so that asking again does not bring it back.
CREATE TABLE ap_quote_stamps (
    stamp       TEXT PRIMARY KEY NOT NULL,
    quote_post  TEXT NOT NULL,
    quoted_post TEXT NOT NULL,
    requester   TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    revoked_at  BIGINT,
    UNIQUE (quote_post, quoted_post, requester)
);
CREATE INDEX ap_quote_stamps_created_at ON ap_quote_stamps (created_at);

-- Other servers: those the operator shows beside the stream, and those that told us of themselves.
CREATE TABLE federated_servers (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    iri                TEXT NOT NULL UNIQUE,
    host               TEXT NOT NULL,
    is_unsolicited     BIGINT NOT NULL,
    actor_iri          TEXT NOT NULL,
    inbox              TEXT,
    follow_id          TEXT,
    followed_as        TEXT,
    username           TEXT NOT NULL,
    name               TEXT NOT NULL,
    display_name       TEXT NOT NULL,
    summary            TEXT NOT NULL,
    logo_url           TEXT,
    follow_status      TEXT NOT NULL CHECK (follow_status IN ('none', 'pending', 'accepted', 'rejected')),
    is_online          BIGINT NOT NULL,
    stream_title       TEXT NOT NULL,
    stream_description TEXT NOT NULL,
    stream_tags        TEXT NOT NULL,
    thumbnail_url      TEXT,
    moved_to           TEXT,
    priority           BIGINT NOT NULL,
    added_at           BIGINT NOT NULL,
    followed_at        BIGINT,
    accepted_at        BIGINT,
    rejected_at        BIGINT,
    last_seen_online   BIGINT,
    last_status_update BIGINT
);
CREATE INDEX federated_servers_actor ON federated_servers (actor_iri);
CREATE INDEX federated_servers_follow ON federated_servers (follow_id);
CREATE INDEX federated_servers_host ON federated_servers (host);
CREATE INDEX federated_servers_online ON federated_servers (is_online, last_status_update);
CREATE INDEX federated_servers_listed ON federated_servers (is_unsolicited, priority);

-- Names the account had.
CREATE TABLE ap_former_usernames (
    name TEXT PRIMARY KEY NOT NULL,
    at   BIGINT NOT NULL
);

-- Raw activities can be long: a few are kept, and found by this.
CREATE INDEX events_raw_activities ON events (seq) WHERE kind = 'FediverseActivityReceived';
