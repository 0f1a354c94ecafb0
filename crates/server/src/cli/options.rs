//! The flags of the server.

use std::path::PathBuf;

use clap::Args;

/// The flags; each is `Option` because the other layers decide when one is absent.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Server options")]
pub struct Options {
    /// Configuration file (TOML)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder for the database and everything else [default: ./data]
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<String>,
    /// Address for viewers and the API [default: 0.0.0.0:8080]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Address for broadcasters [default: 0.0.0.0:1935]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub rtmp_listen: Option<String>,
    /// sqlite:PATH or postgres://… [default: a file in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// The key that secrets in the database are sealed with [default: secret.key in the data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub secret_key_file: Option<String>,
    /// Makes this server one of several with one PostgreSQL; all machines are given the same name [default: alone]
    #[arg(long, global = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Where the machines of a cluster talk to each other: nats://… or tls://…, several with commas
    #[arg(long, global = true, value_name = "URL")]
    pub nats: Option<String>,
    /// Credentials file for NATS
    #[arg(long, global = true, value_name = "FILE")]
    pub nats_credentials: Option<String>,
    /// What this machine of a cluster is called [default: the name of the host]
    #[arg(long, global = true, value_name = "NAME")]
    pub node_name: Option<String>,
    /// What this machine of a cluster is there for [default: ingest,web,worker]
    #[arg(long, global = true, value_name = "LIST")]
    pub roles: Option<String>,
    /// Say in a header of every answer which machine of a cluster it comes from
    #[arg(long, global = true)]
    pub node_header: bool,
    /// Where the bucket is that the machines of a cluster share files through, such as `https://s3.example.com`
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help = "Where the bucket is that the machines of a cluster share files through, such as https://s3.example.com"
    )]
    pub s3_endpoint: Option<String>,
    /// The name of that bucket
    #[arg(long, global = true, value_name = "NAME")]
    pub s3_bucket: Option<String>,
    /// Its region [default: us-east-1]
    #[arg(long, global = true, value_name = "NAME")]
    pub s3_region: Option<String>,
    /// What the names of our files in it begin with [default: nothing]
    #[arg(long, global = true, value_name = "TEXT")]
    pub s3_prefix: Option<String>,
    /// The access key for it
    #[arg(long, global = true, value_name = "KEY")]
    pub s3_access_key: Option<String>,
    /// The secret key for it
    #[arg(long, global = true, value_name = "KEY")]
    pub s3_secret_key: Option<String>,
    /// The same from a file, which keeps it out of the list of processes
    #[arg(long, global = true, value_name = "FILE")]
    pub s3_secret_key_file: Option<String>,
    /// Public address of this server, such as `https://live.example.org`
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help = "Public address of this server, such as https://live.example.org"
    )]
    pub server_url: Option<String>,
    /// Admin password, instead of the setup link
    #[arg(long, global = true, value_name = "PASSWORD")]
    pub admin_password: Option<String>,
    /// The one stream key for this run, instead of the stored ones
    #[arg(long, global = true, value_name = "KEY")]
    pub stream_key: Option<String>,
    /// Admin password to begin with: stored at the first start, ignored once one is stored
    #[arg(long, global = true, value_name = "PASSWORD")]
    pub initial_admin_password: Option<String>,
    /// The same from a file, which keeps it out of the list of processes
    #[arg(long, global = true, value_name = "FILE")]
    pub initial_admin_password_file: Option<String>,
    /// Stream key to begin with: stored at the first start, ignored once one is stored
    #[arg(long, global = true, value_name = "KEY")]
    pub initial_stream_key: Option<String>,
    /// The same from a file
    #[arg(long, global = true, value_name = "FILE")]
    pub initial_stream_key_file: Option<String>,
    /// Any setting by its key (see docs/settings.md); may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// TLS certificate chain (PEM); reloaded when it changes
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_cert: Option<String>,
    /// TLS private key (PEM)
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_key: Option<String>,
    /// Proxies whose X-Forwarded-For is believed, such as 127.0.0.1,10.0.0.0/8 [default: none]
    #[arg(long, global = true, value_name = "LIST")]
    pub trusted_proxies: Option<String>,
    /// Write addresses, setup link and stream key to this file (JSON) once ready
    #[arg(long, global = true, value_name = "FILE")]
    pub ready_file: Option<String>,
    /// What to log: error, warn, info, debug, trace or a filter such as info,web=debug [default: info]
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// text or json [default: text]
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,
    /// The engine that plugins run in, as scripts/engine.py builds it, instead of the one inside this program
    #[arg(long, global = true, value_name = "FILE")]
    pub plugin_engine: Option<String>,
    /// Where the engine inside this program is unpacked [default: engine in the data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub plugin_engine_cache: Option<String>,
    /// The address of a registry that plugins can be installed from [default: none]
    #[arg(long, global = true, value_name = "URL")]
    pub plugin_registry: Option<String>,
    /// Trust this certificate authority (PEM) too when fetching from other servers
    #[arg(long, global = true, value_name = "FILE")]
    pub extra_ca: Option<String>,
    /// TEST ONLY: let plugins reach private addresses, as far as their manifests list them
    #[arg(long, global = true)]
    pub plugin_allow_private_network: bool,
    /// TEST ONLY: fetch from private addresses too
    #[arg(long, global = true)]
    pub danger_allow_internal_addresses: bool,
    /// TEST ONLY: do not verify the certificates of other servers
    #[arg(long, global = true)]
    pub danger_skip_tls_verify: bool,
    /// TEST ONLY: reach HOST at this address; may be repeated
    #[arg(long, global = true, value_name = "HOST=IP:PORT")]
    pub danger_resolve: Vec<String>,
}
