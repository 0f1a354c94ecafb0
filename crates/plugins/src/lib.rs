//! Untrusted Python inside limits. This room has no code yet.
//!
//! It will read plugin packages, check their permissions, run each plugin in a WebAssembly sandbox of its own and
//! hand it the events it subscribed to.
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
//! It is also the only room that may use wasmtime; a tidy test watches that.
