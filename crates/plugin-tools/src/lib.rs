//! What authors of plugins use, and a running server does not.
//!
//! `project` reads a plugin's folder, `scenario` runs its tests, and `dev_server` packs it and runs it on an in-memory
//! server. All three run plugins with the engine, the host and the limits of the crate `plugins`, so that a plugin that
//! works here works on a server.
//!
//! What it must not do:
//!
//! - check or limit anything by rules of its own: where authors meet a rule, it is the server's;
//! - reach a real server's data: it has no chat, no database and no settings.
//!
//! Dependencies: it may use `plugins`, `store` and `model`. Only the commands in `server` and the development server's page
//! in `web` use it.

pub mod dev_server;
pub mod project;
pub mod scenario;
