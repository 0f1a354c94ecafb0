//! The request passed to a plugin.

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use url::form_urlencoded;

use crate::host::wire::User;

/// Limit (plugins): body of a request to a plugin; a larger one gets 413, and the plugin does not see it.
pub const MAX_REQUEST_BODY_BYTES: usize = 1024 * 1024;

/// The parameter with a viewer's chat token, which is nothing for plugins.
pub const ACCESS_TOKEN: &str = "accessToken";

/// Headers that hold somebody's secrets.
const SECRET_HEADERS: [&str; 3] = ["cookie", "authorization", "proxy-authorization"];

/// The field order is the wire order.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginRequest<'a> {
    pub method: &'a str,
    /// Below `/plugins/<slug>`, with a leading slash and no trailing one.
    pub path: &'a str,
    /// See [`query`].
    pub query: BTreeMap<String, String>,
    /// See [`headers`].
    pub headers: BTreeMap<String, String>,
    /// The body as text; empty if it is not text.
    pub body: &'a str,
    /// The client's address.
    pub remote_addr: String,
    pub authenticated: bool,
    /// The requesting chat user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The body if it is not text.
    pub body_base64: Option<String>,
}

impl<'a> PluginRequest<'a> {
    /// An anonymous request without parameters and headers.
    pub fn new(method: &'a str, path: &'a str, body: &'a [u8]) -> Self {
        let text = std::str::from_utf8(body);
        Self {
            method,
            path,
            query: BTreeMap::new(),
            headers: BTreeMap::new(),
            body: text.unwrap_or_default(),
            remote_addr: String::new(),
            authenticated: false,
            user: None,
            body_base64: text.is_err().then(|| BASE64_STANDARD.encode(body)),
        }
    }

    /// The JSON text for the plugin.
    pub fn to_json(&self) -> String {
        // Maps with text keys and plain values: serialization cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The parameters, without secrets; of several with one name, the first counts.
pub fn query(text: &str, secrets: &[&str]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        if !secrets.contains(&&*name) {
            all.entry(name.into_owned())
                .or_insert_with(|| value.into_owned());
        }
    }
    all
}

/// The headers, without secrets; of several with one name, the first counts.
pub fn headers<'a>(all: impl Iterator<Item = (&'a str, &'a [u8])>) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    for (name, value) in all.filter(|(name, _)| !SECRET_HEADERS.contains(name)) {
        kept.entry(canonical(name))
            .or_insert_with(|| String::from_utf8_lossy(value).into_owned());
    }
    kept
}

/// `content-type` as `Content-Type`.
fn canonical(name: &str) -> String {
    let mut word = String::with_capacity(name.len());
    let mut is_first = true;
    for letter in name.chars() {
        let letter = match is_first {
            true => letter.to_ascii_uppercase(),
            false => letter.to_ascii_lowercase(),
        };
        is_first = letter == '-';
        // Writing to a string does not fail.
        word.write_char(letter).ok();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_its_members_in_the_promised_order() {
        let request = PluginRequest {
            query: query("full=1", &[ACCESS_TOKEN]),
            headers: headers([("accept", b"application/json".as_slice())].into_iter()),
            remote_addr: "198.51.100.7:50122".into(),
            user: Some(User {
                id: "u-7".into(),
                display_name: "mira".into(),
                display_color: 42,
                scopes: vec!["MODERATOR".into()],
                ..User::default()
            }),
            ..PluginRequest::new("GET", "/api/state", b"")
        };
        assert_eq!(
            request.to_json(),
            r#"{"method":"GET","path":"/api/state","query":{"full":"1"},"headers":{"Accept":"application/json"},"body":"","remoteAddr":"198.51.100.7:50122","authenticated":false,"user":{"id":"u-7","displayName":"mira","displayColor":42,"scopes":["MODERATOR"]}}"#
        );
    }

    #[test]
    fn the_first_value_counts_and_secrets_stay_outside() {
        let read = query("a=1&accessToken=secret&a=2&b=%C3%BC+x&c", &[ACCESS_TOKEN]);
        let expected = [("a", "1"), ("b", "ü x"), ("c", "")];
        assert_eq!(
            read,
            expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
        );
        let sent = [
            ("x-forwarded-for", b"1.2.3.4".as_slice()),
            ("cookie", b"service_session=x"),
            ("authorization", b"Basic eA=="),
            ("accept", b"a"),
            ("accept", b"b"),
            ("x-odd", b"\xff"),
        ];
        let read = headers(sent.into_iter());
        let expected = [
            ("Accept", "a"),
            ("X-Forwarded-For", "1.2.3.4"),
            ("X-Odd", "\u{fffd}"),
        ];
        assert_eq!(
            read,
            expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
        );
    }

    #[test]
    fn bytes_that_are_no_text_travel_beside_the_text() {
        let json = PluginRequest::new("POST", "/", b"\xff\0").to_json();
        assert!(json.contains(r#""body":"""#) && json.contains(r#""bodyBase64":"/wA=""#));
        let json = PluginRequest::new("POST", "/", "ü".as_bytes()).to_json();
        assert!(json.contains(r#""body":"ü""#) && !json.contains("bodyBase64"));
    }
}
