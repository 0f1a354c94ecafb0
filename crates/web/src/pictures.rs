//! A picture that is served from memory: the logo and the icon, which the operator uploads and the database keeps, and
//! what was drawn of the stream.

use std::sync::{Arc, Mutex, PoisonError};

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::app::App;
use crate::problem::Problem;
use crate::{assets, etag};

/// An SVG is a document: opened by itself it must not run anything on our origin.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The picture in memory once it has been asked for.
#[derive(Debug, Default)]
pub(crate) struct PictureCache(Mutex<CacheState>);

#[derive(Debug, Default)]
struct CacheState {
    picture: Option<Arc<CachedPicture>>,
    /// Grows with each upload, so that a slow reader does not put the former picture back.
    uploads: u64,
}

#[derive(Debug)]
pub(crate) struct CachedPicture {
    pub(crate) content_type: String,
    bytes: Bytes,
    etag: String,
}

impl PictureCache {
    fn look(&self) -> (Option<Arc<CachedPicture>>, u64) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (state.picture.clone(), state.uploads)
    }

    fn put(&self, picture: Arc<CachedPicture>, uploads: u64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.uploads == uploads {
            state.picture = Some(picture);
        }
    }

    /// Another one was uploaded, or it was deleted.
    pub(crate) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = CacheState {
            picture: None,
            uploads: state.uploads + 1,
        };
    }

    /// The picture stored under `name`, or the built-in one.
    pub(crate) async fn get(
        &self,
        app: &App,
        name: &str,
        built_in: &str,
    ) -> Result<Arc<CachedPicture>, Problem> {
        let (known, uploads) = self.look();
        if let Some(picture) = known {
            return Ok(picture);
        }
        let picture = match app.store.file(name).await? {
            Some(file) => Arc::new(CachedPicture::new(file.content_type, file.bytes.into())),
            None => Arc::new(CachedPicture::built_in(built_in)?),
        };
        self.put(Arc::clone(&picture), uploads);
        Ok(picture)
    }
}

impl CachedPicture {
    pub(crate) fn new(content_type: String, bytes: Bytes) -> Self {
        let hash = access::sha256(&STANDARD.encode(&bytes));
        Self {
            content_type,
            bytes,
            etag: etag::make(&hash, ""),
        }
    }

    /// One whose hash is known already.
    pub(crate) fn hashed(content_type: &str, bytes: Bytes, hash: &[u8]) -> Self {
        Self {
            content_type: content_type.to_owned(),
            bytes,
            etag: etag::make(hash, ""),
        }
    }

    /// What it is made of.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Names exactly these bytes.
    pub(crate) fn etag(&self) -> &str {
        &self.etag
    }

    /// One of our own.
    pub(crate) fn built_in(name: &str) -> Result<Self, Problem> {
        let (content_type, bytes) = assets::embedded(name).ok_or(Problem::NotFound)?;
        Ok(Self::new(content_type.to_owned(), bytes))
    }

    /// For pictures that hardly ever change.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        self.answer_cached(headers, HeaderValue::from_static("public, max-age=60"))
    }

    pub(crate) fn answer_cached(&self, headers: &HeaderMap, cache: HeaderValue) -> Response {
        let mut response = if etag::is_known(headers, &self.etag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            (
                [(header::CONTENT_TYPE, self.content_type.as_str())],
                self.bytes.clone(),
            )
                .into_response()
        };
        let out = response.headers_mut();
        out.insert(header::CACHE_CONTROL, cache);
        out.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(SANDBOX),
        );
        if let Ok(etag) = HeaderValue::from_str(&self.etag) {
            out.insert(header::ETAG, etag);
        }
        response
    }
}
