//! The scripts of the operator and of plugins as files of this server, because the page's policy allows no inline
//! scripts.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{Uri, header};
use model::settings::table::page::CUSTOM_JAVASCRIPT;

use crate::chat::parameter;
use crate::plugins::{contributors, scripts};
use crate::state::App;

/// `GET /customjavascript`: all scripts; with `?plugin=<slug>` only that plugin's, with `?plugin=` only the operator's.
pub(crate) async fn get(State(app): State<App>, uri: Uri) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let settings = app.settings.now();
    let own = settings.get(&CUSTOM_JAVASCRIPT).clone();
    let script = match parameter(&uri, "plugin").as_deref() {
        Some("") => own,
        Some(slug) => scripts(&app, Some(slug)).await,
        None => {
            let others = scripts(&app, None).await;
            let between = if own.is_empty() || others.is_empty() {
                ""
            } else {
                "\n"
            };
            own + between + &others
        }
    };
    (headers, script).into_response()
}

/// One script element per script, so that an error in one does not affect the others; empty if there are no scripts.
pub(crate) fn elements(app: &App) -> String {
    let plugins = contributors(app);
    let mut elements = String::new();
    let mut add = |query: &str| {
        elements.push_str(&format!(
            "\n<script src=\"/customjavascript{query}\" defer></script>"
        ));
    };
    if !app.settings.now().text(&CUSTOM_JAVASCRIPT).is_empty() {
        add(if plugins.is_empty() { "" } else { "?plugin=" });
    }
    for slug in plugins {
        add(&format!("?plugin={slug}"));
    }
    elements
}
