-- Recordings of broadcasts; their media is in files. `search_text` and `search_tags` are what a search looks in: lower
-- case, and of the tags each on a line of its own. Times in a recording are microseconds from its beginning.
CREATE TABLE recordings (
    id            TEXT PRIMARY KEY NOT NULL,
    stream_id     TEXT NOT NULL,
    state         TEXT NOT NULL,
    title         TEXT NOT NULL,
    summary       TEXT NOT NULL,
    tags          TEXT NOT NULL,
    visibility    TEXT NOT NULL,
    search_text   TEXT NOT NULL,
    search_tags   TEXT NOT NULL,
    is_kept       BIGINT NOT NULL,
    keeps_chat    BIGINT NOT NULL,
    started_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    trim_start_us BIGINT,
    trim_end_us   BIGINT,
    duration_us   BIGINT NOT NULL,
    bytes         BIGINT NOT NULL,
    deleted_at    BIGINT
);
CREATE INDEX recordings_stream_id ON recordings (stream_id);
CREATE INDEX recordings_state ON recordings (state, started_at);

-- The files of a recording: one row for each piece of a rendition, which has one init segment and no discontinuity
-- inside. `described` is what a list of renditions says of it, as JSON.
CREATE TABLE recording_chunks (
    recording_id  TEXT NOT NULL,
    rendition     TEXT NOT NULL,
    init_hash     TEXT NOT NULL,
    described     TEXT NOT NULL,
    number        BIGINT NOT NULL,
    token         BIGINT NOT NULL,
    session       BIGINT NOT NULL,
    first_ordinal BIGINT NOT NULL,
    start_us      BIGINT NOT NULL,
    duration_us   BIGINT NOT NULL,
    date_ms       BIGINT NOT NULL,
    bytes         BIGINT NOT NULL,
    is_closed     BIGINT NOT NULL,
    PRIMARY KEY (recording_id, rendition, number)
);

-- Places in a recording that have a name: where the stream's title changed, and marks that the operator set.
CREATE TABLE chapters (
    recording_id TEXT NOT NULL,
    kind         TEXT NOT NULL,
    title        TEXT NOT NULL,
    at_us        BIGINT NOT NULL,
    PRIMARY KEY (recording_id, kind, at_us)
);

-- Lines beside a recording can be kept for years. Those that wait for a moderator, and those that go in any case, are
-- found without looking at them.
CREATE INDEX messages_held ON messages (seq) WHERE is_held = 1;
CREATE INDEX messages_not_replayed ON messages (at)
    WHERE kind <> 'CHAT' OR is_held = 1 OR deleted_at IS NOT NULL;
