//! `GET /api/socialplatforms`: the platforms the admin page offers by name.

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

/// `GET /img/platformlogos/{name}`: the first letter on a tile. The signs of the platforms belong to them; this one is ours.
pub(crate) async fn icon(Path(name): Path<String>) -> Response {
    let platform = name.strip_suffix(".svg").and_then(known);
    let Some(letter) = platform.and_then(|(_, name)| name.chars().next()) else {
        return super::not_found().await;
    };
    let drawing = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\" role=\"img\">\
         <rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#4a5568\"/>\
         <text x=\"16\" y=\"22\" font-family=\"sans-serif\" font-size=\"18\" font-weight=\"700\" \
         text-anchor=\"middle\" fill=\"#fff\">{letter}</text></svg>"
    );
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, "public, max-age=2592000"),
    ];
    (headers, drawing).into_response()
}
