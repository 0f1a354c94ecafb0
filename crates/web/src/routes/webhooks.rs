//! Webhooks and what was sent to them.

use crate::admin::webhooks;
use crate::route::Access::Admin;
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/webhooks",                     Admin,     webhooks::list),
        post(  "/api/admin/webhooks/create",              Admin,     webhooks::create),
        post(  "/api/admin/webhooks/update",              Admin,     webhooks::update),
        post(  "/api/admin/webhooks/delete",              Admin,     webhooks::delete),
        post(  "/api/admin/webhooks/test",                Admin,     webhooks::test),
        get(   "/api/admin/webhooks/deliveries",          Admin,     webhooks::deliveries),
        post(  "/api/admin/webhooks/deliveries/retry",    Admin,     webhooks::retry),
    ]
}
