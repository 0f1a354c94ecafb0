//! A viewer's pass: identifies who views the pages of one plugin.
//!
//! Plugin pages have an opaque origin, so their requests carry no cookies. The pass is part of the path,
//! `/plugins/<slug>/~<pass>/…`, where relative addresses inherit it. It is `b64url(payload) "."
//! b64url(HMAC-SHA256(payload))`, and the payload is `viewer|<slug>|<gate>|<expiry>|<token hash>`.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;

use super::SessionKey;

/// How long a pass is good. Pages renew it while they are open.
pub const PASS_TTL: Duration = Duration::from_secs(10 * 60);

/// What a segment of a path begins with that holds a pass. Alone it stands for a viewer nobody knows.
pub const PASS_SIGN: char = '~';

/// Bytes of a pass that is looked at. A longer segment is none of ours.
const MAX_PASS_BYTES: usize = 512;

/// Never the operator: whoever has a pass is a viewer.
const KIND: &str = "viewer";

/// Which viewer may see the pages of which plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    pub slug: String,
    /// The gate's plugin through which the viewer signed in; empty without a gate.
    pub gate: String,
    /// When it expires.
    pub expires: Timestamp,
    /// The hash of the viewer's chat token.
    pub viewer: [u8; 32],
}

impl Pass {
    /// The pass as it appears in a path, after the `~`.
    #[must_use]
    pub fn seal(&self, key: &SessionKey) -> String {
        key.sign(&format!(
            "{KIND}|{}|{}|{}|{}",
            self.slug,
            self.gate,
            self.expires.as_second(),
            BASE64_URL_SAFE_NO_PAD.encode(self.viewer)
        ))
    }

    /// Parses a pass that we signed, even an expired one.
    #[must_use]
    pub fn open(key: &SessionKey, text: &str) -> Option<Self> {
        let payload = key.verify(text, MAX_PASS_BYTES)?;
        let mut parts = payload.split('|');
        let mut next = || parts.next();
        let (KIND, slug, gate, expires, viewer) = (next()?, next()?, next()?, next()?, next()?)
        else {
            return None;
        };
        Some(Self {
            slug: slug.to_owned(),
            gate: gate.to_owned(),
            expires: Timestamp::from_second(expires.parse().ok()?).ok()?,
            viewer: BASE64_URL_SAFE_NO_PAD
                .decode(viewer)
                .ok()?
                .try_into()
                .ok()?,
        })
    }
}

/// Splits the pass from a path: the path without it, and the pass, which is empty for an unknown viewer. `None` if
/// there is none.
#[must_use]
pub fn take_pass(path: &str) -> Option<(String, &str)> {
    let below = path.strip_prefix("/plugins/")?;
    let (slug, rest) = below.split_once('/')?;
    let (segment, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let pass = segment.strip_prefix(PASS_SIGN)?;
    let letters = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
    // A plugin may use names with a `~` of its own; those have no dot where ours has one.
    let is_ours = pass.is_empty() || (pass.contains('.') && pass.bytes().all(letters));
    is_ours.then(|| (format!("/plugins/{slug}/{rest}"), pass))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate;
    use model::Secret;
    use proptest::prelude::*;

    fn key() -> SessionKey {
        SessionKey::new(&[7; 32])
    }

    fn pass() -> Pass {
        Pass {
            slug: "poll".into(),
            gate: "password-gate".into(),
            expires: Timestamp::from_second(1000).unwrap(),
            viewer: [3; 32],
        }
    }

    #[test]
    fn a_pass_says_who_sees_what() {
        let text = pass().seal(&key());
        assert_eq!(Pass::open(&key(), &text).unwrap(), pass());
        assert_eq!(Pass::open(&SessionKey::new(&[8; 32]), &text), None);
        assert!(text.len() < MAX_PASS_BYTES / 2, "{}", text.len());
    }

    #[test]
    fn what_was_signed_for_something_else_is_no_pass() {
        let session = gate::seal(&key(), &Secret::new("viewer|poll||9|x"), pass().expires);
        assert_eq!(Pass::open(&key(), &session), None);
    }

    #[test]
    fn the_pass_is_taken_out_of_the_path_and_nothing_else_is() {
        for (path, clean) in [
            ("/plugins/poll/~a.b/x", "/plugins/poll/x"),
            ("/plugins/poll/~a.b/", "/plugins/poll/"),
            ("/plugins/poll/~a.b", "/plugins/poll/"),
            ("/plugins/poll/~/x/~a.b/y", "/plugins/poll/x/~a.b/y"),
            (
                "/plugins/poll/~a.b/../../dice/x",
                "/plugins/poll/../../dice/x",
            ),
        ] {
            let (found, _) = take_pass(path).unwrap();
            assert_eq!(found, clean, "{path}");
        }
        for path in [
            "/plugins/poll/x/~a.b/y",
            "/plugins/poll/~anna/x",
            "/plugins/poll/~a.b%2f/x",
            "/plugins/~a.b/x",
            "/api/~a.b/x",
            "/plugins/poll",
        ] {
            assert_eq!(take_pass(path), None, "{path}");
        }
        assert_eq!(take_pass("/plugins/poll/~/x").unwrap().1, "");
    }

    proptest! {
        #[test]
        fn nobody_else_can_make_one(flip in 0usize..200, text in "[A-Za-z0-9_-]{0,80}\\.[A-Za-z0-9_-]{0,60}") {
            prop_assert!(Pass::open(&key(), &text).is_none());
            let mut bytes = pass().seal(&key()).into_bytes();
            let place = flip % bytes.len();
            bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
            prop_assert!(Pass::open(&key(), &String::from_utf8(bytes).unwrap()).is_none());
        }

        #[test]
        fn whatever_a_path_is_taking_a_pass_out_stays_below_the_plugin(path in "/plugins/[a-z/~.%]{0,40}") {
            if let Some((clean, _)) = take_pass(&path) {
                let slug = path["/plugins/".len()..].split('/').next().unwrap();
                let home = format!("/plugins/{slug}/");
                prop_assert!(clean.starts_with(&home));
            }
        }
    }
}
