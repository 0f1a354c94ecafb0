//! HTTP and sockets: every route of the server, and the pages.
//!
//! Wire formats live here and nowhere deeper: handlers turn requests into calls to other crates, and results into
//! documents. Every route is a row of one table ([`routes::table`]) with its access rule, size limit and CORS rule; the
//! router, the 405s, the preflight answers and the access test are generated from it.
//!
//! Start with [`routes`]. The connections are those of the crate `http_server`, which knows nothing of this one.

mod access_rule;
mod admin;
mod assets;
mod chat;
mod cmcd;
mod csv;
mod event_payload;
mod favicon;
mod federation;
mod full_status;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod header_picture;
mod headers;
mod hls;
mod html;
mod install;
mod integrations;
mod language;
mod logo;
mod offline_picture;
mod openapi;
mod page;
mod pages;
mod plugins;
mod preview;
mod problem;
mod public;
mod referrer;
mod route;
pub mod routes;
mod schedule;
pub mod sentences;
mod state;
mod thumbnails;
mod videos;
mod webhook_payloads;

pub use crate::chat::{encode, say_here, wrap};
pub use access_rule::Access;
pub use plugins::{
    answer_parcel, is_plugin_ready, judge_viewer, page_additions, renew_names, serve_dev_server,
};
pub use route::{Cors, RouteRow};
pub use routes::{openapi_document, plugin_handler, request_handler};
pub use state::{
    AddressAnswer, AddressProbe, App, AppDeps, BodyPieces, ClusterView, Facts, ForwardedSaying,
    Hardware, LogBook, LogLine, NodeLoad, Parcel, PluginHolder, Plugins, Readings, Referrers,
    Unanswered, ViewerJudgement,
};
pub use webhook_payloads::WebhookPayloads;
