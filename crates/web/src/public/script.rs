//! The operator's own script as a file of this server, because the page's policy allows no inline scripts.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use model::settings::table::page::CUSTOM_JAVASCRIPT;

use crate::app::App;

/// `GET /customjavascript`
pub(crate) async fn get(State(app): State<App>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let settings = app.settings.now();
    (headers, settings.get(&CUSTOM_JAVASCRIPT).clone()).into_response()
}

/// The element that loads it; nothing when there is no script.
pub(crate) fn element(app: &App) -> &'static str {
    match app.settings.now().text(&CUSTOM_JAVASCRIPT) {
        "" => "",
        _ => "\n<script src=\"/customjavascript\" defer></script>",
    }
}
