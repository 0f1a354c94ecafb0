//! Untrusted Python inside limits.
//!
//! `package` and `manifest` read what an author made, `installed` decides what runs, `engine` and `instances` run it, `host` is
//! what it may ask for, `dispatch` tells it what happens, `gate` lets a plugin guard the server, and `runtime` holds them
//! all together. `included` are the plugins that come with the server. `project` is a plugin's folder at its author's, `scenario` plays its tests, and `dev_server` packs it and lets
//! it run there.
//!
//! What it must not do:
//!
//! - load native code or foreign WebAssembly: a plugin is Python source, the one engine is ours;
//! - give a plugin files, sockets or another plugin's data: every effect is a host call, and every host call is
//!   checked against the plugin's permissions before anything happens;
//! - let a plugin spend more than its own budget of time, memory and calls;
//! - know chat, media or federation: effects go through a trait of its own that `server` implements.
//!
//! Doors: it may use `store`, `outbound` and `model`. `web` and `server` may use it.
//!
//! It is also the only crate that may use wasmtime; a tidy test watches that.

pub mod dev_server;
pub mod dispatch;
pub mod engine;
pub mod gate;
pub mod host;
pub mod http;
pub mod included;
pub mod installed;
pub mod instances;
pub mod manifest;
pub mod package;
pub mod permission;
pub mod project;
pub mod registry;
pub mod running;
pub mod runtime;
pub mod scenario;
