//! `GET /sw.js`: the service worker; and `GET /offline`, what it shows without a connection.

use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use model::settings::table::NAME;
use serde_json::json;

use super::icons;
use crate::language::Language;
use crate::logo;
use crate::page::MessagePage;
use crate::pages::{viewer_assets, viewer_styles};
use crate::problem::Problem;
use crate::state::App;

const SCRIPT: &str = include_str!("sw.js");

/// The logo is part of the page: nothing else can be fetched when it is shown.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; \
     base-uri 'none'; form-action 'none'";

/// `GET /sw.js`. A browser compares it byte by byte, so what it caches and shows is part of it by a hash.
pub(crate) async fn get(State(app): State<App>) -> Result<Response, Problem> {
    let settings = app.settings.now();
    let assets = json!(viewer_assets()).to_string();
    let logo = logo::drawable(&app).await?;
    let shown = [assets.as_str(), settings.text(&NAME), logo.etag()].join("\n");
    let version: String = access::sha256(&shown)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let script = SCRIPT
        .replacen("__VERSION__", &version, 1)
        .replacen("__ASSETS__", &assets, 1);
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, script).into_response())
}

/// `GET /offline`
pub(crate) async fn offline_page(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let styles = viewer_styles().ok_or(Problem::NotFound)?;
    let settings = app.settings.now();
    let language = Language::of(&headers);
    let icons = icons::current(&app).await?;
    let logo = STANDARD.encode(icons.small.bytes());
    let logo = format!("data:image/png;base64,{logo}");
    let page = MessagePage {
        language,
        name: settings.text(&NAME),
        styles: &styles,
        logo: &logo,
        notice: &language.texts().no_connection,
    };
    let described = [
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::VARY, "accept-language"),
    ];
    Ok((described, Html(page.render())).into_response())
}
