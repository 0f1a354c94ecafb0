-- What is worth nothing after minutes, and what every server that shares the database has to know: codes and questions
-- that wait for their answer. A server that is alone keeps them in memory.
CREATE TABLE short_lived (
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    owner      TEXT NOT NULL,
    sealed     BLOB NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX short_lived_owner ON short_lived (kind, owner, expires_at);
CREATE INDEX short_lived_expires_at ON short_lived (expires_at);
