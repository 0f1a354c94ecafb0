-- When a ban is over; without it, never.
ALTER TABLE users ADD COLUMN disabled_until BIGINT;
ALTER TABLE address_bans ADD COLUMN expires_at BIGINT;
-- Whose ban an address is part of: it ends with it.
ALTER TABLE address_bans ADD COLUMN user_id TEXT;
CREATE INDEX users_disabled_until ON users (disabled_until) WHERE disabled_until IS NOT NULL;
