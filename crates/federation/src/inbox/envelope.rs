//! Request headers as they wait in the queue.

use outbound::http::{HeaderMap, HeaderName, HeaderValue};

/// Bytes of names and values that are kept; a request with more is refused.
pub(super) const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Headers as text, byte for byte; `None` if there are too many.
pub(super) fn seal(headers: &HeaderMap) -> Option<String> {
    let mut total = 0;
    let mut lines: Vec<(&str, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        // Useless for a signature, and somebody's secret.
        if name == "cookie" {
            continue;
        }
        total += name.as_str().len() + value.len();
        if total > MAX_HEADER_BYTES {
            return None;
        }
        // One character per byte, so that bytes that are not text survive the round trip.
        let value = value.as_bytes().iter().map(|byte| char::from(*byte));
        lines.push((name.as_str(), value.collect()));
    }
    serde_json::to_string(&lines).ok()
}

/// Reads what [`seal`] wrote; headers that cannot be read are left out, and the signature will not match.
pub(super) fn open(text: &str) -> HeaderMap {
    let lines: Vec<(String, String)> = serde_json::from_str(text).unwrap_or_default();
    let mut headers = HeaderMap::with_capacity(lines.len());
    for (name, value) in lines {
        let bytes: Option<Vec<u8>> = value.chars().map(|sign| u8::try_from(sign).ok()).collect();
        let value = bytes.and_then(|bytes| HeaderValue::from_bytes(&bytes).ok());
        if let (Ok(name), Some(value)) = (HeaderName::try_from(name), value) {
            headers.append(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_as_they_were() {
        let mut headers = HeaderMap::new();
        headers.append(
            "date",
            HeaderValue::from_static("Tue, 18 Aug 2026 12:00:00 GMT"),
        );
        headers.append("x-two", HeaderValue::from_static("one"));
        headers.append(
            "x-two",
            HeaderValue::from_bytes(b"tw\xf6 \"quoted\"").unwrap(),
        );
        headers.append("cookie", HeaderValue::from_static("secret"));
        let opened = open(&seal(&headers).unwrap());
        headers.remove("cookie");
        assert_eq!(opened, headers);
    }

    #[test]
    fn too_many_headers_are_refused() {
        let mut headers = HeaderMap::new();
        headers.append(
            "x-long",
            HeaderValue::from_str(&"x".repeat(MAX_HEADER_BYTES)).unwrap(),
        );
        assert_eq!(seal(&headers), None);
    }
}
