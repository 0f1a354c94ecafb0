//! What a viewer reads in a media playlist: which parts there are.

/// The position of a part: media sequence number of its segment, index in it.
pub type PartPosition = (u64, u32);

/// A part that is listed, with the path to fetch it from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub position: PartPosition,
    pub path: String,
}

/// The listed parts in their order, and what to ask for next.
#[derive(Debug, PartialEq, Eq)]
pub struct Playlist {
    pub parts: Vec<Part>,
    pub next: PartPosition,
    pub has_ended: bool,
}

/// Reads a playlist that was fetched from `base`.
pub fn parse(text: &str, base: &str) -> Result<Playlist, String> {
    if !text.starts_with("#EXTM3U") {
        return Err("no playlist".into());
    }
    let mut parts = Vec::new();
    let mut next: PartPosition = (0, 0);
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("#EXT-X-MEDIA-SEQUENCE:") {
            next.0 = number.trim().parse().map_err(|_| "bad media sequence")?;
        } else if let Some(attributes) = line.strip_prefix("#EXT-X-SKIP:SKIPPED-SEGMENTS=") {
            let digits = attributes.split(',').next().unwrap_or_default();
            next.0 += digits.parse::<u64>().map_err(|_| "bad skip")?;
        } else if let Some(attributes) = line.strip_prefix("#EXT-X-PART:") {
            let uri = quoted(attributes, "URI=\"").ok_or("a part without URI")?;
            parts.push(Part {
                position: next,
                path: resolve(base, uri),
            });
            next.1 += 1;
        } else if !line.starts_with('#') && !line.trim().is_empty() {
            next = (next.0 + 1, 0);
        }
    }
    let has_ended = text.lines().any(|line| line == "#EXT-X-ENDLIST");
    Ok(Playlist {
        parts,
        next,
        has_ended,
    })
}

fn quoted<'a>(attributes: &'a str, start: &str) -> Option<&'a str> {
    let from = attributes.find(start)? + start.len();
    let long = attributes[from..].find('"')?;
    Some(&attributes[from..from + long])
}

/// The path of `uri` as seen from the playlist at `base`.
fn resolve(base: &str, uri: &str) -> String {
    if uri.starts_with('/') {
        return uri.to_owned();
    }
    let folder = base.rfind('/').map_or("/", |at| &base[..=at]);
    let mut folders: Vec<&str> = folder
        .trim_matches('/')
        .split('/')
        .filter(|name| !name.is_empty())
        .collect();
    let mut rest = uri;
    while let Some(shorter) = rest.strip_prefix("../") {
        folders.pop();
        rest = shorter;
    }
    folders.push(rest);
    format!("/{}", folders.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: &str = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:2.0,\na.m4s\n#EXT-X-PART:DURATION=0.5,URI=\"b.0.m4s\"\n\
        #EXT-X-PART:DURATION=0.5,URI=\"/x/b.1.m4s\",INDEPENDENT=YES\n";

    #[test]
    fn names_the_parts_and_the_one_that_comes_next() {
        let playlist = parse(LIVE, "/hls/0/video.m3u8").unwrap();
        let paths: Vec<&str> = playlist
            .parts
            .iter()
            .map(|part| part.path.as_str())
            .collect();
        assert_eq!(paths, ["/hls/0/b.0.m4s", "/x/b.1.m4s"]);
        assert_eq!(playlist.parts[1].position, (8, 1));
        assert_eq!(playlist.next, (8, 2));
        assert!(!playlist.has_ended);
    }

    #[test]
    fn begins_a_new_segment_after_a_whole_one() {
        let playlist = parse(&format!("{LIVE}#EXTINF:1.0,\nb.m4s\n"), "/hls/0/video.m3u8").unwrap();
        assert_eq!(playlist.next, (9, 0));
    }

    #[test]
    fn refuses_what_is_no_playlist() {
        assert!(parse("<html>", "/").is_err());
    }

    #[test]
    fn goes_up_where_the_address_says_so() {
        assert_eq!(
            resolve("/hls/0/video.m3u8", "../audio/p.m4s"),
            "/hls/audio/p.m4s"
        );
    }
}
