//! What is kept of broadcasts, to read and to save.

use crate::admin;
use crate::route::Access::Admin;
use crate::route::{Route, get};

const NO_STREAM: &str = "There is no such stream";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/viewers/history",              Admin,     admin::audience_history)
            .says("How many watched and chatted, for as long as the server remembers").query::<admin::AudienceQuery>().answers::<admin::AudienceHistory>(),
        get(   "/api/admin/streams.csv",                  Admin,     admin::streams_csv)
            .says("Past broadcasts as a table").answers_text("text/csv"),
        get(   "/api/admin/streams.json",                 Admin,     admin::streams_json)
            .says("Past broadcasts as a file").answers_list::<admin::StreamSummary>(),
        get(   "/api/admin/streams/{id}",                 Admin,     admin::past_stream)
            .says("Everything that is kept of a broadcast").answers::<admin::StreamDetail>().also(404, NO_STREAM),
        get(   "/api/admin/streams/{id}/viewers.csv",     Admin,     admin::viewers_csv)
            .says("How many watched a broadcast, as a table").answers_text("text/csv").also(404, NO_STREAM),
        get(   "/api/admin/streams/{id}/viewers.json",    Admin,     admin::viewers_json)
            .says("How many watched a broadcast, as a file").answers_list::<admin::WireAudiencePoint>().also(404, NO_STREAM),
        get(   "/api/admin/streams/{id}/chat.csv",        Admin,     admin::chat_csv)
            .says("The log of a broadcast's chat, as a table").query::<admin::ChatLogQuery>().answers_text("text/csv").also(404, NO_STREAM)
            .also(403, "The setting that allows it is off").also_text(403, "A page of another site asked", "text/plain"),
        get(   "/api/admin/streams/{id}/chat.json",       Admin,     admin::chat_json)
            .says("The log of a broadcast's chat, as a file").query::<admin::ChatLogQuery>().answers_list::<admin::ChatLogLine>().also(404, NO_STREAM)
            .also(403, "The setting that allows it is off").also_text(403, "A page of another site asked", "text/plain"),
    ]
}
