//! Plugins.

use ::plugins::http::MAX_REQUEST_BODY_BYTES;

use crate::plugins::{MAX_PACKAGE_FORM_BYTES, MAX_PLUGIN_CONFIG_BYTES, UPLOAD_TIMEOUT};
use crate::route::Access::{Admin, Public};
use crate::route::{Route, delete, get, patch, post, put};
use crate::{admin, openapi, plugins};

/// What plugins serve themselves: these paths, with all methods.
fn served() -> Vec<Route> {
    let paths = [
        "/plugins/{slug}",
        "/plugins/{slug}/",
        "/plugins/{slug}/{*path}",
    ];
    let all = paths.map(|path| {
        let rows = [
            get(path, Public, plugins::serve),
            post(path, Public, plugins::serve),
            put(path, Public, plugins::serve),
            patch(path, Public, plugins::serve),
            delete(path, Public, plugins::serve),
        ];
        rows.map(|row| {
            row.body_bytes(MAX_REQUEST_BODY_BYTES)
                .allow_methods(plugins::METHODS)
                .allow_headers(plugins::HEADERS)
        })
    });
    all.into_iter().flatten().collect()
}

pub(super) fn rows() -> Vec<Route> {
    let mut all = described();
    all.push(get("/styles/plugin.css", Public, plugins::baseline));
    all.extend(served());
    all
}

#[rustfmt::skip]
fn described() -> Vec<Route> {
    vec![
        get(   "/api/admin/plugins",                      Admin,     plugins::list)
            .says("The plugins, with their state").answers_list::<plugins::WirePlugin>(),
        post(  "/api/admin/plugins",                      Admin,     plugins::upload).body_bytes(MAX_PACKAGE_FORM_BYTES)
            .patient(UPLOAD_TIMEOUT).says("Install a plugin without enabling it").takes_file("plugin").answers::<plugins::WirePlugin>(),
        post(  "/api/admin/plugins/{slug}/enable",        Admin,     plugins::enable)
            .says("Enable a plugin, with all the permissions it asks for").answers::<plugins::PluginActionResponse>(),
        post(  "/api/admin/plugins/{slug}/approve",       Admin,     plugins::approve)
            .says("Approve what a newer package asks for beyond the older one").answers::<plugins::PluginActionResponse>(),
        post(  "/api/admin/plugins/{slug}/disable",       Admin,     plugins::disable)
            .says("Disable a plugin").answers::<plugins::PluginActionResponse>(),
        post(  "/api/admin/plugins/{slug}/reload",        Admin,     plugins::reload)
            .says("Reload an enabled plugin from its file").answers::<plugins::PluginActionResponse>(),
        post(  "/api/admin/plugins/{slug}/uninstall",     Admin,     plugins::uninstall)
            .says("Uninstall a plugin; the data it stored stays").answers::<plugins::PluginActionResponse>(),
        get(   "/api/admin/plugins/{slug}/instructions",  Admin,     plugins::instructions)
            .says("The instructions of a plugin").answers_text("text/markdown").also(404, "There are none"),
        get(   "/api/admin/plugins/{slug}/logs",          Admin,     plugins::logs)
            .says("The newest log lines about a plugin, oldest first").answers_list::<admin::LogEntry>().also(404, "There is no such plugin"),
        get(   "/api/admin/plugins/{slug}/users",         Admin,     plugins::users)
            .says("The chat users that a plugin made: how many, and the newest 200").answers::<plugins::PluginUsers>().also(404, "There is no such plugin"),
        get(   "/api/admin/plugins/{slug}/config",        Admin,     plugins::config)
            .says("The values of a plugin's settings, as they count now").answers_as(openapi::PLUGIN_VALUES).also(404, "It has no settings"),
        post(  "/api/admin/plugins/{slug}/config",        Admin,     plugins::set_config).body_bytes(MAX_PLUGIN_CONFIG_BYTES)
            .says("Replace the values of a plugin's settings").takes_as(openapi::PLUGIN_VALUES).answers::<plugins::SaveSettingsResponse>().also(404, "It has no settings"),
        get(   "/api/admin/plugins/{slug}/auth-settings", Admin,     plugins::auth_settings)
            .says("How much the sign-in of a plugin guards").answers::<plugins::AuthSettings>().also(404, "It is no sign-in"),
        post(  "/api/admin/plugins/{slug}/auth-settings", Admin,     plugins::set_auth_settings)
            .says("Change how much the sign-in of a plugin guards").takes::<plugins::AuthSettings>().answers::<plugins::SaveSettingsResponse>().also(404, "It is no sign-in"),
        get(   "/api/admin/plugins/{slug}/{action}",      Admin,     plugins::unknown_action)
            .says("Any other request about a plugin is refused").also_text(400, "Always", "text/plain"),
        post(  "/api/admin/plugins/{slug}/{action}",      Admin,     plugins::unknown_action)
            .says("Any other action on a plugin is refused").also_text(400, "Always", "text/plain"),
        get(   "/api/admin/plugins/{slug}",               Admin,     plugins::unknown_place)
            .says("A request with a plugin's name alone is refused").also_text(400, "Always", "text/plain"),
        post(  "/api/admin/plugins/{slug}",               Admin,     plugins::unknown_place)
            .says("An action with a plugin's name alone is refused").also_text(400, "Always", "text/plain"),
        get(   "/api/admin/broken-plugins",               Admin,     plugins::broken)
            .says("Files of the plugins folder that are not used, with the reason").answers_list::<plugins::BrokenPlugin>(),
        get(   "/api/admin/plugin-registry/list",         Admin,     plugins::registry_list)
            .says("What the registry offers, as it says it").answers_as(openapi::REGISTRY_LISTING).also(502, "The registry cannot be used"),
        get(   "/api/admin/plugin-registry/list/",        Admin,     plugins::registry_list),
        post(  "/api/admin/plugin-registry/install",      Admin,     plugins::from_registry).patient(UPLOAD_TIMEOUT)
            .says("Install a plugin from the registry, or a newer version of one that is there").takes::<plugins::RegistryInstallRequest>().answers::<plugins::WirePlugin>()
            .also(404, "The registry does not know this version").also(502, "The registry cannot be used, or sent something else"),
        post(  "/api/admin/plugin-registry/install/",     Admin,     plugins::from_registry).patient(UPLOAD_TIMEOUT),
        get(   "/api/plugins/actions",                    Public,    plugins::actions)
            .says("The buttons of plugins that are loaded").answers_list::<plugins::PluginAction>(),
        post(  "/api/plugins/{slug}/pass",                Public,    plugins::give_pass)
            .says("A pass for the pages of a plugin, so that it knows who looks; or more time for one").takes::<plugins::PassRequest>().answers::<plugins::PluginPass>()
            .also(404, "No such plugin runs"),
        get(   "/api/plugins/{slug}/icon",                Public,    plugins::icon)
            .says("The icon of a plugin").also_text(200, "The picture", "image/png").also(404, "There is none"),
    ]
}
