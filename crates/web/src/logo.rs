//! The server's logo: uploaded as a data URI, kept in the database, served from memory.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::HeaderMap;
use http_server::json::ApiJson;
use model::sentence::Sentence;
use serde::Deserialize;
use store::{LOGO, StoredFile};
use utoipa::ToSchema;

use crate::assets;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{App, CachedPicture};

/// Limit (operators): size of the logo and of the header picture; a larger one is refused.
const MAX_LOGO_BYTES: usize = 2 << 20;
/// The same as a data URI inside JSON.
pub(crate) const MAX_UPLOAD_BYTES: usize = MAX_LOGO_BYTES / 3 * 4 + 1024;
/// What is shown until the operator has one.
const BUILT_IN: &str = "img/logo.png";
/// The media type of drawings.
const SVG: &str = "image/svg+xml";

/// `GET /logo`
pub(crate) async fn get(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    Ok(current(&app).await?.answer(&headers))
}

/// The logo as it is.
async fn current(app: &App) -> Result<Arc<CachedPicture>, Problem> {
    app.pictures.logo.get(&app.store, LOGO, BUILT_IN).await
}

/// The logo for programs that show previews, many of which cannot draw SVG: then it is the built-in one.
pub(crate) async fn drawable(app: &App) -> Result<Arc<CachedPicture>, Problem> {
    let logo = current(app).await?;
    match logo.content_type == SVG {
        true => CachedPicture::built_in(BUILT_IN).map(Arc::new),
        false => Ok(logo),
    }
}

/// Whether the logo is a drawing, which the server cannot turn into pixels.
pub(crate) async fn is_svg(app: &App) -> Result<bool, Problem> {
    Ok(current(app).await?.content_type == SVG)
}

/// The logo that comes with this build, if it has its pages.
pub(crate) fn built_in_bytes() -> Option<Bytes> {
    let (_, bytes) = assets::embedded(BUILT_IN)?;
    Some(bytes)
}

/// `GET /logo/external`
pub(crate) async fn external(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Ok(drawable(&app).await?.answer(&headers))
}

/// A picture for the server.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct LogoUpload {
    /// As a data URI such as `data:image/png;base64,…`.
    value: String,
}

impl LogoUpload {
    pub(crate) fn value(&self) -> &str {
        &self.value
    }
}

/// `POST /api/admin/config/logo`
pub(crate) async fn post(
    State(app): State<App>,
    ApiJson(upload): ApiJson<LogoUpload>,
) -> Result<Response, Problem> {
    let file = read_data_uri("logo", &upload.value)?;
    app.store.put_file(LOGO, file, app.clock.now()).await?;
    app.pictures.logo.clear();
    Ok(done("logo changed"))
}

/// The type is decided by the content; what the uploader claims only has to be an image. `what` it is goes before the
/// reason why it is refused.
pub(crate) fn read_data_uri(what: &str, uri: &str) -> Result<StoredFile, Problem> {
    let refused = |why: &str, sentence: Sentence| {
        Problem::BadRequest(format!("{what} {why}")).worded(sentence)
    };
    let unreadable = |why| refused(why, sentences::PICTURE_UNREADABLE.plain());
    let expected = "must be a data URI such as data:image/png;base64,…";
    let (head, data) = uri.split_once(',').ok_or_else(|| unreadable(expected))?;
    if !head.starts_with("data:image/") || !head.ends_with(";base64") {
        return Err(unreadable(expected));
    }
    let bytes = STANDARD
        .decode(data.trim())
        .map_err(|_| unreadable("is not valid base64"))?;
    if bytes.len() > MAX_LOGO_BYTES {
        let most = (MAX_LOGO_BYTES >> 20) as u64;
        let sentence = sentences::PICTURE_TOO_LARGE.with([most.into()]);
        return Err(refused(&format!("is larger than {most} MiB"), sentence));
    }
    let content_type = sniff(&bytes).ok_or_else(|| {
        let why = "is not a PNG, JPEG, GIF, WebP or SVG image";
        refused(why, sentences::PICTURE_FORMAT.plain())
    })?;
    Ok(StoredFile {
        content_type: content_type.into(),
        bytes,
    })
}

fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => {
            let start = std::str::from_utf8(bytes)
                .ok()?
                .trim_start_matches('\u{feff}')
                .trim_start();
            let is_svg =
                start.starts_with("<svg") || (start.starts_with("<?xml") && start.contains("<svg"));
            is_svg.then_some(SVG)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &str, bytes: &[u8]) -> Option<String> {
        let uri = format!("{head},{}", STANDARD.encode(bytes));
        let file = read_data_uri("logo", &uri).ok()?;
        Some(file.content_type)
    }

    #[test]
    fn the_type_is_what_the_content_is() {
        let png = b"\x89PNG\r\n\x1a\nrest";
        assert_eq!(
            kind("data:image/jpeg;base64", png).as_deref(),
            Some("image/png")
        );
        assert_eq!(
            kind("data:image/svg+xml;base64", b"<svg xmlns='x'/>").as_deref(),
            Some("image/svg+xml")
        );
        assert!(kind("data:image/png;base64", b"<html><script>").is_none());
        assert!(kind("data:text/html;base64", png).is_none());
        assert!(read_data_uri("logo", "data:image/png;base64,???").is_err());
        assert!(read_data_uri("logo", "").is_err());
        assert!(
            kind(
                "data:image/png;base64",
                &[png.as_slice(), &vec![0; 3 << 20]].concat()
            )
            .is_none()
        );
    }
    proptest::proptest! {
        #[test]
        fn no_upload_gets_a_type_that_runs_scripts_on_our_pages(bytes in proptest::collection::vec(0u8.., 0..64), uri in "[ -~]{0,60}") {
            if let Some(found) = kind("data:image/png;base64", &bytes) {
                proptest::prop_assert!(found.starts_with("image/"));
            }
            if let Ok(file) = read_data_uri("logo", &uri) {
                proptest::prop_assert!(file.content_type.starts_with("image/"));
            }
        }
    }
}
