-- What moderators wrote about a timeout and a ban: for the person, for other moderators, and for the log.
ALTER TABLE users ADD COLUMN muted_reason TEXT;
ALTER TABLE users ADD COLUMN disabled_reason TEXT;
ALTER TABLE moderation_log ADD COLUMN reason TEXT NOT NULL DEFAULT '';

-- Moderators list who is banned or timed out.
CREATE INDEX users_disabled_at ON users (disabled_at) WHERE disabled_at IS NOT NULL;
CREATE INDEX users_muted_until ON users (muted_until) WHERE muted_until IS NOT NULL;

-- Lines that moderators see and others do not.
CREATE INDEX messages_hidden_at ON messages (seq) WHERE hidden_at IS NOT NULL;

-- Links that make somebody a moderator, each of them once (a hash of its secret).
CREATE TABLE moderator_invitations (
    id         TEXT PRIMARY KEY NOT NULL,
    token_hash BLOB NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
