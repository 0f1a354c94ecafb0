//! The process's options by name.

/// An option that may be given in the file, the environment or on the command line.
#[derive(Debug)]
pub(super) struct OptionRow {
    /// The key in the file; flag and variable names are made from it.
    pub(super) key: &'static str,
    /// Never shown in an error.
    pub(super) is_secret: bool,
}

const fn plain(key: &'static str) -> OptionRow {
    OptionRow {
        key,
        is_secret: false,
    }
}

const fn secret(key: &'static str) -> OptionRow {
    OptionRow {
        key,
        is_secret: true,
    }
}

/// Every option. `config` itself is not among them: a file cannot name the file.
pub(super) const OPTIONS: &[OptionRow] = &[
    plain("data_dir"),
    plain("listen"),
    plain("rtmp_listen"),
    secret("database_url"),
    plain("secret_key_file"),
    plain("cluster"),
    secret("nats"),
    plain("nats_credentials"),
    plain("node_name"),
    plain("roles"),
    plain("node_header"),
    plain("s3_endpoint"),
    plain("s3_bucket"),
    plain("s3_region"),
    plain("s3_prefix"),
    plain("s3_access_key"),
    secret("s3_secret_key"),
    plain("s3_secret_key_file"),
    secret("admin_password"),
    secret("stream_key"),
    secret("initial_admin_password"),
    plain("initial_admin_password_file"),
    secret("initial_stream_key"),
    plain("initial_stream_key_file"),
    plain("tls_cert"),
    plain("tls_key"),
    plain("trusted_proxies"),
    plain("ready_file"),
    plain("log"),
    plain("log_format"),
    plain("plugin_engine"),
    plain("plugin_engine_cache"),
    plain("plugin_registry"),
    plain("plugin_allow_private_network"),
    plain("extra_ca"),
    plain("danger_allow_internal_addresses"),
    plain("danger_skip_tls_verify"),
    plain("danger_resolve"),
];

/// `rtmp_listen` → `RILLCAST_RTMP_LISTEN`
pub(super) fn env_name(key: &str) -> String {
    format!("RILLCAST_{}", key.to_ascii_uppercase())
}

/// `rtmp_listen` → `--rtmp-listen`
pub(super) fn flag_name(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}
