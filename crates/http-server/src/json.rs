//! Parses JSON bodies the way existing clients write them.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::envelope;

/// Why a body is not what a handler expects; the text is for its sender.
#[derive(Debug, Error)]
pub enum BodyError {
    /// More bytes than the route takes.
    #[error("the request is too large")]
    TooLarge,
    /// The text says what is wrong.
    #[error("{0}")]
    Malformed(String),
}

impl IntoResponse for BodyError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
        };
        envelope::failed(status, &self.to_string(), None, None)
    }
}

/// The first JSON object of the body, whatever the content type says; unknown keys and trailing bytes are ignored.
///
/// A body that does not match is a 400 with the envelope, never axum's 415 or 422.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for ApiJson<T> {
    type Rejection = BodyError;

    async fn from_request(request: Request, state: &S) -> Result<Self, BodyError> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| unread(&rejection))?;
        read(&bytes).map(ApiJson)
    }
}

/// The same, for handlers with an optional body.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BodyError> {
    parse(object(bytes)?)
}

/// Rejects a list, which serde would read as the fields of an object in order; nobody intends that.
fn object(bytes: &[u8]) -> Result<&[u8], BodyError> {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => Err(BodyError::Malformed(
            "the body is not the JSON expected here: it is a list, and an object was expected"
                .into(),
        )),
        _ => Ok(bytes),
    }
}

/// The answer for a body that could not be read.
pub fn unread(rejection: &BytesRejection) -> BodyError {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => BodyError::TooLarge,
        _ => BodyError::Malformed("the request body could not be read".into()),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BodyError> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(BodyError::Malformed(format!(
            "the body is not the JSON expected here: {error}"
        ))),
        None => Err(BodyError::Malformed(
            "the body is empty, JSON was expected".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_counts_and_the_rest_is_ignored() {
        assert_eq!(parse::<u8>(b" 7 {garbage").unwrap(), 7);
        assert!(parse::<u8>(b"").is_err());
        assert!(parse::<u8>(b"\"7\"").is_err());
        assert!(object(b" [null]").is_err());
        assert!(object(b" {}").is_ok());
        let deep = [b'['; 10_000];
        assert!(
            parse::<serde_json::Value>(&deep).is_err(),
            "nesting is bounded by the parser"
        );
    }
}
