//! Configuration: defaults < database < file < environment < flags.
//!
//! *Options* (addresses, paths, TLS) belong to the process and are listed in `options::OPTIONS`; *settings* belong to
//! the stream and are the table in `model::settings`. Both may appear in the same file and environment. An error names
//! the key, the value and where it was found.

mod bucket;
mod cluster;
mod initial;
mod log_format;
mod options;
mod parse;
mod sources;

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use model::Secret;
use model::settings::{ExternalSettings, TABLE, boolean_from_text, by_key};
use store::DatabaseUrl;
use url::Url;

use crate::data_dir::secret_key;

pub use cluster::{ClusterConfig, NodeRole, NodeRoles};
pub use initial::InitialCredentials;
pub use log_format::LogFormat;
pub use sources::{ConfigError, ConfigSources};

/// Where the engine of plugins is unpacked, inside the data folder, unless another place is given.
pub(crate) const PLUGIN_ENGINE_FOLDER: &str = "engine";

/// The configuration in force.
#[derive(Clone, Debug)]
pub struct Config {
    pub data_dir: PathBuf,
    pub listen: SocketAddr,
    pub rtmp_listen: SocketAddr,
    pub database: DatabaseUrl,
    /// The key that seals secrets; all machines of a cluster have the same.
    pub secret_key: PathBuf,
    /// `None` for a server that is alone.
    pub cluster: Option<ClusterConfig>,
    /// An admin password set outside the database.
    pub admin_password: Option<Secret>,
    /// What to store on the first start.
    pub initial: InitialCredentials,
    /// Certificate and key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Proxies whose forwarding headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// File to write once the server is ready.
    pub ready_file: Option<PathBuf>,
    pub log: String,
    pub log_format: LogFormat,
    /// A plugin engine to use instead of the embedded one.
    pub plugin_engine: Option<PathBuf>,
    /// Where to unpack the embedded engine.
    pub plugin_engine_cache: PathBuf,
    pub plugin_registry: Option<Url>,
    /// Lets plugins reach private addresses; for development.
    pub plugin_allow_private_network: bool,
    /// How other servers are reached.
    pub outbound: OutboundConfig,
    /// Settings given outside the database.
    pub settings: ExternalSettings,
    /// Play the built-in test stream, and open the chat before the setup.
    pub is_demo: bool,
    /// Warnings to log once logging runs.
    pub remarks: Vec<String>,
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
    pub fn read(sources: &ConfigSources) -> Result<Self, ConfigError> {
        let data_dir: PathBuf = sources
            .option("data_dir", parse::path)?
            .unwrap_or_else(|| "data".into());
        let database = match sources.option("database_url", parse::database)? {
            Some(url) => url,
            None => DatabaseUrl::Sqlite(data_dir.join("rillcast.db")),
        };
        let cluster = ClusterConfig::read(sources, &database)?;
        let tls = match (
            sources.option("tls_cert", parse::path)?,
            sources.option("tls_key", parse::path)?,
        ) {
            (Some(cert), Some(key)) => Some((cert, key)),
            (None, None) => None,
            (Some(_), None) => {
                return Err(sources.incomplete("tls_cert", "needs tls_key beside it"));
            }
            (None, Some(_)) => {
                return Err(sources.incomplete("tls_key", "needs tls_cert beside it"));
            }
        };
        let address = |key, default: &str| {
            let address = sources.option(key, parse::address)?;
            Ok(address.unwrap_or_else(|| {
                default
                    .parse()
                    .expect("the default addresses are written correctly")
            }))
        };
        let mut remarks = sources.unknown_variables();
        let admin_password = sources.option("admin_password", parse::secret)?;
        if admin_password
            .as_ref()
            .is_some_and(|password| password.expose().chars().count() < access::MIN_PASSWORD_CHARS)
        {
            remarks.push("the configured admin password is very short".into());
        }
        let outbound = OutboundConfig {
            extra_ca: sources.option("extra_ca", parse::path)?,
            allow_internal: sources
                .option("danger_allow_internal_addresses", boolean_from_text)?
                .unwrap_or(false),
            skip_tls_verify: sources
                .option("danger_skip_tls_verify", boolean_from_text)?
                .unwrap_or(false),
            resolve: sources
                .option("danger_resolve", parse::resolutions)?
                .unwrap_or_default(),
        };
        Ok(Self {
            listen: address("listen", "0.0.0.0:8080")?,
            rtmp_listen: address("rtmp_listen", "0.0.0.0:1935")?,
            database,
            secret_key: sources
                .option("secret_key_file", parse::path)?
                .unwrap_or_else(|| secret_key(&data_dir)),
            cluster,
            admin_password,
            initial: InitialCredentials::read(sources)?,
            tls,
            trusted_proxies: sources
                .option("trusted_proxies", parse::networks)?
                .unwrap_or_default(),
            ready_file: sources.option("ready_file", parse::path)?,
            log: sources
                .option("log", parse::filter)?
                .unwrap_or_else(|| "info".into()),
            log_format: sources
                .option("log_format", parse::log_format)?
                .unwrap_or(LogFormat::Text),
            plugin_engine: sources.option("plugin_engine", parse::path)?,
            plugin_engine_cache: sources
                .option("plugin_engine_cache", parse::path)?
                .unwrap_or_else(|| data_dir.join(PLUGIN_ENGINE_FOLDER)),
            plugin_registry: sources.option("plugin_registry", parse::url)?,
            plugin_allow_private_network: sources
                .option("plugin_allow_private_network", boolean_from_text)?
                .unwrap_or(false),
            outbound,
            settings: settings(sources)?,
            is_demo: false,
            remarks,
            data_dir,
        })
    }
}

/// Every setting that is given anywhere outside the database.
fn settings(sources: &ConfigSources) -> Result<ExternalSettings, ConfigError> {
    let mut outside = ExternalSettings::default();
    for setting in TABLE {
        sources.setting(*setting, &mut outside)?;
    }
    // The short form for the commonest case: one key, as text.
    if let Some((key, source)) = sources.option_with_source("stream_key", parse::secret)? {
        let keys = by_key("stream_keys").expect("the table has stream keys");
        let value = serde_json::json!([{ "key": key.expose(), "comment": "given at start" }]);
        let accepted = keys
            .accept(value)
            .map_err(|error| sources.error("stream_key", &source, &error.to_string()))?;
        outside.add(keys, accepted, source);
    }
    Ok(outside)
}

#[cfg(test)]
mod tests;
