//! The functions a plugin can call, called as the engine does: JSON in, JSON out.

mod assets;
mod chat;
mod fetch;
mod files;
mod keeping;
mod log;
mod people;
mod permissions;
mod server;
mod sql;
mod stage;
mod streams;
mod timers;
