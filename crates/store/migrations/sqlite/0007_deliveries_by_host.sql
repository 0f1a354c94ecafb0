-- What waits for one host, in the order it goes out: a host that answers at once is given many.
CREATE INDEX deliveries_by_host ON deliveries (host, is_backlog, next_at, id) WHERE state = 'pending';
