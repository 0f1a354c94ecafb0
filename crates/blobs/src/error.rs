//! What can go wrong, named after what the caller can do about it.

use std::error::Error;

use outbound::FetchError;

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
        use object_store::Error as E;
        let text = cause(error);
        match error {
            E::NotFound { .. } if key.is_empty() || text.contains("NoSuchBucket") => {
                Self::Refused("there is no such bucket".into())
            }
            E::NotFound { .. } => Self::Missing(key.to_owned()),
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => Self::Refused(said(&text)),
            _ => Self::Away(said(&text)),
        }
    }
}

/// The innermost reason, except that our client's is clearer than what it was made from.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(inner) = next {
        text = inner.to_string();
        if inner.is::<FetchError>() {
            break;
        }
        next = inner.source();
    }
    text
}

/// As much as belongs into one line: the code of an answer that has one, or the beginning.
fn said(text: &str) -> String {
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"))
        .map(|(code, _)| code);
    let shown = code.unwrap_or(text);
    let mut line: String = shown
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_SAID_CHARS)
        .collect();
    if shown.chars().nth(MAX_SAID_CHARS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bucket_says_is_one_short_line() {
        let answer = "Server returned non-2xx status code: 403 Forbidden: \
                      <Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>";
        assert_eq!(said(answer), "SignatureDoesNotMatch");
        assert_eq!(said("a\r\nb\u{1b}[1m"), "a  b [1m");
        let long = said(&"x".repeat(100_000));
        assert_eq!(long.chars().count(), MAX_SAID_CHARS + 1);
        assert_eq!(said("<Code>"), "<Code>");
    }
}
