-- What the operator decided about each plugin, and what is kept for it. Rows outlive the packages: who installs a plugin
-- again finds its settings and values. `approved` is a JSON list of permissions, absent while nobody has agreed to any;
-- `config` is a sealed JSON object of the operator's values (tokens of other services among them), `actions` a JSON list of buttons the plugin added while it ran.
CREATE TABLE plugins (
    slug        TEXT PRIMARY KEY NOT NULL,
    is_enabled  BIGINT NOT NULL,
    approved    TEXT,
    access_mode TEXT,
    config      BYTEA,
    actions     TEXT NOT NULL,
    kv_keys     BIGINT NOT NULL,
    kv_bytes    BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- Small values of plugins. Bytes, because a plugin's texts may hold what a database's texts may not.
-- How many there are and how large is counted in `plugins`, in the same transaction.
CREATE TABLE plugin_values (
    slug  TEXT NOT NULL,
    key   BYTEA NOT NULL,
    value BYTEA NOT NULL,
    PRIMARY KEY (slug, key)
);
