//! What the operator reads and changes.

use crate::route::Access::{Admin, AdminDoor};
use crate::route::{Route, delete, get, post};
use crate::{admin, favicon, logo};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/session",                      AdminDoor, admin::session),
        post(  "/api/admin/session",                      AdminDoor, admin::sign_in),
        delete("/api/admin/session",                      AdminDoor, admin::sign_out),
        post(  "/api/admin/setup",                        AdminDoor, admin::setup),
        get(   "/api/admin/status",                       Admin,     admin::status),
        get(   "/api/admin/stream",                       Admin,     admin::stream),
        get(   "/api/admin/streams",                      Admin,     admin::streams),
        get(   "/api/admin/disconnect",                   Admin,     admin::disconnect_by_script),
        post(  "/api/admin/disconnect",                   Admin,     admin::disconnect),
        get(   "/api/admin/serverconfig",                 Admin,     admin::serverconfig),
        post(  "/api/admin/accesstokens/create",          Admin,     admin::create_token),
        get(   "/api/admin/accesstokens",                 Admin,     admin::tokens),
        post(  "/api/admin/accesstokens/delete",          Admin,     admin::delete_token),
        get(   "/api/admin/settings",                     Admin,     admin::settings),
        get(   "/api/admin/logs",                         Admin,     admin::logs),
        get(   "/api/admin/logs/warnings",                Admin,     admin::warnings),
        get(   "/api/admin/yp/reset",                     Admin,     admin::reset_directory),
        get(   "/api/admin/update/options",               Admin,     admin::update_options),
        get(   "/api/admin/update/start",                 Admin,     admin::start_update),
        get(   "/api/admin/update/forcequit",             Admin,     admin::quit_by_script),
        post(  "/api/admin/update/forcequit",             Admin,     admin::quit),
        post(  "/api/admin/config/adminpass",             Admin,     admin::change_password),
        post(  "/api/admin/config/logo",                  Admin,     logo::post).body_bytes(logo::MAX_UPLOAD_BYTES),
        post(  "/api/admin/config/favicon",               Admin,     favicon::post).body_bytes(favicon::MAX_UPLOAD_BYTES),
        delete("/api/admin/config/favicon",               Admin,     favicon::delete),
        post(  "/api/admin/config/{*path}",               Admin,     admin::change).body_bytes(512 * 1024),
    ]
}
