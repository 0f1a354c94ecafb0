//! Requests to plugins and their answers in the plugin API's format. Pure: bytes and texts in, values out.

mod path;
mod request;
mod response;
mod route;

pub use path::{RequestPath, is_for_operator};
pub use request::{ACCESS_TOKEN, MAX_REQUEST_BODY_BYTES, PluginRequest, headers, query};
pub use response::{InvalidResponse, MAX_ANSWER_BYTES, MAX_BODY_BYTES, PluginResponse};
pub use route::{Route, route};
