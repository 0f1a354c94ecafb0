//! Rules H1 to H9 on handmade responses.

use std::io::Write;
use std::time::Duration;

use testkit::playlist::Findings;
use testkit::playlist::http::{
    HttpResponse, RequestKind, check_answer, check_gzip_is_equal, check_gzipped, check_range,
    check_same_bytes,
};

use crate::scene::rules;

const NOTHING: [&str; 0] = [];
const BARE: RequestKind = RequestKind::Playlist {
    half_an_update: Duration::from_millis(250),
};
const BLOCKED: RequestKind = RequestKind::BlockedPlaylist { target_duration: 2 };

fn answer(kind: RequestKind) -> HttpResponse {
    let (content_type, cache) = match kind {
        RequestKind::Media => ("video/mp4", "public, max-age=31536000, immutable"),
        RequestKind::Master => ("application/vnd.apple.mpegurl", "no-cache"),
        RequestKind::BlockedPlaylist { .. } => {
            ("application/vnd.apple.mpegurl", "public, max-age=12")
        }
        _ => ("application/vnd.apple.mpegurl", "max-age=1"),
    };
    let headers = [
        ("content-type", content_type),
        ("cache-control", cache),
        ("access-control-allow-origin", "*"),
        ("timing-allow-origin", "*"),
        ("content-length", "4"),
        ("vary", "Accept-Encoding"),
    ];
    HttpResponse {
        status: if kind == RequestKind::Unknown {
            404
        } else {
            200
        },
        is_http_1_1: true,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: b"body".to_vec(),
    }
}

fn with(kind: RequestKind, name: &str, value: &str) -> HttpResponse {
    let mut answer = answer(kind);
    answer.headers.retain(|(known, _)| known != name);
    if !value.is_empty() {
        answer.headers.push((name.to_owned(), value.to_owned()));
    }
    answer
}

fn broken(kind: RequestKind, answer: &HttpResponse) -> Vec<String> {
    let mut findings = Findings::default();
    check_answer("x", kind, answer, &mut findings);
    rules(findings.violations())
}

#[test]
fn good_answers_of_every_kind_pass() {
    for kind in [
        RequestKind::Media,
        RequestKind::Master,
        BARE,
        BLOCKED,
        RequestKind::Unknown,
    ] {
        assert_eq!(broken(kind, &answer(kind)), NOTHING, "{kind:?}");
    }
}

#[test]
fn rule_h1_rejects_another_protocol() {
    let mut other = answer(BARE);
    other.is_http_1_1 = false;
    assert_eq!(broken(BARE, &other), ["H1"]);
}

#[test]
fn rule_h2_rejects_compressed_media() {
    assert_eq!(
        broken(
            RequestKind::Media,
            &with(RequestKind::Media, "content-encoding", "gzip")
        ),
        ["H2"]
    );
}

#[test]
fn rule_h2_rejects_a_playlist_that_is_not_or_not_rightly_compressed() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"#EXTM3U\n").unwrap();
    let body = gzip.finish().unwrap();
    let good = HttpResponse {
        body,
        ..with(BARE, "content-encoding", "gzip")
    };
    let check = |plain: &[u8], answer: &HttpResponse| {
        let mut findings = Findings::default();
        check_gzipped("x", answer, &mut findings);
        check_gzip_is_equal("x", plain, answer, &mut findings);
        rules(findings.violations())
    };
    assert_eq!(check(b"#EXTM3U\n", &good), NOTHING);
    assert_eq!(check(b"#EXTM3U\n#EXT-X-ENDLIST\n", &good), ["H2"]);
    assert_eq!(check(b"body", &answer(BARE)), ["H2"]);
    let mut uncached = good;
    uncached.headers.retain(|(name, _)| name != "vary");
    assert_eq!(check(b"#EXTM3U\n", &uncached), ["H2"]);
}

#[test]
fn rule_h3_rejects_wrong_lifetimes() {
    for (kind, cache) in [
        (RequestKind::Media, "no-cache"),
        (RequestKind::Media, "public, max-age=3600, immutable"),
        (RequestKind::Media, "public, max-age=31536000"),
        (RequestKind::Master, "max-age=60"),
        (BARE, "max-age=2"),
        (BARE, ""),
        (BLOCKED, "no-cache"),
        (BLOCKED, "max-age=13"),
        (BLOCKED, "max-age=0"),
        (RequestKind::Unknown, "max-age=60"),
        (RequestKind::Unknown, ""),
    ] {
        assert_eq!(
            broken(kind, &with(kind, "cache-control", cache)),
            ["H3"],
            "{kind:?} {cache}"
        );
    }
}

#[test]
fn rule_h4_rejects_a_name_with_new_bytes() {
    let mut findings = Findings::default();
    check_same_bytes("x", b"a", b"a", &mut findings);
    assert!(findings.violations().is_empty());
    check_same_bytes("x", b"a", b"b", &mut findings);
    assert_eq!(rules(findings.violations()), ["H4"]);
}

#[test]
fn rule_h5_rejects_unknown_names_that_are_found_and_empty_answers() {
    let mut found = answer(RequestKind::Unknown);
    found.status = 200;
    assert_eq!(broken(RequestKind::Unknown, &found), ["H5"]);
    let mut empty = answer(BARE);
    empty.body.clear();
    assert_eq!(broken(BARE, &empty), ["H5"]);
}

#[test]
fn rule_h6_rejects_media_without_its_length() {
    assert_eq!(
        broken(
            RequestKind::Media,
            &with(RequestKind::Media, "content-length", "")
        ),
        ["H6"]
    );
    assert_eq!(
        broken(
            RequestKind::Media,
            &with(RequestKind::Media, "content-length", "5")
        ),
        ["H6"]
    );
}

#[test]
fn rule_h7_rejects_media_other_pages_cannot_use() {
    assert_eq!(
        broken(BARE, &with(BARE, "access-control-allow-origin", "")),
        ["H7"]
    );
    assert_eq!(
        broken(
            RequestKind::Media,
            &with(RequestKind::Media, "timing-allow-origin", "")
        ),
        ["H7"]
    );
}

#[test]
fn rule_h7_rejects_a_range_that_is_ignored_or_wrong() {
    let check = |status: u16, range: &str, body: &[u8]| {
        let mut part = with(RequestKind::Media, "content-range", range);
        part.status = status;
        part.body = body.to_vec();
        let mut findings = Findings::default();
        check_range("x", b"abcdef", (1, 3), &part, &mut findings);
        rules(findings.violations())
    };
    assert_eq!(check(206, "bytes 1-3/6", b"bcd"), NOTHING);
    assert_eq!(check(200, "", b"abcdef"), ["H7"]);
    assert_eq!(check(206, "bytes 1-3/6", b"abc"), ["H7"]);
    assert_eq!(check(206, "bytes 0-2/6", b"bcd"), ["H7"]);
}

#[test]
fn rule_h9_rejects_wrong_content_types() {
    assert_eq!(
        broken(BARE, &with(BARE, "content-type", "text/plain")),
        ["H9"]
    );
    assert_eq!(
        broken(
            RequestKind::Media,
            &with(
                RequestKind::Media,
                "content-type",
                "application/octet-stream"
            )
        ),
        ["H9"]
    );
}
