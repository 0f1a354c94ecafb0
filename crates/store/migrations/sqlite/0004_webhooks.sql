-- Addresses the operator wants to be told of what happens. The secret is sealed in `secrets` as `webhook-ID`.
-- `events` has a comma before, between and after the names. Nothing up to `since_seq` of the log is told.
-- `revision` grows with every change by the operator, so that what was learnt about the old address is forgotten.
CREATE TABLE webhooks (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    url            TEXT NOT NULL,
    events         TEXT NOT NULL,
    allow_internal BIGINT NOT NULL,
    is_enabled     BIGINT NOT NULL,
    disabled_why   TEXT,
    created_at     BIGINT NOT NULL,
    last_used_at   BIGINT,
    failing_since  BIGINT,
    warned_at      BIGINT,
    failures       BIGINT NOT NULL,
    dropped        BIGINT NOT NULL,
    since_seq      BIGINT NOT NULL,
    revision       BIGINT NOT NULL
);

-- What is to be told, in its order, and what became of it. One that is aside holds up nobody behind it.
CREATE TABLE webhook_deliveries (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_key TEXT NOT NULL UNIQUE,
    webhook_id   BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL,
    body         TEXT NOT NULL,
    is_test      BIGINT NOT NULL,
    is_aside     BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    next_at      BIGINT NOT NULL,
    last_at      BIGINT,
    status       BIGINT,
    response     TEXT,
    error        TEXT,
    duration_ms  BIGINT
);
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (webhook_id, state, is_test, is_aside, id);
