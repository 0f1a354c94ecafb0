//! What can go wrong, named after what the caller can do about it.

use std::error::Error;

use outbound::FetchError;
use outbound::http::StatusCode;

use crate::connector::RefusedAnswer;

/// Characters that are shown of what a bucket says.
const MAX_SAID_CHARS: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The options cannot be used; trying again is of no use.
    #[error("{0}")]
    Options(String),
    /// No file can have this name.
    #[error("{0:?} cannot be the name of a file in a bucket")]
    Key(String),
    /// There is no such file.
    #[error("there is no {0}")]
    Missing(String),
    /// The file is larger than what is taken.
    #[error("{key} has {bytes} bytes, which is more than the {most} that are taken")]
    TooLarge { key: String, bytes: u64, most: u64 },
    /// There are more files than the caller wants to know of.
    #[error("there are more than {0} files")]
    TooMany(usize),
    /// The key is wrong or may not do this, or there is no such bucket.
    #[error("the bucket refuses this server: {0}")]
    Refused(String),
    /// It does not answer, or not as it should. It may later.
    #[error("the bucket does not answer as it should: {0}")]
    Away(String),
}

impl BlobError {
    /// What went wrong with one file, or with all of them if `key` is empty.
    pub(crate) fn of(error: &object_store::Error, key: &str) -> Self {
        if let Some(answered) = in_chain::<RefusedAnswer>(error) {
            return Self::answered(answered, key);
        }
        if let Some(fault) = in_chain::<FetchError>(error) {
            return Self::Away(said(&fault.to_string()));
        }
        match error {
            object_store::Error::NotFound { .. } if !key.is_empty() => {
                Self::Missing(key.to_owned())
            }
            _ => Self::Away(said(&innermost(error).to_string())),
        }
    }

    fn answered(answered: &RefusedAnswer, key: &str) -> Self {
        match answered.status {
            StatusCode::NOT_FOUND if key.is_empty() || answered.code == "NoSuchBucket" => {
                Self::Refused("there is no such bucket".into())
            }
            StatusCode::NOT_FOUND => Self::Missing(key.to_owned()),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Self::Refused(said(&answered.to_string()))
            }
            _ => Self::Away(said(&answered.to_string())),
        }
    }
}

/// The error of this kind that caused another one.
fn in_chain<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    std::iter::successors(Some(error), |error| (*error).source())
        .find_map(|error| error.downcast_ref::<E>())
}

fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    std::iter::successors(Some(error), |error| (*error).source())
        .last()
        .unwrap_or(error)
}

/// As much as belongs into one line.
fn said(text: &str) -> String {
    let mut line: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_SAID_CHARS)
        .collect();
    if text.trim().chars().nth(MAX_SAID_CHARS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bucket_says_is_one_short_line() {
        assert_eq!(said("a\r\nb\u{1b}[1m "), "a  b [1m");
        let long = said(&"x".repeat(100_000));
        assert_eq!(long.chars().count(), MAX_SAID_CHARS + 1);
    }
}
