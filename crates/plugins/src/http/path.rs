//! The path of a request to a plugin.

use crate::manifest::Manifest;

/// The plugin's part of a path, decoded once and normalized: what is checked is what is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPath {
    clean: String,
    /// The path ended with a slash.
    pub has_slash: bool,
}

impl RequestPath {
    /// Parses what follows `/plugins/<slug>`; `None` if it is not text.
    pub fn read(raw: &str) -> Option<Self> {
        let decoded = percent_decoded(raw)?;
        let mut parts: Vec<&str> = Vec::new();
        for part in decoded.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                other => parts.push(other),
            }
        }
        let last = decoded.rsplit('/').next().unwrap_or_default();
        Some(Self {
            clean: format!("/{}", parts.join("/")),
            has_slash: !decoded.is_empty() && matches!(last, "" | "." | ".."),
        })
    }

    /// With a leading slash and no trailing one.
    pub fn as_str(&self) -> &str {
        &self.clean
    }

    /// Without the leading slash.
    pub fn relative(&self) -> &str {
        &self.clean[1..]
    }

    /// The channel, if this is the address of an event stream.
    pub fn channel(&self) -> Option<&str> {
        let rest = self.clean.strip_prefix("/_sse")?;
        match rest.strip_prefix('/') {
            Some(channel) => Some(channel),
            None => rest.is_empty().then_some(""),
        }
    }
}

/// Whether only the operator may ask for this path.
pub fn is_for_operator(manifest: &Manifest, path: &RequestPath) -> bool {
    let with_slash = format!("{}/", path.clean);
    let channel = path.channel().map(|channel| format!("/{channel}"));
    manifest.admin_pages.iter().any(|page| {
        let key = page.paths.as_str().trim_end_matches('/');
        page.paths.covers(&path.clean)
            || (path.has_slash && page.paths.covers(&with_slash))
            // A page with a trailing slash is the same page: the code gets requests without it.
            || key == path.clean
            || channel.as_ref().is_some_and(|channel| page.paths.covers(channel))
    })
}

fn percent_decoded(raw: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        // `from_str_radix` would accept a sign.
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> (String, bool) {
        let path = RequestPath::read(raw).unwrap();
        (path.clean, path.has_slash)
    }

    fn is_kept(keys: &str, raw: &str) -> bool {
        let text =
            format!(r#"{{"api":"1","name":"X","version":"1","admin":{{"pages":{{{keys}}}}}}}"#);
        let manifest = Manifest::parse(&text).unwrap();
        is_for_operator(&manifest, &RequestPath::read(raw).unwrap())
    }

    #[test]
    fn a_path_is_decoded_once_and_cleaned() {
        for (raw, clean, has_slash) in [
            ("", "/", false),
            ("/", "/", true),
            ("/a", "/a", false),
            ("/a/", "/a", true),
            ("//a//b", "/a/b", false),
            ("/a/../b", "/b", false),
            ("/a/..", "/", true),
            ("/../../x", "/x", false),
            ("/%2e%2e/x", "/x", false),
            ("/a%2Fb", "/a/b", false),
            ("/a%252fb", "/a%2fb", false),
            ("/%zz%4", "/%zz%4", false),
            ("/%C3%BC", "/ü", false),
        ] {
            assert_eq!(read(raw), (clean.to_owned(), has_slash), "{raw}");
        }
        assert_eq!(RequestPath::read("/%ff"), None);
    }

    #[test]
    fn the_operators_pages_are_kept_however_their_path_is_written() {
        let page = r#""/admin": {"title": "A"}"#;
        for raw in [
            "/admin",
            "/admin/",
            "/admin/api/x",
            "//admin",
            "/x/../admin",
            "/%61dmin",
            "/admin%2Fx",
            "/./admin",
            "/_sse/admin",
            "/_sse/admin/log",
        ] {
            assert!(is_kept(page, raw), "{raw}");
        }
        for raw in ["/", "/administration", "/x/admin", "/_sse/other"] {
            assert!(!is_kept(page, raw), "{raw}");
        }
        let below = r#""/admin/*": {"title": "A"}"#;
        assert!(is_kept(below, "/admin/") && is_kept(below, "/admin/x/y"));
        assert!(!is_kept(below, "/admin"));
        let written = r#""/settings/": {"title": "A"}"#;
        assert!(is_kept(written, "/settings") && is_kept(written, "/settings/x"));
    }

    #[test]
    fn streams_of_events_have_addresses_of_their_own() {
        let channel = |raw| {
            let path = RequestPath::read(raw).unwrap();
            path.channel().map(str::to_owned)
        };
        assert_eq!(channel("/_sse"), Some(String::new()));
        assert_eq!(channel("/_sse/"), Some(String::new()));
        assert_eq!(channel("/_sse/a/b"), Some("a/b".into()));
        assert_eq!(channel("/_ssex"), None);
        assert_eq!(channel("/x/_sse"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_path_climbs(raw in "[a./%2eF\\PC]{0,40}") {
            if let Some(path) = RequestPath::read(&raw) {
                proptest::prop_assert!(path.as_str().starts_with('/'));
                proptest::prop_assert!(path.relative().split('/').all(|part| part != ".." && part != "."));
            }
        }
    }
}
