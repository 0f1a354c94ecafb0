//! The HTTP surface of a whole server, over real sockets.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

mod admin;
mod chat;
mod door;
mod http;
mod integrations;
mod openapi;
mod pages;
mod public;
mod restart;
mod routes;
mod settings_page;
mod stream;
