-- Streams that come again by a rule. Their dates are laid out as events up to laid_until; later ones follow in time.
CREATE TABLE schedule_series (
    id               TEXT PRIMARY KEY NOT NULL,
    name             TEXT NOT NULL,
    description      TEXT NOT NULL,
    recurrence       TEXT NOT NULL,
    duration_minutes BIGINT NOT NULL,
    is_active        BIGINT NOT NULL,
    laid_until       BIGINT NOT NULL,
    created_at       BIGINT NOT NULL
);

-- Announced streams. A slot is the date its series meant, also after the event was moved; one that was changed by itself
-- (is_own) does not follow its series any more. Events outlive their series, so there is no reference.
CREATE TABLE schedule_events (
    id               TEXT PRIMARY KEY NOT NULL,
    series_id        TEXT,
    slot             BIGINT,
    name             TEXT NOT NULL,
    description      TEXT NOT NULL,
    starts_at        BIGINT NOT NULL,
    ends_at          BIGINT NOT NULL,
    timezone         TEXT NOT NULL,
    is_cancelled     BIGINT NOT NULL,
    is_own           BIGINT NOT NULL,
    reminded_at      BIGINT,
    UNIQUE (series_id, slot)
);
CREATE INDEX schedule_events_starts_at ON schedule_events (starts_at, id);
CREATE INDEX schedule_events_ends_at ON schedule_events (ends_at);

-- Dates of a series that were deleted: they stay away, whatever becomes of its rule.
CREATE TABLE schedule_gone (
    series_id TEXT NOT NULL,
    slot      BIGINT NOT NULL,
    PRIMARY KEY (series_id, slot)
);
