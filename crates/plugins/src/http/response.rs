//! A plugin's answer.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// Bytes the text of an answer may have. A larger one becomes 500.
pub const MAX_ANSWER_BYTES: usize = 12 * 1024 * 1024;

/// Limit (plugins): body of a response from a plugin; a larger one becomes 500.
pub const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// Headers a plugin may set, besides those that begin with [`CORS`]. All others are dropped.
const ALLOWED: [&str; 10] = [
    "content-type",
    "content-encoding",
    "content-language",
    "cache-control",
    "last-modified",
    "etag",
    "location",
    "vary",
    "link",
    SET_COOKIE,
];
const CORS: &str = "access-control-";
const SET_COOKIE: &str = "set-cookie";
const CONTENT_TYPE: &str = "content-type";
const PLAIN: &str = "text/plain; charset=utf-8";

/// The response sent on behalf of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginResponse {
    /// 200 to 599.
    pub status: u16,
    /// Lower-case names; only `set-cookie` may occur more than once.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why an answer cannot be sent.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum InvalidResponse {
    /// Too many bytes.
    #[error("response too large")]
    TooLarge,
    /// It does not have the form of an answer.
    #[error("invalid response")]
    Invalid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawResponse {
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    headers: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    body_base64: Option<String>,
}

impl PluginResponse {
    /// Parses a plugin's answer.
    pub fn read(text: &str) -> Result<Self, InvalidResponse> {
        if text.len() > MAX_ANSWER_BYTES {
            return Err(InvalidResponse::TooLarge);
        }
        // serde would read a list as the members of an object in order.
        if !text.trim_start().starts_with('{') {
            return Err(InvalidResponse::Invalid);
        }
        let raw: RawResponse = serde_json::from_str(text).map_err(|_| InvalidResponse::Invalid)?;
        let status = raw.status.unwrap_or(200);
        if !(200..600).contains(&status) {
            return Err(InvalidResponse::Invalid);
        }
        let body = match (raw.body_base64, raw.body) {
            (Some(coded), _) => BASE64_STANDARD
                .decode(coded)
                .map_err(|_| InvalidResponse::Invalid)?,
            (None, body) => body.unwrap_or_default().into_bytes(),
        };
        if body.len() > MAX_BODY_BYTES {
            return Err(InvalidResponse::TooLarge);
        }
        let mut headers = Vec::new();
        for (name, value) in raw.headers.unwrap_or_default() {
            keep(&mut headers, &name.to_ascii_lowercase(), value);
        }
        let has_type = headers.iter().any(|(name, _)| name == CONTENT_TYPE);
        if !has_type && !matches!(status, 204 | 304) {
            headers.push((CONTENT_TYPE.to_owned(), PLAIN.to_owned()));
        }
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Restricts all cookies to the plugin's own addresses.
    pub fn confine_cookies(&mut self, slug: &str) {
        let cookies = self.headers.iter_mut();
        for (_, cookie) in cookies.filter(|(name, _)| name == SET_COOKIE) {
            *cookie = confined(cookie, slug);
        }
    }

    /// Drops cookies with these names, and those that could be mistaken for them: browsers send a cookie without a name
    /// as its bare value.
    pub fn drop_cookies(&mut self, reserved: &[&str]) {
        self.headers.retain(|(header, cookie)| {
            let name = cookie.split(['=', ';']).next().unwrap_or_default().trim();
            let is_ours = reserved.iter().any(|ours| ours.eq_ignore_ascii_case(name));
            header != SET_COOKIE || !(name.is_empty() || is_ours || !cookie.contains('='))
        });
    }
}

/// A cookie that is sent to this plugin only: its own `Path` and `Domain` are dropped.
fn confined(cookie: &str, slug: &str) -> String {
    let is_wide = |attribute: &&str| {
        let name = attribute.split('=').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("path") || name.eq_ignore_ascii_case("domain")
    };
    let mut parts = cookie.split(';');
    let pair = parts.next().unwrap_or_default();
    let mut confined = pair.trim_end().to_owned();
    for attribute in parts.filter(|part| !is_wide(part)) {
        confined.push(';');
        confined.push_str(attribute.trim_end());
    }
    format!("{confined}; Path=/plugins/{slug}/")
}

/// Keeps a header that may be set and can be sent.
fn keep(headers: &mut Vec<(String, String)>, name: &str, value: Value) {
    let is_allowed = ALLOWED.contains(&name) || name.starts_with(CORS);
    let is_taken = headers.iter().any(|(known, _)| known == name);
    if !is_allowed || (is_taken && name != SET_COOKIE) {
        return;
    }
    let values = match value {
        Value::Array(values) => values,
        one => vec![one],
    };
    let most = if name == SET_COOKIE { usize::MAX } else { 1 };
    for value in values.into_iter().take(most) {
        let text = match value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        // A line break would start another header.
        if !text.chars().any(|letter| letter.is_control()) {
            headers.push((name.to_owned(), text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PluginResponse {
        PluginResponse::read(text).unwrap()
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let answer = read("{}");
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b""[..]));
        assert_eq!(answer.header("content-type"), Some(PLAIN));
        assert_eq!(read(r#"{"status":204}"#).headers, vec![]);
    }

    #[test]
    fn only_harmless_headers_pass_and_each_once() {
        let answer = read(
            r#"{"headers":{"Content-Type":"text/html","X-Frame-Options":"DENY","content-type":"text/plain",
                "Access-Control-Max-Age":60,"Location":["/a","/b"],"ETag":"a\r\nset-cookie: x=1",
                "Set-Cookie":["a=1; Path=/","b=2"],"Content-Security-Policy":"x","Transfer-Encoding":"chunked",
                "Content-Length":"7","Vary":null}}"#,
        );
        let expected = [
            ("access-control-max-age", "60"),
            ("content-type", "text/html"),
            ("location", "/a"),
            ("set-cookie", "a=1; Path=/"),
            ("set-cookie", "b=2"),
        ];
        let mut headers = answer.headers;
        headers.sort();
        assert_eq!(headers, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn cookies_of_the_server_cannot_be_set_in_any_spelling() {
        let mut answer = read(
            r#"{"headers":{"Set-Cookie":["service_session=x","SERVICE_SESSION = x"," service_session=x; Path=/",
                "=service_session=x","service_session","mine=1; Path=/"]}}"#,
        );
        answer.drop_cookies(&["service_session"]);
        let cookies = answer.headers.iter().filter(|(name, _)| name == SET_COOKIE);
        let cookies: Vec<&str> = cookies.map(|(_, value)| value.as_str()).collect();
        assert_eq!(cookies, ["mine=1; Path=/"]);
    }

    #[test]
    fn cookies_stay_below_the_plugins_own_addresses() {
        for (cookie, sent) in [
            ("a=1", "a=1; Path=/plugins/bell/"),
            ("a=1; Path=/", "a=1; Path=/plugins/bell/"),
            (
                "a=1; PATH=/; Max-Age=60; domain = example.org ;HttpOnly; path",
                "a=1; Max-Age=60;HttpOnly; Path=/plugins/bell/",
            ),
            ("path=/; Secure", "path=/; Secure; Path=/plugins/bell/"),
            ("a=1;", "a=1;; Path=/plugins/bell/"),
        ] {
            let text = serde_json::json!({"headers": {"Set-Cookie": cookie, "ETag": "x; Path=/"}});
            let mut answer = read(&text.to_string());
            answer.confine_cookies("bell");
            assert_eq!(answer.header(SET_COOKIE), Some(sent), "{cookie}");
            assert_eq!(answer.header("etag"), Some("x; Path=/"));
        }
    }

    #[test]
    fn bytes_come_as_base64() {
        assert_eq!(read(r#"{"bodyBase64":"/wA="}"#).body, b"\xff\0");
        assert_eq!(read(r#"{"body":"ü"}"#).body, "ü".as_bytes());
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for bad in [
            "",
            "null",
            "[]",
            "7",
            r#"{"body":7}"#,
            r#"{"body":{"a":1}}"#,
            r#"{"bodyBase64":"!"}"#,
            r#"{"status":"ok"}"#,
            r#"{"status":101}"#,
            r#"{"status":600}"#,
            r#"{"status":70000}"#,
            r#"{"headers":[]}"#,
        ] {
            assert_eq!(
                PluginResponse::read(bad),
                Err(InvalidResponse::Invalid),
                "{bad}"
            );
        }
        let body = "x".repeat(MAX_BODY_BYTES + 1);
        let large = serde_json::json!({ "body": body }).to_string();
        assert_eq!(PluginResponse::read(&large), Err(InvalidResponse::TooLarge));
        let larger = " ".repeat(MAX_ANSWER_BYTES + 1);
        assert_eq!(
            PluginResponse::read(&larger),
            Err(InvalidResponse::TooLarge)
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_told_no_header_holds_a_line_break(name in "\\PC{0,20}", value in "[\\r\\n\\PC]{0,40}") {
            let text = serde_json::json!({ "headers": { name: value, "location": value } }).to_string();
            for (name, value) in PluginResponse::read(&text).unwrap().headers {
                proptest::prop_assert!(!value.contains(['\r', '\n']) && !name.contains(['\r', '\n']));
            }
        }
    }
}
