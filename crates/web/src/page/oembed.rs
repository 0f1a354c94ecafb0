//! `GET /oembed`: how other sites learn to show the player (<https://oembed.com>).

use std::io::Cursor;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{StatusCode, Uri, header};
use http_server::client::ClientInfo;
use image::{ImageFormat, ImageReader};
use model::product;
use model::recording::{RecordingId, RecordingState, Visibility};
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
    let found = match target(&address, &base) {
        Some(Target::Stream) => Some(stream(&app)),
        Some(Target::Video(id)) => video(&app, &id).await,
        None => None,
    };
    let Some(shown) = found else {
        return refused(StatusCode::NOT_FOUND, "this server has no such page");
    };
    let limit = |name: &str| parameter(&uri, name).and_then(|value| value.parse::<u32>().ok());
    let (width, height) = size_within(limit("maxwidth"), limit("maxheight"));
    let name = settings.text(&NAME).to_owned();
    let Shown {
        title,
        player,
        picture,
        size: (picture_width, picture_height),
    } = shown;
    let embed = VideoEmbed {
        kind: "video",
        version: "1.0",
        title: if title.is_empty() {
            name.clone()
        } else {
            title
        },
        provider_name: product::TITLE.to_owned(),
        provider_url: format!("{base}/"),
        author_name: name.clone(),
        author_url: format!("{base}/"),
        cache_age: 60,
        thumbnail_url: format!("{base}{picture}"),
        thumbnail_width: picture_width,
        thumbnail_height: picture_height,
        html: format!(
            "<iframe src=\"{}{player}\" title=\"{}\" width=\"{width}\" height=\"{height}\" \
             allow=\"autoplay; fullscreen; picture-in-picture\" allowfullscreen style=\"border:0\"></iframe>",
            escaped(&base),
            escaped(&name)
        ),
        width,
        height,
    };
    ([(header::CACHE_CONTROL, "public, max-age=60")], Json(embed)).into_response()
}

/// What a player shows.
struct Shown {
    /// Empty if it has none.
    title: String,
    /// The player's path.
    player: String,
    /// The path of a picture, and its size, which sites want beside it.
    picture: String,
    size: (u32, u32),
}

impl Shown {
    fn with_icon(title: String, player: String) -> Self {
        Self {
            title,
            player,
            picture: "/icon/512.png".into(),
            size: (512, 512),
        }
    }
}

fn stream(app: &App) -> Shown {
    let title = app.settings.now().text(&STREAM_TITLE).to_owned();
    Shown::with_icon(title, "/embed/video".into())
}

/// `None` if not everybody may see it.
async fn video(app: &App, id: &RecordingId) -> Option<Shown> {
    let recording = app.store.recording(id).await.ok()??;
    let is_shown =
        recording.state == RecordingState::Finished && recording.visibility != Visibility::Private;
    if !is_shown {
        return None;
    }
    let shown = Shown::with_icon(recording.title, format!("/embed/video/{id}"));
    let poster = app.archive.poster(id).await.ok().flatten();
    Some(match poster.as_deref().and_then(picture_size) {
        Some(size) => Shown {
            picture: format!("/hls/videos/{id}/poster.jpg"),
            size,
            ..shown
        },
        None => shown,
    })
}

fn picture_size(jpeg: &[u8]) -> Option<(u32, u32)> {
    let reader = ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg);
    reader.into_dimensions().ok()
}

fn refused(status: StatusCode, why: &'static str) -> Response {
    (status, format!("{why}\n")).into_response()
}

/// What a page of this server shows.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Stream,
    Video(RecordingId),
}

/// What is shown on the viewer page, on a recording's, or by the player alone, at this server's public address, or
/// without one at the name it is asked under.
fn target(address: &str, base: &str) -> Option<Target> {
    if address.len() > MAX_URL_BYTES {
        return None;
    }
    let (address, base) = (Url::parse(address).ok()?, Url::parse(base).ok()?);
    // A page that moved to HTTPS is known by its old address, too.
    let is_web = matches!(address.scheme(), "http" | "https");
    let is_same_host = address.host() == base.host();
    let is_same_port = address.port() == base.port();
    if !(is_web && is_same_host && is_same_port) {
        return None;
    }
    match address.path() {
        "/" | "/index.html" | "/embed/video" => Some(Target::Stream),
        path => {
            let id = path.strip_prefix("/videos/");
            let id = id.or_else(|| path.strip_prefix("/embed/video/"))?;
            RecordingId::parse(id).map(Target::Video)
        }
    }
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
            assert_eq!(target(ours, base), Some(Target::Stream), "{ours}");
        }
        let id = RecordingId::parse("0123456789abcdef").unwrap();
        for video in [
            "https://live.example/videos/0123456789abcdef?t=90",
            "https://live.example/embed/video/0123456789abcdef",
        ] {
            let found = target(video, base);
            assert_eq!(found, Some(Target::Video(id.clone())), "{video}");
        }
        let long = format!("{base}/?{}", "a".repeat(MAX_URL_BYTES));
        for other in [
            "https://evil.example/",
            "https://live.example.evil/",
            "https://live.example:8443/",
            "https://live.example/admin/",
            "https://live.example/videos",
            "https://live.example/videos/../0123456789abcdef",
            "https://live.example/videos/0123456789abcdef/x",
            "https://evil.example/videos/0123456789abcdef",
            "ftp://live.example/",
            "live.example",
            "",
            &long,
        ] {
            assert_eq!(target(other, base), None, "{other}");
        }
        let own = target("http://127.0.0.1:8080/", "http://127.0.0.1:8080");
        assert_eq!(own, Some(Target::Stream));
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
