//! The `rillcast` binary: command line, configuration, wiring, start and stop.
//!
//! All crates meet only here. [`cli`] reads the command line, [`config`] merges defaults, file, environment and flags,
//! [`serve`] starts the components in order and stops them within ten seconds.

mod background;
mod chapters;
pub mod cli;
mod clock;
mod cluster;
pub mod commands;
pub mod config;
mod data_dir;
mod engagement;
mod hardware;
mod limits;
pub mod logging;
mod metrics;
mod own_address;
mod plugin_engine;
mod plugins;
mod posters;
mod ready;
mod recorder;
mod recording;
mod recordings_upkeep;
mod sampler;
mod schedule;
pub mod serve;
mod services;
#[cfg(feature = "testing")]
pub mod testing;
mod wiring;
