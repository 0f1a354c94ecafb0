//! `GET /oembed`: how other sites learn to show the player (<https://oembed.com>).

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{StatusCode, Uri, header};
use http_server::client::ClientInfo;
use model::product;
use model::settings::table::{NAME, STREAM_TITLE};
use serde::Serialize;
use url::Url;

use super::base;
use crate::chat::parameter;
use crate::html::escaped;
use crate::state::App;

/// Limit (clients): length of an address that is asked about; a longer one is not ours.
const MAX_URL_BYTES: usize = 2048;
/// The picture's size where the asker sets no limits, and the shape of smaller ones.
const WIDTH: u32 = 1280;
/// Its height.
const HEIGHT: u32 = 720;
/// No player can be used below this width.
const MIN_WIDTH: u32 = 200;

/// A video as oEmbed describes it.
#[derive(Debug, Serialize)]
pub(crate) struct VideoEmbed {
    #[serde(rename = "type")]
    kind: &'static str,
    version: &'static str,
    title: String,
    provider_name: String,
    provider_url: String,
    author_name: String,
    author_url: String,
    cache_age: u32,
    thumbnail_url: String,
    thumbnail_width: u32,
    thumbnail_height: u32,
    html: String,
    width: u32,
    height: u32,
}

pub(crate) async fn get(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
) -> Response {
    let settings = app.settings.now();
    let base = base(&settings, &client);
    let Some(address) = parameter(&uri, "url") else {
        return refused(StatusCode::BAD_REQUEST, "name an address: ?url=…");
    };
    if !matches!(
        parameter(&uri, "format").as_deref(),
        None | Some("" | "json")
    ) {
        return refused(StatusCode::NOT_IMPLEMENTED, "only format=json is there");
    }
    if !is_ours(&address, &base) {
        return refused(StatusCode::NOT_FOUND, "this server has no such page");
    }
    let limit = |name: &str| parameter(&uri, name).and_then(|value| value.parse::<u32>().ok());
    let (width, height) = size_within(limit("maxwidth"), limit("maxheight"));
    let name = settings.text(&NAME).to_owned();
    let title = match settings.text(&STREAM_TITLE) {
        "" => name.clone(),
        title => title.to_owned(),
    };
    // Sites want the picture's size beside it, so it is the one whose size is known.
    let embed = VideoEmbed {
        kind: "video",
        version: "1.0",
        title,
        provider_name: product::TITLE.to_owned(),
        provider_url: format!("{base}/"),
        author_name: name.clone(),
        author_url: format!("{base}/"),
        cache_age: 60,
        thumbnail_url: format!("{base}/icon/512.png"),
        thumbnail_width: 512,
        thumbnail_height: 512,
        html: format!(
            "<iframe src=\"{}/embed/video\" title=\"{}\" width=\"{width}\" height=\"{height}\" \
             allow=\"autoplay; fullscreen; picture-in-picture\" allowfullscreen style=\"border:0\"></iframe>",
            escaped(&base),
            escaped(&name)
        ),
        width,
        height,
    };
    ([(header::CACHE_CONTROL, "public, max-age=60")], Json(embed)).into_response()
}

fn refused(status: StatusCode, why: &'static str) -> Response {
    (status, format!("{why}\n")).into_response()
}

/// The viewer page and the player alone, at this server's public address, or without one at the name it is asked under.
fn is_ours(address: &str, base: &str) -> bool {
    if address.len() > MAX_URL_BYTES {
        return false;
    }
    let (Ok(address), Ok(base)) = (Url::parse(address), Url::parse(base)) else {
        return false;
    };
    // A page that moved to HTTPS is known by its old address, too.
    let is_web = matches!(address.scheme(), "http" | "https");
    let is_same_host = address.host() == base.host();
    let is_same_port = address.port() == base.port();
    let is_page = matches!(address.path(), "/" | "/index.html" | "/embed/video");
    is_web && is_same_host && is_same_port && is_page
}

/// The largest picture in the shape of a video that fits, or else the smallest that is of use.
fn size_within(max_width: Option<u32>, max_height: Option<u32>) -> (u32, u32) {
    let by_height = max_height.map_or(WIDTH, |height| height.saturating_mul(16) / 9);
    let width = max_width.unwrap_or(WIDTH).min(by_height).min(WIDTH);
    let width = width.max(MIN_WIDTH);
    (width, (width * HEIGHT).div_ceil(WIDTH).min(HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_servers_pages_can_be_embedded() {
        let base = "https://live.example";
        for ours in [
            "https://live.example",
            "https://live.example/",
            "http://live.example/?utm=1#x",
            "https://LIVE.example/embed/video",
        ] {
            assert!(is_ours(ours, base), "{ours}");
        }
        let long = format!("{base}/?{}", "a".repeat(MAX_URL_BYTES));
        for other in [
            "https://evil.example/",
            "https://live.example.evil/",
            "https://live.example:8443/",
            "https://live.example/admin/",
            "ftp://live.example/",
            "live.example",
            "",
            &long,
        ] {
            assert!(!is_ours(other, base), "{other}");
        }
        assert!(is_ours("http://127.0.0.1:8080/", "http://127.0.0.1:8080"));
    }

    #[test]
    fn the_player_fits_and_keeps_the_shape_of_a_video() {
        for (limits, size) in [
            ((None, None), (1280, 720)),
            ((Some(640), None), (640, 360)),
            ((None, Some(180)), (320, 180)),
            ((Some(640), Some(180)), (320, 180)),
            ((Some(u32::MAX), Some(u32::MAX)), (1280, 720)),
            ((Some(0), None), (200, 113)),
        ] {
            assert_eq!(size_within(limits.0, limits.1), size, "{limits:?}");
        }
    }
}
