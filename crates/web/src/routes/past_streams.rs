//! What is kept of broadcasts, to read.

use crate::admin;
use crate::route::Access::Admin;
use crate::route::{Route, get};

const NO_STREAM: &str = "There is no such stream";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/viewers/history",              Admin,     admin::audience_history)
            .says("How many watched and chatted, for as long as the server remembers").query::<admin::AudienceQuery>().answers::<admin::AudienceHistory>(),
        get(   "/api/admin/streams/{id}",                 Admin,     admin::past_stream)
            .says("Everything that is kept of a broadcast").answers::<admin::StreamDetail>().also(404, NO_STREAM),
    ]
}
