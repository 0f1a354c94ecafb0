//! The HTTP surface of a whole server, over real sockets.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

mod admin;
mod chat;
mod compat;
mod connections;
mod door;
mod federation;
mod header_floods;
mod history;
mod http;
mod identity;
mod initial;
mod integrations;
mod openapi;
mod pages;
mod plugins;
mod public;
mod publishing;
mod restart;
mod routes;
mod schedule;
mod settings_page;
mod stills;
mod stream;
mod video;
mod webhooks;
mod window;
mod workshop;
