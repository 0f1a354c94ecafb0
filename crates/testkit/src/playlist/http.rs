//! Rules H1 to H9: what a response needs besides its body.

use std::io::Read;
use std::time::Duration;

use super::rule::{Findings, Rule};

/// A year, the longest a cache keeps anything.
const ONE_YEAR: u64 = 31_536_000;
/// Errors must not be remembered for longer, or a part that comes a moment later stays missing.
const LONGEST_CACHED_ERROR: u64 = 1;
/// A blocked answer never changes; it is kept at most this many target durations.
const BLOCKED_ANSWER_TARGETS: u64 = 6;
/// More than any playlist has; what inflates further is cut off and then differs.
const MAX_PLAYLIST_BYTES: u64 = 16 * 1024 * 1024;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    Master,
    /// A media playlist without `_HLS_msn`; the limit is how long it may be cached.
    Playlist {
        /// Half a part, or half a segment if there are no parts.
        half_an_update: Duration,
    },
    /// A media playlist with `_HLS_msn`.
    BlockedPlaylist {
        /// TARGETDURATION in seconds.
        target_duration: u64,
    },
    /// A part, segment or initialization section.
    Media,
    /// Something that does not exist.
    Unknown,
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct HttpResponse {
    pub status: u16,
    /// Whether it came over HTTP/1.1.
    pub is_http_1_1: bool,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as sent.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The decoded body.
    pub fn plain_body(&self) -> Vec<u8> {
        if self.header("content-encoding") != Some("gzip") {
            return self.body.clone();
        }
        let mut plain = Vec::new();
        let decoder = flate2::read::GzDecoder::new(self.body.as_slice());
        match decoder.take(MAX_PLAYLIST_BYTES).read_to_end(&mut plain) {
            Ok(_) => plain,
            Err(_) => Vec::new(),
        }
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.plain_body()).into_owned()
    }

    fn cache_directives(&self) -> Vec<String> {
        let value = self.header("cache-control").unwrap_or_default();
        let directives = value
            .split(',')
            .map(|word| word.trim().to_ascii_lowercase());
        directives.filter(|word| !word.is_empty()).collect()
    }
}

/// Checks everything that one response shows: rules H1, H2 (segments), H3, H5, H6, H7 and H9.
pub fn check_answer(name: &str, kind: RequestKind, answer: &HttpResponse, findings: &mut Findings) {
    findings.check(Rule::Http(1), answer.is_http_1_1, || {
        format!("{name} was not answered in HTTP/1.1")
    });
    rule_h3_cache_control(name, kind, answer, findings);
    if kind == RequestKind::Unknown {
        findings.check(Rule::Http(5), answer.status == 404, || {
            format!("{name} does not exist, the answer is {}", answer.status)
        });
        return;
    }
    if answer.status != 200 {
        return;
    }
    findings.check(Rule::Http(5), !answer.body.is_empty(), || {
        format!("{name} is 200 and empty")
    });
    let origin = answer.header("access-control-allow-origin");
    findings.check(Rule::Http(7), origin == Some("*"), || {
        format!("{name} has Access-Control-Allow-Origin {origin:?}")
    });
    rule_h9_content_type(name, kind, answer, findings);
    if kind == RequestKind::Media {
        let timing = answer.header("timing-allow-origin");
        findings.check(Rule::Http(7), timing == Some("*"), || {
            format!("{name} has Timing-Allow-Origin {timing:?}")
        });
        let encoding = answer.header("content-encoding");
        findings.check(Rule::Http(2), encoding.is_none(), || {
            format!("{name} is media and sent with Content-Encoding {encoding:?}")
        });
        let length = answer.header("content-length");
        let is_right = length == Some(answer.body.len().to_string().as_str());
        findings.check(Rule::Http(6), is_right, || {
            format!(
                "{name} has Content-Length {length:?} and {} bytes",
                answer.body.len()
            )
        });
    }
}

fn rule_h3_cache_control(
    name: &str,
    kind: RequestKind,
    answer: &HttpResponse,
    findings: &mut Findings,
) {
    let directives = answer.cache_directives();
    let has = |word: &str| directives.iter().any(|directive| directive == word);
    let max_age = directives
        .iter()
        .find_map(|word| word.strip_prefix("max-age="));
    let max_age: Option<u64> = max_age.and_then(|text| text.parse().ok());
    let is_fresh = has("no-cache") || has("no-store");
    let at_most = |limit: u64| is_fresh || max_age.is_some_and(|age| age <= limit);
    let ok = match kind {
        _ if answer.status == 404 => at_most(LONGEST_CACHED_ERROR),
        // Other errors are not cached by default.
        _ if answer.status >= 400 => max_age.is_none_or(|age| age <= LONGEST_CACHED_ERROR),
        RequestKind::Unknown => true,
        RequestKind::Master => is_fresh,
        RequestKind::Playlist { half_an_update } => at_most(half_an_update.as_secs().max(1)),
        RequestKind::BlockedPlaylist { target_duration } => {
            let longest = target_duration * BLOCKED_ANSWER_TARGETS;
            !is_fresh && max_age.is_some_and(|age| (1..=longest).contains(&age))
        }
        RequestKind::Media => has("public") && has("immutable") && max_age == Some(ONE_YEAR),
    };
    findings.check(Rule::Http(3), ok, || {
        let value = answer.header("cache-control");
        format!(
            "{name} ({kind:?}, {}) has Cache-Control {value:?}",
            answer.status
        )
    });
}

fn rule_h9_content_type(
    name: &str,
    kind: RequestKind,
    answer: &HttpResponse,
    findings: &mut Findings,
) {
    let content_type = answer.header("content-type").unwrap_or_default();
    let bare = content_type.split(';').next().unwrap_or_default().trim();
    let bare = bare.to_ascii_lowercase();
    let ok = match kind {
        RequestKind::Media => matches!(
            bare.as_str(),
            "video/mp4" | "audio/mp4" | "video/iso.segment" | "audio/iso.segment"
        ),
        _ => matches!(
            bare.as_str(),
            "application/vnd.apple.mpegurl" | "audio/mpegurl" | "application/x-mpegurl"
        ),
    };
    findings.check(Rule::Http(9), ok, || {
        format!("{name} has Content-Type {content_type:?}")
    });
}

/// Rule H2: a request with gzip gets a gzipped playlist, and caches know about it.
pub fn check_gzipped(name: &str, answer: &HttpResponse, findings: &mut Findings) {
    let rule = Rule::Http(2);
    let encoding = answer.header("content-encoding");
    findings.check(rule, encoding == Some("gzip"), || {
        format!("{name} was asked for with gzip, Content-Encoding is {encoding:?}")
    });
    if encoding.is_none() {
        return;
    }
    let vary = answer.header("vary").unwrap_or_default();
    let vary = vary.to_ascii_lowercase();
    findings.check(
        rule,
        vary.contains("accept-encoding") || vary == "*",
        || format!("{name} is gzipped on request, but Vary is {vary:?}"),
    );
}

/// Rule H2: the gzipped playlist has the same content.
pub fn check_gzip_is_equal(
    name: &str,
    plain: &[u8],
    gzipped: &HttpResponse,
    findings: &mut Findings,
) {
    findings.check(Rule::Http(2), gzipped.plain_body() == plain, || {
        format!("{name} says something else when gzipped")
    });
}

/// Rule H7: the bytes `first..=last` of a segment.
pub fn check_range(
    name: &str,
    whole: &[u8],
    range: (usize, usize),
    answer: &HttpResponse,
    findings: &mut Findings,
) {
    let rule = Rule::Http(7);
    let (first, last) = range;
    let status = answer.status;
    findings.check(rule, status == 206, || {
        format!("a range of {name} was answered with {status}, not 206")
    });
    if status != 206 {
        return;
    }
    let expected = format!("bytes {first}-{last}/{}", whole.len());
    let said = answer.header("content-range");
    let is_right =
        said == Some(expected.as_str()) && whole.get(first..=last) == Some(&answer.body[..]);
    findings.check(rule, is_right, || {
        format!("the range {expected} of {name} came as {said:?}")
    });
}

/// Rule H4: the same name, fetched again.
pub fn check_same_bytes(name: &str, before: &[u8], now: &[u8], findings: &mut Findings) {
    findings.check(Rule::Http(4), before == now, || {
        format!("{name} has other bytes than before")
    });
}
