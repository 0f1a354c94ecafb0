-- Browsers that the operator has signed in with (a hash of their cookie), and networks they came from: a flood of guesses
-- from elsewhere does not hold these up. Both are forgotten with a new password.
CREATE TABLE operator_devices (
    token_hash BYTEA PRIMARY KEY NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE TABLE operator_networks (
    network TEXT PRIMARY KEY NOT NULL,
    used_at BIGINT NOT NULL
);

-- Links made on the console, each for one sign-in (a hash of its secret).
CREATE TABLE operator_links (
    token_hash BYTEA PRIMARY KEY NOT NULL,
    expires_at BIGINT NOT NULL
);
