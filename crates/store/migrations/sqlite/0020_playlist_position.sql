-- Where the playlists of the broadcast stand that one of several servers takes in, so that another one can go on with it.
-- There is one row at most; times on its time line are microseconds.
CREATE TABLE playlist_position (
    only_row        BIGINT PRIMARY KEY NOT NULL,
    stream_id       TEXT NOT NULL,
    msn             BIGINT NOT NULL,
    parts           BIGINT NOT NULL,
    discontinuities BIGINT NOT NULL,
    end_us          BIGINT NOT NULL,
    end_date        BIGINT NOT NULL,
    latency_level   BIGINT NOT NULL
);
