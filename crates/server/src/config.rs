//! Configuration: defaults < database < file < environment < flags.
//!
//! *Options* (addresses, paths, TLS) belong to the process and are listed in `options::OPTIONS`; *settings* belong to
//! the stream and are the table in `model::settings`. Both may stand in the same file and environment. An error names
//! the key, the value and where it was found.

mod given;
mod initial;
mod options;
mod parse;

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use model::Secret;
use model::settings::{Outside, TABLE, boolean_from_text, by_key};
use store::DatabaseUrl;
use url::Url;

pub use given::{ConfigError, Given};
pub use initial::Initial;

/// The configuration in force.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// HTTP.
    pub listen: SocketAddr,
    /// RTMP.
    pub rtmp_listen: SocketAddr,
    /// The database.
    pub database: DatabaseUrl,
    /// An admin password from outside.
    pub admin_password: Option<Secret>,
    /// What is stored at the first start.
    pub initial: Initial,
    /// Certificate and key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whose forwarding headers count.
    pub trusted_proxies: Vec<IpNet>,
    /// Where to announce readiness.
    pub ready_file: Option<PathBuf>,
    /// A tracing filter.
    pub log: String,
    /// How log lines look.
    pub log_format: LogFormat,
    /// The engine plugins run in, instead of the one inside the program.
    pub plugin_engine: Option<PathBuf>,
    /// Where the engine inside the program is unpacked.
    pub plugin_engine_cache: PathBuf,
    /// Where plugins can be installed from.
    pub plugin_registry: Option<Url>,
    /// Plugins reach private addresses; for development.
    pub plugin_allow_private_network: bool,
    /// How other servers are reached.
    pub outbound: OutboundConfig,
    /// Settings given outside the database.
    pub settings: Outside,
    /// Play the built-in test stream.
    pub is_demo: bool,
    /// Things worth a warning once logging runs.
    pub remarks: Vec<String>,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For collectors.
    Json,
}

/// How other servers are reached.
#[derive(Clone, Debug, Default)]
pub struct OutboundConfig {
    /// One more certificate authority (PEM).
    pub extra_ca: Option<PathBuf>,
    /// Test only.
    pub allow_internal: bool,
    /// Test only.
    pub skip_tls_verify: bool,
    /// Test only: host → address.
    pub resolve: Vec<(String, SocketAddr)>,
}

impl Config {
    /// Puts the layers together.
    pub fn read(given: &Given) -> Result<Self, ConfigError> {
        let data_dir: PathBuf = given
            .option("data_dir", parse::path)?
            .unwrap_or_else(|| "data".into());
        let database = match given.option("database_url", parse::database)? {
            Some(url) => url,
            None => DatabaseUrl::Sqlite(data_dir.join("rillcast.db")),
        };
        let tls = match (
            given.option("tls_cert", parse::path)?,
            given.option("tls_key", parse::path)?,
        ) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) => None,
            (Some(_), None) => return Err(given.incomplete("tls_cert", "needs tls_key beside it")),
            (None, Some(_)) => return Err(given.incomplete("tls_key", "needs tls_cert beside it")),
        };
        let address = |key, default: &str| {
            let address = given.option(key, parse::address)?;
            Ok(address.unwrap_or_else(|| {
                default
                    .parse()
                    .expect("the default addresses are written correctly")
            }))
        };
        let mut remarks = given.unknown_variables();
        let admin_password = given.option("admin_password", parse::secret)?;
        if admin_password
            .as_ref()
            .is_some_and(|password| password.expose().chars().count() < access::MIN_PASSWORD_CHARS)
        {
            remarks.push("the admin password given outside is very short".into());
        }
        let outbound = OutboundConfig {
            extra_ca: given.option("extra_ca", parse::path)?,
            allow_internal: given
                .option("danger_allow_internal_addresses", boolean_from_text)?
                .unwrap_or(false),
            skip_tls_verify: given
                .option("danger_skip_tls_verify", boolean_from_text)?
                .unwrap_or(false),
            resolve: given
                .option("danger_resolve", parse::resolutions)?
                .unwrap_or_default(),
        };
        Ok(Self {
            listen: address("listen", "0.0.0.0:8080")?,
            rtmp_listen: address("rtmp_listen", "0.0.0.0:1935")?,
            database,
            admin_password,
            initial: Initial::read(given)?,
            tls,
            trusted_proxies: given
                .option("trusted_proxies", parse::networks)?
                .unwrap_or_default(),
            ready_file: given.option("ready_file", parse::path)?,
            log: given
                .option("log", parse::filter)?
                .unwrap_or_else(|| "info".into()),
            log_format: given
                .option("log_format", parse::log_format)?
                .unwrap_or(LogFormat::Text),
            plugin_engine: given.option("plugin_engine", parse::path)?,
            plugin_engine_cache: given
                .option("plugin_engine_cache", parse::path)?
                .unwrap_or_else(|| data_dir.join(crate::plugin_engine::FOLDER)),
            plugin_registry: given.option("plugin_registry", parse::url)?,
            plugin_allow_private_network: given
                .option("plugin_allow_private_network", boolean_from_text)?
                .unwrap_or(false),
            outbound,
            settings: settings(given)?,
            is_demo: false,
            remarks,
            data_dir,
        })
    }
}

/// Every setting that is given anywhere outside the database.
fn settings(given: &Given) -> Result<Outside, ConfigError> {
    let mut outside = Outside::default();
    for setting in TABLE {
        given.setting(*setting, &mut outside)?;
    }
    // The short form for the commonest case: one key, as text.
    if let Some((key, source)) = given.option_with_source("stream_key", parse::secret)? {
        let keys = by_key("stream_keys").expect("the table has stream keys");
        let value = serde_json::json!([{ "key": key.expose(), "comment": "given at start" }]);
        let accepted = keys
            .accept(value)
            .map_err(|error| given.error("stream_key", &source, &error.0))?;
        outside.add(keys, accepted, source);
    }
    Ok(outside)
}

#[cfg(test)]
mod tests;
