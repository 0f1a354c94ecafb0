//! The operator's colours and style sheet as a file, because the page's policy allows no inline styles.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use model::settings::table::{APPEARANCE, CUSTOM_STYLES};

use crate::plugins::{contributors, styles};
use crate::state::App;

/// `GET /customstyles.css`
pub(crate) async fn get(State(app): State<App>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=31536000"),
    ];
    (headers, sheet(&app)).into_response()
}

/// `GET /pluginstyles.css`
pub(crate) async fn plugins(State(app): State<App>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, styles(&app).await).into_response()
}

/// The element that loads the plugins' styles; it comes before the operator's own, which take precedence.
pub(crate) fn plugin_element(app: &App) -> &'static str {
    match contributors(app).is_empty() {
        true => "",
        false => "<link rel=\"stylesheet\" href=\"/pluginstyles.css\">\n",
    }
}

/// Changes with the content, so that the file may be cached for a long time.
pub(crate) fn version(app: &App) -> String {
    access::sha256(&sheet(app))
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn sheet(app: &App) -> String {
    let settings = app.settings.now();
    let mut sheet = String::new();
    let variables = settings.get(&APPEARANCE);
    if !variables.is_empty() {
        sheet.push_str(":root{");
        for (name, value) in variables {
            let name = name.trim_start_matches('-');
            sheet.push_str(&format!("--{name}:{value};"));
        }
        sheet.push_str("}\n");
    }
    sheet.push_str(settings.text(&CUSTOM_STYLES));
    sheet
}
