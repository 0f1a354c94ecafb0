-- The servers that share this database, and the oldest schema whose program may still use it. A row is one process: it
-- is written every ten seconds, deleted at a clean stop, and forgotten a day after it fell silent.
CREATE TABLE nodes (
    id        TEXT PRIMARY KEY NOT NULL,
    number    BIGINT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    version   TEXT NOT NULL,
    schema    BIGINT NOT NULL,
    roles     TEXT NOT NULL,
    addresses TEXT NOT NULL,
    load      TEXT NOT NULL,
    since     BIGINT NOT NULL,
    last_seen BIGINT NOT NULL
);

CREATE TABLE cluster (
    only_row   BIGINT PRIMARY KEY NOT NULL,
    min_schema BIGINT NOT NULL
);
INSERT INTO cluster (only_row, min_schema) VALUES (1, 18);
