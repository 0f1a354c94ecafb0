//! The operator signs in elsewhere with this server's address.

use crate::admin;
use crate::route::Access::{AdminDoor, AdminPage, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/auth/provider/indieauth",            AdminPage, admin::ask_for_identity),
        post(  "/api/auth/provider/indieauth",            Public,    admin::tell_identity),
        post(  "/api/auth/provider/indieauth/approve",    AdminDoor, admin::answer_for_identity),
    ]
}
