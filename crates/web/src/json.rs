//! Parses JSON bodies the way existing clients write them.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::Problem;

/// The first JSON object of the body, whatever the content type says; unknown keys and trailing bytes are ignored.
///
/// A body that does not match is a 400 with the envelope, never axum's 415 or 422.
#[derive(Debug)]
pub(crate) struct ApiJson<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for ApiJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, app)
            .await
            .map_err(|rejection| unread(&rejection))?;
        read(&bytes).map(ApiJson)
    }
}

/// The same, for handlers with an optional body.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    parse(object(bytes)?)
}

/// Rejects a list, which serde would read as the fields of an object in order; nobody intends that.
fn object(bytes: &[u8]) -> Result<&[u8], Problem> {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => Err(Problem::BadRequest(
            "the body is not the JSON expected here: it is a list, and an object was expected"
                .into(),
        )),
        _ => Ok(bytes),
    }
}

/// The answer for a body that could not be read.
pub(crate) fn unread(rejection: &BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge,
        _ => Problem::BadRequest("the request body could not be read".into()),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(Problem::BadRequest(format!(
            "the body is not the JSON expected here: {error}"
        ))),
        None => Err(Problem::BadRequest(
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
