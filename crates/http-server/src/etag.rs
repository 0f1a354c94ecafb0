//! Entity tags: derived from a hash, compared as RFC 9110 §13.1.2 requires.

use http::{HeaderMap, header};

use crate::client::text;

/// A tag for content with this hash; `variant` tells encodings of one file apart.
pub fn make(hash: &[u8], variant: &str) -> String {
    let hex: String = hash
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("\"{hex}{variant}\"")
}

/// Does the client have this content? Compares weakly, because proxies that compress mark our tags as weak.
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let known = text(headers, header::IF_NONE_MATCH);
    let mut entries = known
        .split(',')
        .map(|entry| entry.trim().trim_start_matches("W/"));
    entries.any(|entry| entry == etag || entry == "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_weakly_and_in_lists() {
        let known = |value: &'static str| {
            let headers = HeaderMap::from_iter([(
                header::IF_NONE_MATCH,
                header::HeaderValue::from_static(value),
            )]);
            is_known(&headers, "\"a1\"")
        };
        for yes in [
            "\"a1\"",
            "W/\"a1\"",
            "\"x\",\"a1\"",
            "\"x\" , W/\"a1\"",
            "*",
        ] {
            assert!(known(yes), "{yes}");
        }
        for no in ["", "\"a\"", "a1", "\"a1\"x"] {
            assert!(!known(no), "{no}");
        }
    }
}
