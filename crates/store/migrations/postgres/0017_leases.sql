-- Who does work that must be done once. A row is never deleted, so a fence is never given out twice; `holder` is empty
-- while nobody has it.
CREATE TABLE leases (
    name     TEXT PRIMARY KEY NOT NULL,
    holder   TEXT NOT NULL,
    fence    BIGINT NOT NULL,
    renewals BIGINT NOT NULL
);
