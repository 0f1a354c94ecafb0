//! Who answers a request to a plugin. The order is a promise: event streams, whether the plugin may serve at all, its
//! files, and its code last. Whether the path is for the operator only is checked before all of this.

use super::RequestPath;

/// What is sent for a folder.
const INDEX: &str = "index.html";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// The event stream of this channel.
    Events(&'a str),
    /// Nobody.
    Nobody,
    /// The file with this name below `public/`.
    File(String),
    /// A folder: redirect to the address with a slash, so that relative links resolve inside it.
    Folder,
    Code,
}

/// Decides about a path. `only_reads` says whether files answer this method, `has_public` whether such a file exists.
pub fn route<'a>(
    path: &'a RequestPath,
    only_reads: bool,
    may_serve: bool,
    has_public: impl Fn(&str) -> bool,
) -> Route<'a> {
    if let Some(channel) = path.channel() {
        return Route::Events(channel);
    }
    if !may_serve {
        return Route::Nobody;
    }
    if !only_reads {
        return Route::Code;
    }
    let name = path.relative();
    let index = match name {
        "" => INDEX.to_owned(),
        name => format!("{name}/{INDEX}"),
    };
    if !path.has_slash && has_public(name) {
        Route::File(name.to_owned())
    } else if !has_public(&index) {
        Route::Code
    } else if path.has_slash {
        Route::File(index)
    } else {
        Route::Folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(raw: &str, only_reads: bool, may_serve: bool) -> String {
        let path = RequestPath::read(raw).unwrap();
        let files = ["index.html", "a.txt", "sub/index.html"];
        let has = |name: &str| files.contains(&name);
        format!("{:?}", route(&path, only_reads, may_serve, has))
    }

    #[test]
    fn streams_come_before_files_and_files_before_code() {
        for (path, who) in [
            ("/_sse/news", r#"Events("news")"#),
            ("/", r#"File("index.html")"#),
            ("", "Folder"),
            ("/a.txt", r#"File("a.txt")"#),
            ("/a.txt/", "Code"),
            ("/sub/", r#"File("sub/index.html")"#),
            ("/sub", "Folder"),
            ("/api", "Code"),
        ] {
            assert_eq!(decided(path, true, true), who, "{path}");
        }
        assert_eq!(decided("/a.txt", false, true), "Code");
        assert_eq!(decided("/a.txt", true, false), "Nobody");
        assert_eq!(decided("/_sse/x", true, false), r#"Events("x")"#);
    }
}
