//! The functions that a plugin can call on the server.
//!
//! A plugin reaches the world in one way only: [`HostCalls::call`] with a name and JSON text. Each loaded plugin has a
//! [`Host`], which knows the plugin's name and permissions, looks the function up in `table`, rejects it if the
//! permission is missing, and only then parses the arguments and acts.
//!
//! What it must not do:
//!
//! - trust what a plugin says about itself: its name and permissions come from the operator's side;
//! - act before the permission check, or act partially: an invalid argument changes nothing;
//! - know chat, media or federation: effects go through the traits in `parts`, which `server` implements.
//!
//! In reading order: `table` lists all functions, `plugin_host` is the entry point, `parts` and `services` are what the
//! server provides, `wire` is what plugins see, and every other file is one group of functions.

mod actions;
mod args;
mod assets;
mod auth;
mod chat;
mod config;
mod events;
mod fetch;
mod files;
mod filter_host;
mod held_bytes;
mod kv;
mod log;
mod log_limit;
pub mod mock;
mod notices;
mod parts;
mod plugin_data;
mod plugin_host;
mod rate_limit;
mod server;
mod services;
mod sql;
mod sse;
mod table;
mod timers;
mod uploads;
mod users;
mod video;
pub mod wire;

pub use actions::MAX_ACTIONS;
pub use assets::{Assets, MAX_ASSET_BYTES};
pub use auth::SessionChange;
pub use events::{EmittedEvent, MAX_EMIT_DEPTH};
pub use fetch::{FetchRequest, FetchResponse, Network, OutboundNetwork};
pub(crate) use fetch::{PATIENCE_OF_EVENTS, PATIENCE_OF_PAGES};
pub(crate) use filter_host::FilterHost;
pub use held_bytes::{MAX_HELD_BYTES, MEDIUM_ANSWER_BYTES, SMALL_ANSWER_BYTES};
pub(crate) use log::summary;
pub use log::{Level, MAX_LOG_BYTES};
pub use parts::{Deliveries, HostParts, Plugin, PluginData, SqlStorage};
pub use plugin_data::DatabasePluginData;
pub use plugin_host::{Host, HostCalls, Occasion};
pub use rate_limit::RateLimitMode;
pub use services::{
    Bot, HostServices, Identity, Push, RegisteredUser, ServiceFuture, SocialNotice,
};
pub use sql::{MAX_SHOWN_ROWS, Table, Tables};
pub use sse::{MAX_CONNECTION_BYTES, MAX_CONNECTIONS, SseConnection, SseHub, TooManyConnections};
pub use table::{FUNCTIONS, Function};
pub use timers::MAX_TIMERS;
pub use uploads::Uploads;
