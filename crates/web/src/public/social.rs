//! `GET /api/socialplatforms`: the platforms the admin page offers by name.

mod glyphs;

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header;
use model::settings::SocialHandle;
use model::social::PLATFORMS;
use serde::Serialize;
use utoipa::ToSchema;

/// The platforms by their ids.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SocialPlatforms(BTreeMap<&'static str, SocialPlatform>);

/// A platform.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SocialPlatform {
    /// Its name, as it is written there.
    platform: &'static str,
    /// A small picture of ours that stands for it.
    icon: String,
}

/// A link to the operator elsewhere, as pages show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SocialHandle)]
pub(crate) struct SocialLink {
    platform: String,
    url: String,
    /// Absent when the platform is not a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
}

impl From<&SocialHandle> for SocialLink {
    fn from(handle: &SocialHandle) -> Self {
        let known = known(&handle.platform);
        Self {
            platform: handle.platform.clone(),
            url: handle.url.clone(),
            icon: known.map(|(id, _)| icon_path(id)),
        }
    }
}

fn known(platform: &str) -> Option<(&'static str, &'static str)> {
    let mut platforms = PLATFORMS.iter();
    platforms
        .find(|(id, _)| id.eq_ignore_ascii_case(platform))
        .copied()
}

fn icon_path(id: &str) -> String {
    format!("/img/platformlogos/{id}.svg")
}

pub(crate) async fn get() -> Json<SocialPlatforms> {
    let platforms = PLATFORMS.iter().map(|(id, name)| {
        let icon = icon_path(id);
        let platform = SocialPlatform {
            platform: name,
            icon,
        };
        (*id, platform)
    });
    Json(SocialPlatforms(platforms.collect()))
}

/// `GET /img/platformlogos/{name}`: the platform's sign, or its first letter if there is none that may be used. Pages
/// take the shape alone and give it their own colour.
pub(crate) async fn icon(Path(name): Path<String>) -> Response {
    let platform = name.strip_suffix(".svg").and_then(known);
    let Some((id, title)) = platform else {
        return super::not_found().await;
    };
    let shape = match glyphs::of(id) {
        Some(path) => format!("<path d=\"{path}\"/>"),
        None => letter(title),
    };
    let drawing = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 24 24\" role=\"img\"><title>{title}</title>\
         <style>:root{{fill:#4a5f64}}@media(prefers-color-scheme:dark){{:root{{fill:#c3d5d6}}}}</style>{shape}</svg>"
    );
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, drawing).into_response()
}

/// The first letter of a name in a frame.
fn letter(name: &str) -> String {
    let letter = name.chars().next().unwrap_or('?');
    format!(
        "<path d=\"M5 0h14a5 5 0 0 1 5 5v14a5 5 0 0 1-5 5H5a5 5 0 0 1-5-5V5a5 5 0 0 1 5-5zm0 2a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3h14\
         a3 3 0 0 0 3-3V5a3 3 0 0 0-3-3z\" fill-rule=\"evenodd\"/>\
         <text x=\"12\" y=\"17\" font-family=\"sans-serif\" font-size=\"14\" font-weight=\"700\" \
         text-anchor=\"middle\">{letter}</text>"
    )
}
