//! `GET /manifest.json`: what the installed page is called and looks like.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use model::settings::table::{NAME, SUMMARY};
use serde_json::{Value, json};

use super::theme;
use crate::logo;
use crate::problem::Problem;
use crate::state::App;

pub(crate) async fn get(State(app): State<App>) -> Result<Response, Problem> {
    let settings = app.settings.now();
    let name = settings.text(&NAME);
    let icons = icons(logo::is_svg(&app).await?);
    // A manifest has one colour, so it is the one of the dark page: videos are watched on black.
    let (_, color) = theme::colors(&settings);
    let document = json!({
        "id": "/",
        "name": name,
        "short_name": name,
        "description": settings.text(&SUMMARY),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "theme_color": color,
        "background_color": color,
        "categories": ["entertainment"],
        "icons": icons,
    });
    let headers = [
        (header::CONTENT_TYPE, "application/manifest+json"),
        (header::CACHE_CONTROL, "public, max-age=60"),
    ];
    Ok((headers, document.to_string()).into_response())
}

/// An SVG scales by itself. Its PNG files would show the built-in logo, so there are none then.
fn icons(is_svg: bool) -> Value {
    if is_svg {
        return json!([{ "src": "/logo", "sizes": "any", "type": "image/svg+xml", "purpose": "any" }]);
    }
    let icon = |name: &str, side: u32, purpose: &str| {
        json!({
            "src": format!("/icon/{name}.png"),
            "sizes": format!("{side}x{side}"),
            "type": "image/png",
            "purpose": purpose,
        })
    };
    json!([
        icon("192", 192, "any"),
        icon("512", 512, "any"),
        icon("maskable-512", 512, "maskable"),
    ])
}
