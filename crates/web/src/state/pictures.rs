//! Images served from memory: the logo and the favicon, which the operator uploads and the database stores, and the
//! stream's thumbnails.

use std::sync::{Arc, Mutex, PoisonError};

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_server::etag;
use store::Store;

use crate::assets;
use crate::problem::Problem;

/// An SVG is a document: opened by itself it must not run anything on our origin.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The image, loaded on first request.
#[derive(Debug, Default)]
pub(crate) struct PictureCache(Mutex<CacheState>);

#[derive(Debug, Default)]
struct CacheState {
    picture: Option<Arc<CachedPicture>>,
    /// Incremented by each upload, so that a slow reader does not put the old image back.
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

    /// Called after an upload or a deletion.
    pub(crate) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = CacheState {
            picture: None,
            uploads: state.uploads + 1,
        };
    }

    /// The image stored under `name`, if there is one.
    pub(crate) async fn stored(
        &self,
        store: &Store,
        name: &str,
    ) -> Result<Option<Arc<CachedPicture>>, Problem> {
        let (known, uploads) = self.look();
        if known.is_some() {
            return Ok(known);
        }
        let Some(file) = store.file(name).await? else {
            return Ok(None);
        };
        let picture = Arc::new(CachedPicture::new(file.content_type, file.bytes.into()));
        self.put(Arc::clone(&picture), uploads);
        Ok(Some(picture))
    }

    /// The image stored under `name`, or the built-in one.
    pub(crate) async fn get(
        &self,
        store: &Store,
        name: &str,
        built_in: &str,
    ) -> Result<Arc<CachedPicture>, Problem> {
        // Before the database is read: an upload meanwhile must not be hidden by the built-in one.
        let (_, uploads) = self.look();
        if let Some(picture) = self.stored(store, name).await? {
            return Ok(picture);
        }
        let picture = Arc::new(CachedPicture::built_in(built_in)?);
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

    /// An image whose hash is known already.
    pub(crate) fn hashed(content_type: &str, bytes: Bytes, hash: &[u8]) -> Self {
        Self {
            content_type: content_type.to_owned(),
            bytes,
            etag: etag::make(hash, ""),
        }
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Identifies exactly these bytes.
    pub(crate) fn etag(&self) -> &str {
        &self.etag
    }

    /// A built-in image.
    pub(crate) fn built_in(name: &str) -> Result<Self, Problem> {
        let (content_type, bytes) = assets::embedded(name).ok_or(Problem::NotFound)?;
        Ok(Self::new(content_type.to_owned(), bytes))
    }

    /// The answer for images that hardly ever change.
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
