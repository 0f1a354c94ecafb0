//! Runs untrusted Python within limits.
//!
//! `package` and `manifest` read what an author made, `installed` decides what runs, `engine` and `instances` run it,
//! `host` provides the functions it can call, `dispatch` delivers events, `gate` lets a plugin guard the server, and
//! `runtime` ties everything together. `included` contains the plugins included with the server. What only authors use
//! is in the crate `plugin-tools`.
//!
//! What it must not do:
//!
//! - load native code or foreign WebAssembly: a plugin is Python source, the one engine is ours;
//! - give a plugin files, sockets or another plugin's data: every effect is a host call, and every host call is
//!   checked against the plugin's permissions before anything happens;
//! - let a plugin spend more than its own budget of time, memory and calls;
//! - know chat, media or federation: effects go through a trait that `server` implements.
//!
//! Dependencies: it may use `store`, `outbound` and `model`. `plugin-tools`, `web` and `server` may use it.
//!
//! It is also the only crate that may use wasmtime; a tidy test checks that.

pub mod archive;
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
pub mod registry;
pub mod runtime;
