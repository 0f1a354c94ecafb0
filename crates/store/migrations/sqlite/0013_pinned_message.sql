-- The line that stands above the chat: one row at most. It is not forgotten with the others, and goes when it is hidden.
CREATE TABLE pinned_message (
    slot           BIGINT PRIMARY KEY NOT NULL CHECK (slot = 1),
    message_id     TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    pinned_by_name TEXT NOT NULL,
    pinned_at      BIGINT NOT NULL
);
