//! Measurements: what players report, and what the operator reads.

use super::PLAYER_SESSION;
use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};
use crate::{admin, openapi, public};

/// Bytes of a player's report.
const MAX_REPORT_BYTES: usize = 64 * 1024;
/// What pages elsewhere may send along with a report.
const CMCD_HEADERS: &str = "Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        post(  "/api/metrics/playback",                   Public,    public::playback)
            .says("How it plays, in the old form").asks("sid", PLAYER_SESSION).takes::<public::PlaybackReport>().also(200, "Noted"),
        get(   "/api/metrics/cmcd",                       Public,    public::cmcd).allow_headers(CMCD_HEADERS)
            .says("How it plays, as Common Media Client Data").asks("CMCD", "A list such as `br=3200,bl=2000`; it may also stand in the headers `CMCD-…`").also(200, "Noted"),
        post(  "/api/metrics/cmcd",                       Public,    public::cmcd).body_bytes(MAX_REPORT_BYTES).allow_headers(CMCD_HEADERS)
            .says("How it plays, as Common Media Client Data").takes_as(openapi::CMCD_REPORTS).also(200, "Noted"),
        get(   "/api/admin/viewersOverTime",              Admin,     admin::viewers_over_time)
            .says("How many watched, minute by minute").query::<admin::Window>().answers_list::<admin::WirePoint>(),
        get(   "/api/admin/viewers",                      Admin,     admin::viewers)
            .says("Who watches").answers_list::<admin::WireViewer>(),
        get(   "/api/admin/viewers/playback",             Admin,     admin::viewers_with_playback)
            .says("Who watches, and how it plays for them").answers_list::<admin::WatchingViewer>(),
        get(   "/api/admin/hardwarestats",                Admin,     admin::hardware)
            .says("How busy the machine was").answers::<admin::HardwareSeries>(),
        get(   "/api/admin/metrics/video",                Admin,     admin::video_metrics)
            .says("How it played").answers::<admin::VideoSeries>(),
        get(   "/api/admin/prometheus",                   Admin,     admin::prometheus)
            .says("Metrics for Prometheus").answers_text("text/plain"),
    ]
}
