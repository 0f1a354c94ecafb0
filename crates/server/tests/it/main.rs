//! The HTTP surface of a whole server, over real sockets.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

mod admin;
mod chat;
mod compat;
mod door;
mod http;
mod pages;
mod public;
mod restart;
mod routes;
mod settings_page;
mod stream;
