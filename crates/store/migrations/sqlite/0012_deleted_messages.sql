-- When its author deleted a line; it is hidden since then too. Moderators still see it, and cannot show it again.
ALTER TABLE messages ADD COLUMN deleted_at BIGINT;
