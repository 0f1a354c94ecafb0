-- Servers that were sent something signed in the last weeks, when they last were, and an inbox there if one is known: they
-- may have kept our key.
CREATE TABLE ap_contacts (
    host         TEXT PRIMARY KEY NOT NULL,
    inbox        TEXT,
    contacted_at BIGINT NOT NULL
);
CREATE INDEX ap_contacts_contacted_at ON ap_contacts (contacted_at);
INSERT INTO ap_contacts (host, inbox, contacted_at)
    SELECT host, MAX(inbox), MAX(last_at) FROM deliveries WHERE last_at IS NOT NULL GROUP BY host;

-- Servers that know the key before this one: what they get is signed with it until they have answered the Update that
-- tells them of the new one, which was queued at `since`.
CREATE TABLE ap_key_handovers (
    host  TEXT PRIMARY KEY NOT NULL,
    since BIGINT NOT NULL
);

-- Servers that are held back: the first thing they get afterwards shows whether they are back.
CREATE INDEX ap_hosts_held ON ap_hosts (held_until) WHERE held_until IS NOT NULL;
