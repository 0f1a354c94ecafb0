//! The cookie: `b64url(payload) "." b64url(HMAC-SHA256(payload))`, where the payload is `<token>|<expiry>`.

use std::fmt;
use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use model::Secret;

/// The cookie's name. A plugin cannot set a cookie of this name.
pub const COOKIE: &str = "service_session";

/// How long a session lasts when the plugin does not say.
const USUAL_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a session lasts at most; a longer one becomes this.
const MAX_TTL: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Bytes of a cookie that is looked at. A longer one is not ours.
const MAX_COOKIE_BYTES: usize = 1024;

/// The key that signs sessions: 32 secret bytes, created once and stored.
#[derive(Clone)]
pub struct SessionKey(hmac::Key);

impl SessionKey {
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The payload and its HMAC as one text: `b64url(payload) "." b64url(HMAC-SHA256(payload))`.
    pub(super) fn sign(&self, payload: &str) -> String {
        let tag = hmac::sign(&self.0, payload.as_bytes());
        format!(
            "{}.{}",
            BASE64_URL_SAFE_NO_PAD.encode(payload),
            BASE64_URL_SAFE_NO_PAD.encode(tag)
        )
    }

    /// The payload of a text signed with this key; longer texts are not parsed.
    pub(super) fn verify(&self, text: &str, max_bytes: usize) -> Option<String> {
        if text.len() > max_bytes {
            return None;
        }
        let (payload, tag) = text.split_once('.')?;
        let payload = BASE64_URL_SAFE_NO_PAD.decode(payload).ok()?;
        let tag = BASE64_URL_SAFE_NO_PAD.decode(tag).ok()?;
        // In constant time, and before parsing anything.
        hmac::verify(&self.0, &payload, &tag).ok()?;
        String::from_utf8(payload).ok()
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(…)")
    }
}

/// The lifetime of a session when a plugin asks for this many seconds.
#[must_use]
pub fn ttl(seconds: i64) -> Duration {
    match u64::try_from(seconds) {
        Err(_) | Ok(0) => USUAL_TTL,
        Ok(seconds) => Duration::from_secs(seconds).min(MAX_TTL),
    }
}

/// The cookie value of a session.
#[must_use]
pub fn seal(key: &SessionKey, token: &Secret, expires: Timestamp) -> String {
    key.sign(&format!("{}|{}", token.expose(), expires.as_second()))
}

/// The chat token from a cookie that we signed and that has not expired.
#[must_use]
pub fn open(key: &SessionKey, value: &str, now: Timestamp) -> Option<Secret> {
    let payload = key.verify(value, MAX_COOKIE_BYTES)?;
    let (token, expires) = payload.rsplit_once('|')?;
    let is_alive = now.as_second() <= expires.parse().ok()?;
    is_alive.then(|| Secret::new(token))
}

/// The header that gives a session to a browser.
#[must_use]
pub fn set_cookie(value: &str, ttl: Duration, is_https: bool) -> String {
    header(value, ttl.as_secs(), is_https)
}

/// The header that removes it.
#[must_use]
pub fn clear_cookie(is_https: bool) -> String {
    header("", 0, is_https)
}

fn header(value: &str, max_age: u64, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> SessionKey {
        SessionKey::new(&[7; 32])
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_session_is_good_until_it_expires() {
        let value = seal(&key(), &Secret::new("tok|en"), at(1000));
        let token = |now| open(&key(), &value, at(now)).map(|token| token.expose().to_owned());
        assert_eq!(token(999).as_deref(), Some("tok|en"));
        assert_eq!(token(1000).as_deref(), Some("tok|en"));
        assert_eq!(token(1001), None);
    }

    #[test]
    fn the_value_is_what_other_programs_compute() {
        // printf 'abc|1700000000' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf '07%.0s' {1..32}) -binary | basenc --base64url
        assert_eq!(
            seal(&key(), &Secret::new("abc"), at(1_700_000_000)),
            "YWJjfDE3MDAwMDAwMDA.W61q9SZW5p3b2rGD9pLvWQPEnZEN3vTDYRwVL7ND5WA"
        );
    }

    #[test]
    fn a_wish_for_a_lifetime_is_bounded() {
        for (asked, seconds) in [
            (-1, 86_400),
            (0, 86_400),
            (1, 1),
            (86_401, 86_401),
            (2_592_000, 2_592_000),
            (2_592_001, 2_592_000),
            (i64::MAX, 2_592_000),
        ] {
            assert_eq!(ttl(asked).as_secs(), seconds, "{asked}");
        }
    }

    #[test]
    fn the_cookie_is_for_the_server_alone() {
        assert_eq!(
            set_cookie("v", Duration::from_secs(60), true),
            "service_session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure"
        );
        assert_eq!(
            clear_cookie(false),
            "service_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
        );
    }

    proptest! {
        #[test]
        fn nobody_else_can_make_one(
            text in "[A-Za-z0-9_-]{0,60}\\.?[A-Za-z0-9_-]{0,60}",
            flip in 0usize..60,
        ) {
            prop_assert!(open(&key(), &text, at(0)).is_none());
            let good = seal(&key(), &Secret::new("abc"), at(1000));
            let mut bytes = good.clone().into_bytes();
            let place = flip % bytes.len();
            bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            prop_assert!(open(&key(), &changed, at(0)).is_none());
            let other = SessionKey::new(&[8; 32]);
            prop_assert!(open(&other, &good, at(0)).is_none());
        }
    }
}
