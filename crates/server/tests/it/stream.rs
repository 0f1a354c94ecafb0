//! A broadcast from the publisher's first message to the viewers' last playlist, over real sockets.

use model::Event;
use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;
use testkit::rtmp::RtmpClient;

use crate::http::{Answer, get, post, request, server_with};

pub(crate) async fn publisher(server: &TestServer) -> RtmpClient {
    let key = server.stream_key();
    let (client, status) = RtmpClient::publish(server.rtmp_address(), "live", &key)
        .await
        .unwrap();
    assert_eq!(status.code, "NetStream.Publish.Start", "{status:?}");
    client
}

pub(crate) async fn broadcast(server: &TestServer) -> RtmpClient {
    broadcast_of(server, "plain").await
}

/// The same with another clip.
pub(crate) async fn broadcast_of(server: &TestServer, clip: &str) -> RtmpClient {
    let mut client = publisher(server).await;
    client.send_clip(clip, 0).await.unwrap();
    state(server, "live").await;
    client
}

async fn status(server: &TestServer) -> Value {
    get("/api/status").send(server).await.json()
}

pub(crate) async fn state(server: &TestServer, wanted: &str) -> Value {
    eventually(wanted, || async {
        let status = status(server).await;
        (status["streamState"] == wanted).then_some(status)
    })
    .await
}

fn stream_events(events: &[Event]) -> Vec<&'static str> {
    let kinds = events.iter().map(Event::kind);
    kinds.filter(|kind| kind.starts_with("Stream")).collect()
}

/// The history is written concurrently with the stream, so it may lag a little.
async fn expect_events(server: &TestServer, wanted: &[&str]) {
    eventually(&format!("{wanted:?}"), || async {
        (stream_events(&server.events().await) == wanted).then_some(())
    })
    .await;
}

/// The first name in a playlist that contains `wanted`.
pub(crate) fn name(playlist: &Answer, wanted: &str) -> String {
    let names = playlist.body.split(['"', '\n']);
    let mut names = names.filter(|name| !name.starts_with('#') && name.contains(wanted));
    names
        .next()
        .unwrap_or_else(|| panic!("no {wanted} in {}", playlist.body))
        .to_owned()
}

#[tokio::test]
async fn a_stream_goes_live_with_its_first_part_and_ends_with_a_clean_farewell() {
    let server = server_with(&["stream_title=Water"]).await;
    assert_eq!(get("/hls/stream.m3u8").send(&server).await.status, 404);
    let mut client = broadcast(&server).await;
    let live = status(&server).await;
    assert_eq!(live["online"], true);
    assert!(live["lastConnectTime"].is_string());
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert_eq!(playlist.status, 200);
    assert!(!playlist.body.contains("#EXT-X-ENDLIST"));
    client.unpublish().await.unwrap();
    let over = state(&server, "offline").await;
    assert_eq!(over["online"], false);
    assert!(over["lastDisconnectTime"].is_string());
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert!(
        playlist.body.ends_with("#EXT-X-ENDLIST\n"),
        "{}",
        playlist.body
    );
    expect_events(&server, &["StreamStarted", "StreamStopped"]).await;
    let events = server.events().await;
    assert!(
        matches!(&events[events.len() - 2], Event::StreamStarted { title, .. } if title == "Water")
    );
}

#[tokio::test]
async fn a_lost_publisher_is_waited_for_and_goes_on_with_the_same_broadcast() {
    let server = server_with(&[]).await;
    for _ in 0..3 {
        let client = broadcast(&server).await;
        drop(client);
        let waiting = state(&server, "waiting").await;
        assert_eq!(waiting["online"], true, "viewers keep their place");
    }
    let mut client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert!(
        !playlist.body.contains("#EXT-X-DISCONTINUITY\n"),
        "{}",
        playlist.body
    );
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    expect_events(&server, &["StreamStarted", "StreamStopped"]).await;
    let streams = get("/api/admin/streams")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(streams.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_lost_publisher_that_stays_away_ends_the_broadcast() {
    let server = server_with(&["grace_seconds=0"]).await;
    drop(broadcast(&server).await);
    state(&server, "offline").await;
    expect_events(&server, &["StreamStarted", "StreamStopped"]).await;
}

#[tokio::test]
async fn a_broadcast_that_a_killed_process_left_open_is_gone_on_with() {
    let server = server_with(&[]).await;
    let client = broadcast(&server).await;
    let folder = server.stop().await;
    drop(client);
    let options = server::cli::Options::default();
    let server = TestServer::start_in(folder, options).await;
    state(&server, "waiting").await;
    let mut client = broadcast(&server).await;
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    expect_events(&server, &["StreamStarted", "StreamStopped"]).await;
}

#[tokio::test]
async fn a_wrong_key_is_refused_with_a_reason_before_any_media() {
    let server = server_with(&[]).await;
    let (mut client, status) = RtmpClient::publish(server.rtmp_address(), "live", "not-the-key")
        .await
        .unwrap();
    assert_eq!(status.level, "error");
    assert!(
        status.description.contains("Wrong stream key"),
        "{status:?}"
    );
    client.closed().await.unwrap();
    assert_eq!(get("/hls/stream.m3u8").send(&server).await.status, 404);
    let metrics = get("/api/admin/prometheus")
        .by_admin()
        .send(&server)
        .await
        .body;
    assert!(
        metrics.contains("rillcast_publishers_wrong_key_total"),
        "{metrics}"
    );
    let report = get("/api/admin/stream").by_admin().send(&server).await;
    assert!(report.json()["wrongKeyAt"].is_string(), "{report:?}");
    assert!(!report.body.contains("not-the-key"));
}

#[tokio::test]
async fn a_second_publisher_is_refused_unless_its_key_may_take_over() {
    let keys = r#"stream_keys=[{"key":"ordinary-key","comment":"a"},{"key":"senior-key","comment":"b","takeOver":true}]"#;
    let server = server_with(&[keys]).await;
    let first = broadcast(&server).await;
    let (_, status) = RtmpClient::publish(server.rtmp_address(), "live", "ordinary-key")
        .await
        .unwrap();
    assert_eq!(
        (status.level.as_str(), status.code.as_str()),
        ("error", "NetStream.Publish.BadName")
    );
    assert!(
        status.description.contains("already broadcasting"),
        "{status:?}"
    );
    let (mut second, status) = RtmpClient::publish(server.rtmp_address(), "live", "senior-key")
        .await
        .unwrap();
    assert_eq!(status.level, "status", "{status:?}");
    drop(first);
    second.send_clip("plain", 0).await.unwrap();
    let report = eventually("the second publishes", || async {
        let report = get("/api/admin/stream")
            .by_admin()
            .send(&server)
            .await
            .json();
        (report["publisher"]["keyName"] == "b").then_some(report)
    })
    .await;
    assert_eq!(report["state"], "live");
    expect_events(&server, &["StreamStarted"]).await;
}

#[tokio::test]
async fn the_operator_ends_a_broadcast() {
    let server = server_with(&[]).await;
    let refused = get("/api/admin/disconnect").by_admin().send(&server).await;
    assert_eq!(refused.status, 400);
    let mut client = broadcast(&server).await;
    let answer = request("POST", "/api/admin/disconnect")
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(answer.json()["success"], true);
    state(&server, "offline").await;
    client.closed().await.unwrap();
}

#[tokio::test]
async fn media_is_cached_for_ever_and_playlists_are_not() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    let master = get("/hls/stream.m3u8").send(&server).await;
    assert_eq!(master.header("content-type"), "application/x-mpegURL");
    assert!(master.header("cache-control").starts_with("no-cache"));
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert_eq!(playlist.header("cache-control"), "public, max-age=0");
    for wanted in ["init-", "seg-", "part-"] {
        let path = format!("/hls/0/{}", name(&playlist, wanted));
        let answer = get(&path).send(&server).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "video/mp4"),
            "{path}"
        );
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("timing-allow-origin"), "*");
    }
    let sound = get("/hls/audio/stream.m3u8").send(&server).await;
    let sound = get(&format!("/hls/audio/{}", name(&sound, "seg-")))
        .send(&server)
        .await;
    assert_eq!(
        (sound.status, sound.header("content-type")),
        (200, "audio/mp4")
    );
}

#[tokio::test]
async fn a_playlist_is_gzipped_for_those_who_take_it_and_a_segment_never() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert_eq!(playlist.header("content-encoding"), "");
    let packed = get("/hls/0/video.m3u8")
        .header("accept-encoding", "gzip")
        .send(&server)
        .await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(
        packed
            .header("vary")
            .eq_ignore_ascii_case("accept-encoding")
    );
    let path = format!("/hls/0/{}", name(&playlist, "seg-"));
    let segment = get(&path)
        .header("accept-encoding", "gzip, br")
        .send(&server)
        .await;
    assert_eq!(segment.header("content-encoding"), "");
}

#[tokio::test]
async fn a_segment_can_be_fetched_in_ranges() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let path = format!("/hls/0/{}", name(&playlist, "seg-"));
    let whole = get(&path).send(&server).await;
    let total: usize = whole.header("content-length").parse().unwrap();
    let some = get(&path)
        .header("range", "bytes=100-199")
        .send(&server)
        .await;
    assert_eq!((some.status, some.header("content-length")), (206, "100"));
    assert_eq!(
        some.header("content-range"),
        format!("bytes 100-199/{total}")
    );
    let beyond = get(&path)
        .header("range", &format!("bytes={total}-"))
        .send(&server)
        .await;
    assert_eq!(beyond.status, 416);
}

#[tokio::test]
async fn a_blocking_reload_is_answered_when_the_part_is_listed() {
    let server = server_with(&[]).await;
    let mut client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let hint = playlist.body.split("TYPE=PART,URI=\"").nth(1).unwrap();
    let hint = hint.split('"').next().unwrap().to_owned();
    let mut numbers = hint.trim_end_matches(".m4s").rsplit('-');
    let (part, msn) = (numbers.next().unwrap(), numbers.next().unwrap());
    let path = format!("/hls/0/video.m3u8?_HLS_msn={msn}&_HLS_part={part}");
    let hinted = format!("/hls/0/{hint}");
    let reload = get(&path).send(&server);
    let preload = get(&hinted).send(&server);
    let sending = client.send_clip_until("plain", 8000, 700);
    let (reload, preload, sent) = tokio::join!(reload, preload, sending);
    sent.unwrap();
    assert_eq!(reload.status, 200);
    assert!(
        reload.body.contains(&format!("URI=\"{hint}\"")),
        "{}",
        reload.body
    );
    assert_eq!(reload.header("cache-control"), "public, max-age=12");
    assert_eq!(
        (preload.status, preload.header("content-type")),
        (200, "video/mp4")
    );
}

#[tokio::test]
async fn a_reload_that_makes_no_sense_is_refused_at_once() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    for query in [
        "_HLS_part=1",
        "_HLS_msn=x",
        "_HLS_msn=99999999999",
        "_HLS_msn=18446744073709551615&_HLS_part=0",
    ] {
        let answer = get(&format!("/hls/0/video.m3u8?{query}"))
            .send(&server)
            .await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.body);
    }
    let old = get("/hls/0/video.m3u8?_HLS_msn=1").send(&server).await;
    assert_eq!(old.status, 200);
}

#[tokio::test]
async fn the_address_of_one_quality_lists_it_with_its_sound() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    let list = get("/hls/0/stream.m3u8").send(&server).await;
    assert_eq!(list.header("content-type"), "application/x-mpegURL");
    let none = "no-cache, no-store, must-revalidate";
    assert_eq!(list.header("cache-control"), none);
    assert!(list.body.ends_with("\nvideo.m3u8\n"), "{}", list.body);
    assert!(list.body.contains("URI=\"../audio/stream.m3u8\""));
    let all = get("/hls/stream.m3u8").send(&server).await;
    assert!(all.body.contains("\n0/video.m3u8\n"), "{}", all.body);
}

#[tokio::test]
async fn a_name_nobody_gave_is_404_for_a_second() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    for path in [
        "/hls/",
        "/hls/1/stream.m3u8",
        "/hls/0/seg-0123456789abcdef-1.m4s",
        "/hls/0/..%2f..%2fetc",
        "/hls/0/../../x",
        "/hls/stream.m3u8/",
    ] {
        let answer = get(path).send(&server).await;
        assert_eq!(answer.status, 404, "{path}");
        if path.contains("seg-") {
            assert_eq!(answer.header("cache-control"), "max-age=1");
        }
    }
}

#[tokio::test]
async fn viewers_are_counted_by_their_playlists_and_by_their_pings() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    for agent in ["VLC/3", "mpv", "Safari"] {
        get("/hls/0/video.m3u8")
            .header("user-agent", agent)
            .send(&server)
            .await;
    }
    assert_eq!(
        get("/api/ping")
            .header("user-agent", "behind a cache")
            .send(&server)
            .await
            .status,
        200
    );
    eventually("four viewers", || async {
        (status(&server).await["viewerCount"] == 4).then_some(())
    })
    .await;
    let admin = get("/api/admin/status")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(admin["sessionPeakViewerCount"], 4);
    assert_eq!(admin["broadcaster"]["streamDetails"]["videoCodec"], "H.264");
    assert_eq!(admin["currentBroadcast"]["latencyLevel"]["level"], 2);
}

#[tokio::test]
async fn long_groups_of_pictures_are_explained_in_plain_words() {
    let server = server_with(&[]).await;
    let mut client = publisher(&server).await;
    client.send_clip("gop10", 0).await.unwrap();
    let report = eventually("advice", || async {
        let report = get("/api/admin/stream")
            .by_admin()
            .send(&server)
            .await
            .json();
        report["diagnosis"]
            .as_array()
            .is_some_and(|found| !found.is_empty())
            .then_some(report)
    })
    .await;
    let advice = &report["diagnosis"][0];
    assert_eq!(advice["code"], "keyframe-interval");
    assert!(
        advice["message"]
            .as_str()
            .unwrap()
            .starts_with("Keyframes arrive every 10 s: set 2 s in OBS"),
        "{advice}"
    );
}

#[tokio::test]
async fn players_that_are_no_browsers_are_sent_to_the_playlist() {
    let server = server_with(&[]).await;
    for agent in ["VLC/3.0.18 LibVLC/3.0.18", "mpv 0.35", "AppleCoreMedia/1.0"] {
        let answer = get("/").header("user-agent", agent).send(&server).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (307, "/hls/stream.m3u8"),
            "{agent}"
        );
    }
}

#[tokio::test]
async fn a_new_title_is_a_fact_of_its_own() {
    let server = server_with(&[]).await;
    post(
        "/api/admin/config/streamtitle",
        &json!({ "value": "Evening" }),
    )
    .by_admin()
    .send(&server)
    .await;
    let events = server.events().await;
    assert_eq!(
        events.last(),
        Some(&Event::StreamTitleChanged {
            title: "Evening".into()
        })
    );
}

#[tokio::test]
async fn a_head_tells_the_length_of_what_a_get_would_bring() {
    let server = server_with(&[]).await;
    let _client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let path = format!("/hls/0/{}", name(&playlist, "seg-"));
    let whole = get(&path).send(&server).await;
    let head = request("HEAD", &path).send(&server).await;
    assert_eq!(head.status, 200);
    assert_eq!(
        head.header("content-length"),
        whole.header("content-length")
    );
    assert!(head.body.is_empty());
}
