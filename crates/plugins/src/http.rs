//! Requests to plugins and their answers, as plugins see them. Pure: bytes and texts in, values out.

mod answer;
mod path;
mod request;
mod route;

pub use answer::{Answer, MAX_ANSWER_BYTES, MAX_BODY_BYTES, Unfit};
pub use path::{RequestPath, is_for_operator};
pub use request::{ACCESS_TOKEN, MAX_REQUEST_BODY_BYTES, Request, headers, query};
pub use route::{Route, route};
