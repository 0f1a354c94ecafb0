-- Lines of the chat in the order everybody saw them. A held one waits for a moderator and was seen by nobody.
CREATE TABLE messages (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    kind      TEXT NOT NULL,
    user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,
    body      TEXT NOT NULL,
    raw_body  TEXT NOT NULL,
    reply     TEXT,
    reply_id  TEXT,
    card      TEXT,
    is_held   BIGINT NOT NULL,
    hidden_at BIGINT,
    at        BIGINT NOT NULL
);
CREATE INDEX messages_at ON messages (at);
CREATE INDEX messages_reply_id ON messages (reply_id);
CREATE INDEX messages_user_id ON messages (user_id, seq);

-- Silent until; wrote for the first time; the name without what only looks different.
ALTER TABLE users ADD COLUMN muted_until BIGINT;
ALTER TABLE users ADD COLUMN spoke_at BIGINT;
ALTER TABLE users ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
CREATE INDEX users_name_key ON users (name_key);

-- Identities elsewhere that somebody has proven to own.
CREATE TABLE identities (
    provider   TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (provider, subject)
);
CREATE INDEX identities_user_id ON identities (user_id);

CREATE TABLE address_bans (
    address    TEXT PRIMARY KEY NOT NULL,
    note       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What moderators did. Names are kept beside ids, because users can be deleted.
CREATE TABLE moderation_log (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    at          BIGINT NOT NULL,
    actor       TEXT NOT NULL,
    actor_name  TEXT NOT NULL,
    action      TEXT NOT NULL,
    target      TEXT NOT NULL,
    target_name TEXT NOT NULL,
    detail      TEXT NOT NULL
);
