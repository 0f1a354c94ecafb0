//! Qualities and encoders.

use crate::admin;
use crate::route::Access::Admin;
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/video/encoders",               Admin,     admin::encoders)
            .says("Which encoders work on this machine, and why others do not").query::<admin::EncodersQuery>().answers::<admin::EncoderList>(),
        post(  "/api/admin/video/measure",                Admin,     admin::measure)
            .says("Measure what qualities cost on this machine, which takes seconds").takes::<admin::MeasureRequest>().answers::<admin::Cost>()
            .also(409, "A stream is live, or another measurement is running"),
        get(   "/api/admin/video/ladder",                 Admin,     admin::ladder)
            .says("How the encoder of the broadcast is doing").answers::<admin::LadderReport>(),
    ]
}
