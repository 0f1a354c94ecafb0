//! Announced streams.

use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};
use crate::schedule;

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/schedule",                           Public,    schedule::list),
        get(   "/api/schedule.ics",                       Public,    schedule::calendar),
        get(   "/api/admin/schedule",                     Admin,     schedule::overview),
        post(  "/api/admin/schedule/event",               Admin,     schedule::save),
        post(  "/api/admin/schedule/event/delete",        Admin,     schedule::delete),
        post(  "/api/admin/schedule/preview",             Admin,     schedule::preview),
    ]
}
