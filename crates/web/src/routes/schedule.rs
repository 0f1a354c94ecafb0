//! Announced streams.

use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};
use crate::schedule;

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/schedule",                           Public,    schedule::list)
            .says("Announced streams").asks("from", "A time, or a day in UTC; a week ago when absent").asks("to", "A time, or a day in UTC; in ninety days when absent")
            .answers_list::<schedule::WireEvent>(),
        get(   "/api/schedule.ics",                       Public,    schedule::calendar)
            .says("Announced streams as a calendar to subscribe to").answers_text("text/calendar"),
        get(   "/api/admin/schedule",                     Admin,     schedule::overview)
            .says("Every series, and the streams around now").answers::<schedule::Overview>(),
        post(  "/api/admin/schedule/event",               Admin,     schedule::save)
            .says("Announce a stream or a series, or change one").takes::<schedule::SaveEventRequest>().answers::<schedule::Overview>(),
        post(  "/api/admin/schedule/event/delete",        Admin,     schedule::delete)
            .says("Take a stream or a series back, or tell that it does not happen").takes::<schedule::DeleteEventRequest>().answers::<schedule::Overview>(),
        post(  "/api/admin/schedule/preview",             Admin,     schedule::preview)
            .says("The next dates of a rule").takes::<schedule::Preview>().answers::<schedule::RecurrenceDates>(),
    ]
}
