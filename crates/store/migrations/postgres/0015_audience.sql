-- How many watched and chatted, in periods of a minute, a quarter of an hour, an hour and a day; `step` is their length in
-- seconds. Time in which the stream was off and nobody was in the chat has no rows.
CREATE TABLE audience (
    step              BIGINT NOT NULL,
    at                BIGINT NOT NULL,
    measured_ms       BIGINT NOT NULL,
    viewer_ms         BIGINT NOT NULL,
    peak_viewers      BIGINT NOT NULL,
    chat_client_ms    BIGINT NOT NULL,
    peak_chat_clients BIGINT NOT NULL,
    messages          BIGINT NOT NULL,
    PRIMARY KEY (step, at)
);

-- The same for each broadcast as a whole, exactly, whatever becomes of the periods.
CREATE TABLE stream_totals (
    stream_id         TEXT PRIMARY KEY NOT NULL,
    measured_ms       BIGINT NOT NULL,
    viewer_ms         BIGINT NOT NULL,
    peak_chat_clients BIGINT NOT NULL,
    messages          BIGINT NOT NULL,
    chatters          BIGINT NOT NULL
);

-- What went wrong during a broadcast; `number` counts from 1 in each.
CREATE TABLE stream_incidents (
    stream_id TEXT NOT NULL,
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    code      TEXT NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (stream_id, number)
);

-- Where visitors of the page came from during a broadcast: nothing but host names and how often.
CREATE TABLE stream_referrers (
    stream_id TEXT NOT NULL,
    host      TEXT NOT NULL,
    visits    BIGINT NOT NULL,
    PRIMARY KEY (stream_id, host)
);
