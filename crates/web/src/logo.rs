//! The server's logo: uploaded as a data URI, kept in the database, served from memory.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use store::StoredFile;
use utoipa::ToSchema;

use crate::app::App;
use crate::assets;
use crate::etag;
use crate::json::ApiJson;
use crate::problem::{Problem, done};

/// The name in the store.
const NAME: &str = "logo";
/// Largest logo.
const MAX_LOGO_BYTES: usize = 2 << 20;
/// The same as a data URI inside JSON.
pub(crate) const MAX_UPLOAD_BYTES: usize = MAX_LOGO_BYTES / 3 * 4 + 1024;
/// An SVG is a document: opened by itself it must not run anything on our origin.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The logo in memory once it has been asked for.
#[derive(Debug, Default)]
pub(crate) struct LogoShelf(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    logo: Option<Arc<Logo>>,
    /// Grows with each upload, so that a slow reader does not put the former logo back.
    uploads: u64,
}

#[derive(Debug)]
struct Logo {
    content_type: String,
    bytes: Bytes,
    etag: String,
}

impl LogoShelf {
    fn look(&self) -> (Option<Arc<Logo>>, u64) {
        let shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (shelf.logo.clone(), shelf.uploads)
    }

    fn put(&self, logo: Arc<Logo>, uploads: u64) {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.uploads == uploads {
            shelf.logo = Some(logo);
        }
    }

    fn clear(&self) {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *shelf = Shelf {
            logo: None,
            uploads: shelf.uploads + 1,
        };
    }
}

/// `GET /logo`
pub(crate) async fn get(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let logo = match app.logo.look() {
        (Some(logo), _) => logo,
        (None, uploads) => load(&app, uploads).await?,
    };
    let mut response = if etag::is_known(&headers, &logo.etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        (
            [(header::CONTENT_TYPE, logo.content_type.as_str())],
            logo.bytes.clone(),
        )
            .into_response()
    };
    let out = response.headers_mut();
    out.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=60"),
    );
    out.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(SANDBOX),
    );
    if let Ok(etag) = HeaderValue::from_str(&logo.etag) {
        out.insert(header::ETAG, etag);
    }
    Ok(response)
}

async fn load(app: &App, uploads: u64) -> Result<Arc<Logo>, Problem> {
    let (content_type, bytes) = match app.store.file(NAME).await? {
        Some(file) => (file.content_type, file.bytes.into()),
        None => {
            let (content_type, bytes) =
                assets::embedded("img/logo.png").ok_or(Problem::NotFound)?;
            (content_type.to_owned(), bytes)
        }
    };
    let hash = access::sha256(&STANDARD.encode(&bytes));
    let etag = etag::make(&hash, "");
    let logo = Arc::new(Logo {
        content_type,
        bytes,
        etag,
    });
    app.logo.put(Arc::clone(&logo), uploads);
    Ok(logo)
}

/// A picture for the server.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = LogoUpload)]
pub(crate) struct Upload {
    /// As a data URI such as `data:image/png;base64,…`.
    value: String,
}

/// `POST /api/admin/config/logo`
pub(crate) async fn post(
    State(app): State<App>,
    ApiJson(upload): ApiJson<Upload>,
) -> Result<Response, Problem> {
    let file =
        read_data_uri(&upload.value).map_err(|why| Problem::BadRequest(format!("logo {why}")))?;
    app.store.put_file(NAME, file, app.clock.now()).await?;
    app.logo.clear();
    Ok(done("logo changed"))
}

/// The type is decided by the content; what the uploader claims only has to be an image.
fn read_data_uri(uri: &str) -> Result<StoredFile, String> {
    let expected = "must be a data URI such as data:image/png;base64,…";
    let (head, data) = uri.split_once(',').ok_or(expected)?;
    if !head.starts_with("data:image/") || !head.ends_with(";base64") {
        return Err(expected.into());
    }
    let bytes = STANDARD
        .decode(data.trim())
        .map_err(|_| "is not valid base64")?;
    if bytes.len() > MAX_LOGO_BYTES {
        return Err(format!("is larger than {} MiB", MAX_LOGO_BYTES >> 20));
    }
    let content_type = sniff(&bytes).ok_or("is no PNG, JPEG, GIF, WebP or SVG image")?;
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
            is_svg.then_some("image/svg+xml")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &str, bytes: &[u8]) -> Result<String, String> {
        read_data_uri(&format!("{head},{}", STANDARD.encode(bytes))).map(|file| file.content_type)
    }

    #[test]
    fn the_type_is_what_the_content_is() {
        let png = b"\x89PNG\r\n\x1a\nrest";
        assert_eq!(
            kind("data:image/jpeg;base64", png).as_deref(),
            Ok("image/png")
        );
        assert_eq!(
            kind("data:image/svg+xml;base64", b"<svg xmlns='x'/>").as_deref(),
            Ok("image/svg+xml")
        );
        assert!(kind("data:image/png;base64", b"<html><script>").is_err());
        assert!(kind("data:text/html;base64", png).is_err());
        assert!(read_data_uri("data:image/png;base64,???").is_err());
        assert!(read_data_uri("").is_err());
        assert!(
            kind(
                "data:image/png;base64",
                &[png.as_slice(), &vec![0; 3 << 20]].concat()
            )
            .is_err()
        );
    }
    proptest::proptest! {
        #[test]
        fn no_upload_gets_a_type_that_runs_scripts_on_our_pages(bytes in proptest::collection::vec(0u8.., 0..64), uri in "[ -~]{0,60}") {
            if let Ok(found) = kind("data:image/png;base64", &bytes) {
                proptest::prop_assert!(found.starts_with("image/"));
            }
            if let Ok(file) = read_data_uri(&uri) {
                proptest::prop_assert!(file.content_type.starts_with("image/"));
            }
        }
    }
}
