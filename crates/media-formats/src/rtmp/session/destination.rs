//! Finds the stream key in a publisher's request.
//!
//! Encoders ask for "server" and "stream key" and join them in three ways: the key as the stream's name
//! (`rtmp://host/live` + `KEY`), the key at the end of the address with an empty name (`rtmp://host/live/KEY`), or the
//! key as the whole path (`rtmp://host/KEY`).

/// Splits a publisher's parameters into the application and the stream key.
pub(super) fn destination(app: &str, url: &str, name: &str) -> (String, String) {
    let key = tidy(name);
    let mut path = tidy(app);
    if path.is_empty() {
        path = tidy(path_of(url));
    }
    if !key.is_empty() {
        return (path.to_owned(), key.to_owned());
    }
    let (app, key) = path.rsplit_once('/').unwrap_or(("", path));
    (app.to_owned(), key.to_owned())
}

/// Removes the query, and blanks and slashes left over from copying and joining.
fn tidy(text: &str) -> &str {
    let before_query = text.split('?').next().unwrap_or_default();
    before_query.trim_matches(|c: char| c.is_whitespace() || c == '/')
}

/// The part of a URL after the host.
fn path_of(url: &str) -> &str {
    let behind_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    behind_scheme.split_once('/').map_or("", |(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn finds_the_key_wherever_encoders_put_it() {
        let cases = [
            // app, tcUrl, name -> app, key
            (("live", "rtmp://h/live", "KEY"), ("live", "KEY")),
            (("live/", "rtmp://h/live/", "KEY"), ("live", "KEY")),
            (("live/KEY", "rtmp://h/live/KEY", ""), ("live", "KEY")),
            (("live/KEY/", "rtmp://h/live/KEY/", ""), ("live", "KEY")),
            (("KEY", "rtmp://h/KEY", ""), ("", "KEY")),
            (("", "rtmp://h:1935/live/KEY", ""), ("live", "KEY")),
            (("", "rtmp://h:1935/KEY", ""), ("", "KEY")),
            (("", "rtmp://h:1935", "KEY"), ("", "KEY")),
            (("live", "", "KEY?token=1&a=/b"), ("live", "KEY")),
            (("live?token=1", "", "KEY"), ("live", "KEY")),
            (("live", "", "/KEY\n"), ("live", "KEY")),
            (("a/b", "", "KEY"), ("a/b", "KEY")),
            (("", "", ""), ("", "")),
            (("", "nonsense", "?"), ("", "")),
        ];
        for ((app, url, name), (expected_app, expected_key)) in cases {
            let found = destination(app, url, name);
            let expected = (expected_app.to_owned(), expected_key.to_owned());
            assert_eq!(found, expected, "{app:?} {url:?} {name:?}");
        }
    }
}
