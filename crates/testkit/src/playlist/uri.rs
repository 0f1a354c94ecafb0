//! Resolves references in a playlist against its address.

/// The absolute form of `reference` as written in the playlist at `base`. Equivalent spellings give the same
/// text; a base without a host works too, for tests that have none.
pub fn resolve(base: &str, reference: &str) -> String {
    if reference.contains("://") {
        return reference.to_owned();
    }
    let path_start = base.find("://").map_or(0, |at| {
        let host = at + "://".len();
        base[host..]
            .find('/')
            .map_or(base.len(), |slash| host + slash)
    });
    let (origin, base_path) = base.split_at(path_start);
    let base_path = base_path.split(['?', '#']).next().unwrap_or_default();
    let (path, query) = match reference.find('?') {
        Some(at) => reference.split_at(at),
        None => (reference, ""),
    };
    if path.starts_with('/') {
        return format!("{origin}{path}{query}");
    }
    let folder = base_path
        .rfind('/')
        .map_or("/", |slash| &base_path[..=slash]);
    let mut steps: Vec<&str> = Vec::new();
    for step in folder.split('/').chain(path.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    format!("{origin}/{}{query}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_what_playlists_write() {
        let base = "http://h:1/hls/0/stream.m3u8?_HLS_msn=4";
        for (reference, absolute) in [
            ("p.m4s", "http://h:1/hls/0/p.m4s"),
            ("../audio/stream.m3u8", "http://h:1/hls/audio/stream.m3u8"),
            ("./p.m4s?x=../1", "http://h:1/hls/0/p.m4s?x=../1"),
            ("/other/p.m4s", "http://h:1/other/p.m4s"),
            ("https://cdn/p.m4s", "https://cdn/p.m4s"),
        ] {
            assert_eq!(resolve(base, reference), absolute);
        }
        assert_eq!(resolve("http://h", "a"), "http://h/a");
        assert_eq!(resolve("0.m3u8", "audio.m3u8"), "/audio.m3u8");
        assert_eq!(resolve("", "x.m3u8"), "/x.m3u8");
    }
}
