//! What is measured: what players report, and what the operator reads of it.

use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};
use crate::{admin, public};

/// Bytes of a player's report.
const MAX_REPORT_BYTES: usize = 64 * 1024;
/// What pages elsewhere may send along with a report.
const CMCD_HEADERS: &str = "Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        post(  "/api/metrics/playback",                   Public,    public::playback),
        get(   "/api/metrics/cmcd",                       Public,    public::cmcd).allow_headers(CMCD_HEADERS),
        post(  "/api/metrics/cmcd",                       Public,    public::cmcd).body_bytes(MAX_REPORT_BYTES).allow_headers(CMCD_HEADERS),
        get(   "/api/admin/viewersOverTime",              Admin,     admin::viewers_over_time),
        get(   "/api/admin/viewers",                      Admin,     admin::viewers),
        get(   "/api/admin/viewers/playback",             Admin,     admin::viewers_with_playback),
        get(   "/api/admin/hardwarestats",                Admin,     admin::hardware),
        get(   "/api/admin/metrics/video",                Admin,     admin::video_metrics),
        get(   "/api/admin/prometheus",                   Admin,     admin::prometheus),
    ]
}
