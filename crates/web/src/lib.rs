//! HTTP and sockets: every route of the server, and the pages.
//!
//! Wire formats live here and nowhere deeper: handlers turn requests into calls to other crates, and results into
//! documents. Every route is a row of one table ([`routes::table`]) with its access rule, size limit and CORS rule; the
//! router, the 405s, the preflight answers and the access test are generated from it.
//!
//! Start with [`routes`]. The connections are those of the crate `http_server`, which knows nothing of this one.

mod admin;
mod app;
mod assets;
mod chat;
mod cmcd;
mod event_payload;
mod favicon;
mod federation;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod headers;
mod hls;
mod html;
mod integrations;
mod logo;
mod openapi;
mod pages;
mod pictures;
mod plugins;
mod preview;
mod problem;
mod public;
mod rate_limit;
mod readings;
mod route;
pub mod routes;
mod schedule;
mod thumbnails;
mod webhook_payloads;

pub use crate::chat::{encode, wrap};
pub use app::{App, Facts, LogBook, LogLine};
pub use openapi::openapi_document;
pub use plugins::{Plugins, renew_names, serve_dev_server};
pub use readings::{Hardware, Readings};
pub use route::{Access, Cors, RouteRow};
pub use routes::request_handler;
pub use webhook_payloads::WebhookPayloads;
