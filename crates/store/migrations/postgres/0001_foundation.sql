-- Columns are TEXT, BIGINT, DOUBLE PRECISION or BYTEA only; times are Unix milliseconds; booleans are 0 and 1.
CREATE TABLE settings (
    key        TEXT PRIMARY KEY NOT NULL,
    value      TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Sealed by the vault (AES-256-GCM); the name is part of what is authenticated.
CREATE TABLE secrets (
    name       TEXT PRIMARY KEY NOT NULL,
    sealed     BYTEA NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Facts in commit order. A sequence, because a resume id must never be given to another event.
CREATE TABLE events (
    seq  BIGSERIAL PRIMARY KEY,
    kind TEXT NOT NULL,
    json TEXT NOT NULL,
    at   BIGINT NOT NULL
);
CREATE INDEX events_at ON events (at);

-- How far each durable listener has read the events.
CREATE TABLE cursors (
    name       TEXT PRIMARY KEY NOT NULL,
    seq        BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- One row: there is one operator.
CREATE TABLE admin (
    id            BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    password_hash TEXT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE sessions (
    token_hash BYTEA PRIMARY KEY NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    address    TEXT NOT NULL,
    user_agent TEXT NOT NULL
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE users (
    id               TEXT PRIMARY KEY NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('STANDARD', 'API')),
    display_name     TEXT NOT NULL,
    display_color    BIGINT NOT NULL,
    previous_names   TEXT NOT NULL,
    created_at       BIGINT NOT NULL,
    name_changed_at  BIGINT,
    authenticated_at BIGINT,
    disabled_at      BIGINT,
    is_moderator     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX users_created_at ON users (created_at);

-- Chat tokens have no scopes; access tokens have at least one. Only a hash of the secret is kept.
CREATE TABLE tokens (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_hash  BYTEA NOT NULL UNIQUE,
    prefix       TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX tokens_user_id ON tokens (user_id);

-- Small files the operator uploads (logo, icon); here so that a backup and a second node have them.
CREATE TABLE files (
    name         TEXT PRIMARY KEY NOT NULL,
    content_type TEXT NOT NULL,
    bytes        BYTEA NOT NULL,
    updated_at   BIGINT NOT NULL
);
