//! What the operator reads and changes.

use crate::route::Access::{Admin, AdminAuth};
use crate::route::{Route, delete, get, post};
use crate::{admin, favicon, header_picture, logo, offline_picture, openapi};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/session",                      AdminAuth, admin::session)
            .says("Whether the caller is signed in").answers::<admin::AdminSession>(),
        post(  "/api/admin/session",                      AdminAuth, admin::sign_in)
            .says("Sign in").takes::<admin::SignIn>().done().also(401, "The password is wrong"),
        post(  "/api/admin/session/link",                 AdminAuth, admin::sign_in_by_link)
            .says("Sign in by a link made on the console").takes::<admin::SignInLink>().done().also(401, "The link is not valid"),
        delete("/api/admin/session",                      AdminAuth, admin::sign_out)
            .says("Sign out").done(),
        post(  "/api/admin/setup",                        AdminAuth, admin::setup)
            .says("Choose the first password, with the token of the setup link").takes::<admin::Setup>().done()
            .also(401, "The link is not valid").also(409, "A value is given outside the database and locked"),
        post(  "/api/admin/setup/check",                  AdminAuth, admin::check_setup)
            .says("Whether a setup link is valid, without using it").takes::<admin::SetupToken>().done()
            .also(401, "The link is not valid"),
        get(   "/api/admin/status",                       Admin,     admin::status)
            .says("The stream, as existing admin tools read it").answers::<admin::AdminStatus>(),
        get(   "/api/admin/stream",                       Admin,     admin::stream)
            .says("How the broadcast comes in and goes out").answers::<admin::StreamReport>(),
        get(   "/api/admin/streams",                      Admin,     admin::streams)
            .says("Past broadcasts, newest first").query::<admin::StreamsQuery>().answers_list::<admin::PastStream>(),
        get(   "/api/admin/disconnect",                   Admin,     admin::disconnect_by_script)
            .says("End the broadcast, for scripts with a password").done().also(400, "No stream is live, or the caller came by cookie"),
        post(  "/api/admin/disconnect",                   Admin,     admin::disconnect)
            .says("End the broadcast").done().also(400, "No stream is live"),
        get(   "/api/admin/serverconfig",                 Admin,     admin::serverconfig)
            .says("Every setting, as existing admin tools read it").answers_as(openapi::SERVER_CONFIG),
        post(  "/api/admin/accesstokens/create",          Admin,     admin::create_token)
            .says("Create an access token").takes::<admin::CreateTokenRequest>().answers::<admin::AccessToken>(),
        get(   "/api/admin/accesstokens",                 Admin,     admin::tokens)
            .says("The access tokens, without their secrets").answers_list::<admin::AccessToken>(),
        post(  "/api/admin/accesstokens/delete",          Admin,     admin::delete_token)
            .says("Revoke an access token").takes::<admin::Revocation>().done(),
        get(   "/api/admin/settings",                     Admin,     admin::settings)
            .says("Every setting with its value, its source and its rules").answers::<admin::SettingsList>(),
        get(   "/api/admin/logs",                         Admin,     admin::logs)
            .says("The newest log lines, oldest first").answers_list::<admin::LogEntry>(),
        get(   "/api/admin/logs/warnings",                Admin,     admin::warnings)
            .says("The newest warnings and errors, oldest first").answers_list::<admin::LogEntry>(),
        get(   "/api/admin/upkeep",                       Admin,     admin::upkeep)
            .says("Room on the disk, the last backup, the end of the certificate").answers::<admin::Upkeep>(),
        get(   "/api/admin/nodes",                        Admin,     admin::nodes)
            .says("The machines of the cluster; none on a server that is alone").answers_list::<admin::WireNode>(),
        post(  "/api/admin/address/check",                Admin,     admin::check_address)
            .says("Whether this server answers at its public address").answers::<admin::AddressCheck>(),
        post(  "/api/admin/markdown",                     Admin,     admin::render_markdown).body_bytes(256 * 1024)
            .says("A draft in Markdown as it will be shown").takes::<admin::MarkdownDraft>().answers::<admin::RenderedDraft>(),
        get(   "/api/admin/yp/reset",                     Admin,     admin::reset_directory)
            .says("Forget the directory's key, of which there is none").done(),
        get(   "/api/admin/update/options",               Admin,     admin::update_options)
            .says("Whether the server can update itself").answers::<admin::UpdateOptions>(),
        get(   "/api/admin/update/start",                 Admin,     admin::start_update)
            .says("Update the server, which it does not do by itself").also(400, "Always"),
        get(   "/api/admin/update/forcequit",             Admin,     admin::quit_by_script)
            .says("End the process, for scripts with a password").done().also(400, "The caller came by cookie"),
        post(  "/api/admin/update/forcequit",             Admin,     admin::quit)
            .says("End the process").done(),
        post(  "/api/admin/config/adminpass",             Admin,     admin::change_password)
            .says("Change the password; every other session ends").takes::<admin::NewPassword>().done().also(409, "The password is given outside the database and locked"),
        post(  "/api/admin/config/logo",                  Admin,     logo::post).body_bytes(logo::MAX_UPLOAD_BYTES)
            .says("Change the server's picture").takes::<logo::LogoUpload>().done(),
        post(  "/api/admin/config/headerpicture",         Admin,     header_picture::post).body_bytes(logo::MAX_UPLOAD_BYTES)
            .says("Change the picture behind the header").takes::<logo::LogoUpload>().done(),
        delete("/api/admin/config/headerpicture",         Admin,     header_picture::delete)
            .says("Remove the picture behind the header").done(),
        post(  "/api/admin/config/favicon",               Admin,     favicon::post).body_bytes(favicon::MAX_UPLOAD_BYTES)
            .says("Change the pages' icon").takes_file("favicon").done(),
        delete("/api/admin/config/favicon",               Admin,     favicon::delete)
            .says("Go back to the built-in icon").done(),
        post(  "/api/admin/config/offlinepicture",        Admin,     offline_picture::post).body_bytes(logo::MAX_UPLOAD_BYTES)
            .says("Change the picture behind the offline message").takes::<logo::LogoUpload>().done(),
        delete("/api/admin/config/offlinepicture",        Admin,     offline_picture::delete)
            .says("Remove the picture behind the offline message").done(),
        post(  "/api/admin/config/{*path}",               Admin,     admin::change).body_bytes(512 * 1024)
            .says("Change a setting").done(),
    ]
}
