//! Public read endpoints.

mod config;
mod directory;
mod files;
mod health;
mod metrics;
mod notices;
mod script;
mod social;
mod status;
mod stream;
mod styles;

pub(crate) use config::{Config, config_document, get as config};
pub(crate) use directory::{DirectoryListing, get as directory};
pub(crate) use files::{content_type, get as file};
pub(crate) use health::{healthz, readyz};
pub(crate) use metrics::{PlaybackReport, cmcd, playback};
pub(crate) use notices::register_for_notifications;
pub(crate) use script::{elements as custom_javascript_elements, get as custom_javascript};
pub(crate) use social::{
    SocialLink, SocialPlatforms, get as social_platforms, icon as platform_icon,
};
pub(crate) use status::{PublicStatus, get as status, status_document};
pub(crate) use stream::{StreamVariant, ping, variants};
pub(crate) use styles::{
    get as custom_styles, plugin_element as plugin_styles_element, plugins as plugin_styles,
    version as custom_styles_version,
};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, header};
use model::settings::table::DISABLE_SEARCH_INDEXING;

use crate::state::App;

/// For documents that change under the same address.
pub(crate) const NO_CACHE: [(HeaderName, &str); 2] = [
    (header::CACHE_CONTROL, "no-cache, no-store, must-revalidate"),
    (header::EXPIRES, "Thu, 1 Jan 1970 00:00:00 GMT"),
];

/// `GET /robots.txt`
pub(crate) async fn robots(State(app): State<App>) -> Response {
    let mut lines = vec!["User-agent: *", "Disallow: /admin", "Disallow: /api"];
    if *app.settings.now().get(&DISABLE_SEARCH_INDEXING) {
        lines.push("Disallow: /");
    }
    (
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        lines.join("\n"),
    )
        .into_response()
}

/// The answer for everything that is not in the table.
pub(crate) async fn not_found() -> Response {
    (http::StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}
