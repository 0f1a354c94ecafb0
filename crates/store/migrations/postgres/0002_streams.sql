-- Broadcasts. One without an end is on, or was on when the process was killed.
CREATE TABLE streams (
    id           TEXT PRIMARY KEY NOT NULL,
    started_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    title        TEXT NOT NULL,
    peak_viewers BIGINT NOT NULL,
    resumptions  BIGINT NOT NULL
);
CREATE INDEX streams_started_at ON streams (started_at);
