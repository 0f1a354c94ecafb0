//! Going back in the live stream, over real sockets.

use std::time::Duration;

use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;
use testkit::playlist::http::{HttpResponse, check_gzip_is_equal};
use testkit::playlist::{Checker, Directives, Findings, MediaPlaylist, Observation, Role, Skip};
use testkit::rtmp::RtmpClient;

use crate::http::{Answer, PASSWORD, get, server_with};
use crate::stream::{broadcast, state};

const SET: [&str; 2] = ["rewind_minutes=10", "recording_min_free_gigabytes=0"];
const PICTURE: &str = "/hls/0/rewind.m3u8";
const SOUND: &str = "/hls/audio/rewind.m3u8";
const LIVE: &str = "/hls/0/video.m3u8";
/// Four segments, of which the last is complete when the next clip begins.
const CLIP_MS: u32 = 8000;
/// Three times what the live list has.
const CLIPS: u32 = 6;
const SEGMENTS: usize = CLIPS as usize * 4 - 1;

async fn list(server: &TestServer, path: &str) -> Answer {
    let answer = get(path).send(server).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer
}

/// The list, once it has as many complete segments.
async fn until_listed(server: &TestServer, path: &str, count: usize) -> MediaPlaylist {
    eventually("the segments are listed", || async {
        let answer = get(path).send(server).await;
        let list = MediaPlaylist::read(&answer.body);
        (answer.status == 200 && list.segments.len() >= count).then_some(list)
    })
    .await
}

/// Longer than the live list is.
async fn long_broadcast(server: &TestServer) -> RtmpClient {
    let mut client = broadcast(server).await;
    for clip in 1..CLIPS {
        until_listed(server, PICTURE, clip as usize * 4 - 1).await;
        client.send_clip("plain", clip * CLIP_MS).await.unwrap();
    }
    until_listed(server, PICTURE, SEGMENTS).await;
    until_listed(server, SOUND, SEGMENTS).await;
    client
}

async fn all_are_there(server: &TestServer, folder: &str, list: &MediaPlaylist) {
    for segment in &list.segments {
        assert!(!segment.is_gap, "{} is lost", segment.uri);
        let path = format!("/hls/{folder}/{}", segment.uri);
        let whole = get(&path).send(server).await;
        assert_eq!(whole.status, 200, "{path}");
        assert_eq!(
            whole.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        let len = whole.bytes.len();
        assert!(len > 0, "{path}");
        assert_eq!(whole.header("content-length"), len.to_string());
        let map = segment.map.as_deref().unwrap_or_default();
        let init = get(&format!("/hls/{folder}/{map}")).send(server).await;
        assert_eq!(init.status, 200, "{map}");
    }
}

#[tokio::test]
async fn who_goes_back_finds_everything_that_left_the_live_list() {
    let server = server_with(&SET).await;
    let _client = long_broadcast(&server).await;
    let own = list(&server, PICTURE).await;
    let live = list(&server, LIVE).await;
    let (parsed, shorter) = (
        MediaPlaylist::read(&own.body),
        MediaPlaylist::read(&live.body),
    );
    assert_eq!(parsed.media_sequence, 0, "{}", own.body);
    assert!(shorter.segments.len() < SEGMENTS / 2, "{}", live.body);
    let mut checker = Checker::new(Role::Video).at(PICTURE);
    let found = checker.observe(&Observation::of(Duration::ZERO, &own.body));
    assert!(found.is_empty(), "{found:#?}\n{}", own.body);
    let found = checker.ends_like(&own.body, LIVE, &live.body);
    assert_eq!(found, Some(Vec::new()), "{}\n{}", own.body, live.body);

    all_are_there(&server, "0", &parsed).await;
    let sound = MediaPlaylist::read(&list(&server, SOUND).await.body);
    assert_eq!(sound.media_sequence, 0);
    all_are_there(&server, "audio", &sound).await;

    let delta = get(&format!("{PICTURE}?_HLS_skip=YES")).send(&server).await;
    assert!(delta.body.contains("#EXT-X-SKIP:"), "{}", delta.body);
    assert!(delta.body.len() < own.body.len(), "{}", delta.body);
    let found = checker.observe(&Observation {
        asked: Directives {
            skip: Some(Skip::Yes),
            ..Directives::default()
        },
        ..Observation::of(Duration::from_secs(1), &delta.body)
    });
    assert!(found.is_empty(), "{found:#?}\n{}", delta.body);
}

#[tokio::test]
async fn a_segment_from_the_disk_can_be_fetched_in_ranges() {
    let server = server_with(&SET).await;
    let _client = long_broadcast(&server).await;
    let parsed = MediaPlaylist::read(&list(&server, PICTURE).await.body);
    let path = format!("/hls/0/{}", parsed.segments[0].uri);
    let whole = get(&path).send(&server).await;
    let total = whole.bytes.len();
    assert_eq!(whole.header("content-type"), "video/mp4");
    let some = get(&path)
        .header("range", "bytes=100-199")
        .send(&server)
        .await;
    assert_eq!((some.status, some.header("content-length")), (206, "100"));
    assert_eq!(
        some.header("content-range"),
        format!("bytes 100-199/{total}")
    );
    assert_eq!(some.bytes, whole.bytes[100..200]);
    let beyond = get(&path)
        .header("range", &format!("bytes={total}-"))
        .send(&server)
        .await;
    assert_eq!(beyond.status, 416);
}

#[tokio::test]
async fn a_list_that_goes_back_is_gzipped_for_those_who_take_it() {
    let server = server_with(&SET).await;
    let _client = long_broadcast(&server).await;
    for path in [PICTURE, "/hls/rewind.m3u8"] {
        let plain = list(&server, path).await;
        let packed = get(path).header("accept-encoding", "gzip");
        let packed = packed.send(&server).await;
        assert_eq!(packed.header("content-encoding"), "gzip");
        let response = HttpResponse {
            status: packed.status,
            is_http_1_1: true,
            headers: packed.headers.into_iter().collect(),
            body: packed.bytes,
        };
        let mut findings = Findings::default();
        check_gzip_is_equal(path, &plain.bytes, &response, &mut findings);
        assert!(findings.violations().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_reload_of_a_list_that_goes_back_waits_under_its_own_numbers() {
    let server = server_with(&SET).await;
    let mut client = long_broadcast(&server).await;
    let before = MediaPlaylist::read(&list(&server, PICTURE).await.body);
    let (msn, part) = (before.open_msn(), before.open.parts.len());
    let path = format!("{PICTURE}?_HLS_msn={msn}&_HLS_part={part}&_HLS_skip=YES");
    let reload = get(&path).send(&server);
    let sending = client.send_clip_until("plain", CLIPS * CLIP_MS, 700);
    let (reload, sent) = tokio::join!(reload, sending);
    sent.unwrap();
    assert_eq!(reload.status, 200);
    assert_eq!(reload.header("cache-control"), "public, max-age=12");
    let after = MediaPlaylist::read(&reload.body);
    assert!(
        after.open_msn() > msn || after.open.parts.len() > part,
        "{}",
        reload.body
    );
    for query in ["_HLS_part=1", "_HLS_msn=x", "_HLS_msn=100000"] {
        let answer = get(&format!("{PICTURE}?{query}")).send(&server).await;
        assert_eq!(answer.status, 400, "{query}");
    }
}

#[tokio::test]
async fn the_multivariant_list_that_goes_back_names_its_own_lists_and_the_live_one_none_of_them() {
    let server = server_with(&SET).await;
    let _client = long_broadcast(&server).await;
    let own = list(&server, "/hls/rewind.m3u8").await;
    assert!(own.body.contains("\n0/rewind.m3u8\n"), "{}", own.body);
    assert!(
        own.body.contains("URI=\"audio/rewind.m3u8\""),
        "{}",
        own.body
    );
    let live = list(&server, "/hls/stream.m3u8").await;
    assert!(!live.body.contains("rewind"), "{}", live.body);
    let back = own.body.replace("0/rewind.m3u8", "0/video.m3u8");
    let back = back.replace("audio/rewind.m3u8", "audio/stream.m3u8");
    assert_eq!(back, live.body);
    assert_eq!(own.header("content-type"), live.header("content-type"));
    let picture = list(&server, LIVE).await;
    assert!(!picture.body.contains("rewind"), "{}", picture.body);
}

#[tokio::test]
async fn what_is_recorded_cannot_be_gone_back_to_while_that_is_off() {
    let server = server_with(&["recording=on", "recording_min_free_gigabytes=0"]).await;
    let mut client = broadcast(&server).await;
    let first = until_listed(&server, LIVE, 3).await;
    let oldest = format!("/hls/0/{}", first.segments[0].uri);
    assert_eq!(get(&oldest).send(&server).await.status, 200);
    for path in ["/hls/rewind.m3u8", PICTURE, SOUND] {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
    for clip in 1..CLIPS {
        client.send_clip("plain", clip * CLIP_MS).await.unwrap();
    }
    eventually("the oldest segment leaves the memory", || async {
        let answer = get(&oldest).send(&server).await;
        (answer.status == 404).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_list_goes_back_to_before_a_restart_and_says_where_it_was() {
    let server = server_with(&SET).await;
    let client = long_broadcast(&server).await;
    let before = MediaPlaylist::read(&list(&server, PICTURE).await.body);
    let folder = server.stop().await;
    drop(client);

    let options = Options {
        admin_password: Some(PASSWORD.into()),
        set: SET.iter().map(|pair| (*pair).to_owned()).collect(),
        ..Options::default()
    };
    let server = TestServer::start_in(folder, options).await;
    state(&server, "waiting").await;
    let _client = broadcast(&server).await;
    for (path, folder) in [(PICTURE, "0"), (SOUND, "audio")] {
        let after = until_listed(&server, path, before.segments.len() + 2).await;
        let breaks = after.segments.iter();
        let breaks = breaks.filter(|segment| segment.discontinuity.is_some());
        assert_eq!(breaks.count(), 1, "{path}");
        assert_eq!(after.media_sequence, before.media_sequence, "{path}");
        if path == PICTURE {
            assert_eq!(after.segments[0].uri, before.segments[0].uri);
        }
        all_are_there(&server, folder, &after).await;
    }
    let own = list(&server, PICTURE).await;
    let mut checker = Checker::new(Role::Video).at(PICTURE);
    let live = list(&server, LIVE).await;
    let found = checker.ends_like(&own.body, LIVE, &live.body);
    assert_eq!(found, Some(Vec::new()), "{}\n{}", own.body, live.body);
}
