//! Recordings, from a broadcast that was recorded to what viewers and the operator get of it.

mod operator;
mod pages;

use std::time::Duration;

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::playlist::live::check;
use testkit::{LONG_DEADLINE, within};

use crate::http::{Answer, get, request, server_with};
use crate::stream::{broadcast, state};

/// What a recording has for everybody.
const FIELDS: [&str; 10] = [
    "duration",
    "hasChat",
    "id",
    "playlist",
    "startedAt",
    "summary",
    "tags",
    "thumbnail",
    "title",
    "visibility",
];

/// A server that has recorded eight seconds, and the recording as its operator sees it.
pub(crate) async fn recorded(set: &[&str]) -> (TestServer, Value) {
    let always = ["recording=on", "recording_min_free_gigabytes=0"];
    let server = server_with(&[&always[..], set].concat()).await;
    let mut client = broadcast(&server).await;
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    let video = finished(&server).await;
    (server, video)
}

/// The newest recording, once it is complete.
pub(crate) async fn finished(server: &TestServer) -> Value {
    within(LONG_DEADLINE, "the recording is complete", async || {
        let answer = get("/api/admin/videos").by_admin().send(server).await;
        let newest = answer.json()["results"][0].clone();
        (newest["state"] == "finished").then_some(newest)
    })
    .await
}

pub(crate) fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap()
}

/// Changes a recording, and returns it.
async fn change(server: &TestServer, id: &str, changes: &Value) -> Value {
    let answer = ask(server, "PATCH", id, changes).await;
    assert_eq!(answer.status, 200, "{changes}: {answer:?}");
    answer.json()
}

async fn ask(server: &TestServer, method: &str, id: &str, body: &Value) -> Answer {
    let request = request(method, &format!("/api/admin/videos/{id}"));
    let request = request.raw_body(&body.to_string());
    request.by_admin().send(server).await
}

async fn total(server: &TestServer, query: &str) -> u64 {
    let answer = get(&format!("/api/videos{query}")).send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["total"].as_u64().unwrap()
}

/// The media playlist of the picture.
async fn list(server: &TestServer, id: &str) -> Answer {
    get(&format!("/hls/videos/{id}/0/video.m3u8"))
        .send(server)
        .await
}

/// Every byte range of a list, with the path of its file; maps come where they stand.
fn ranges(list: &Answer, folder: &str) -> Vec<(String, u64, u64)> {
    let read = |range: &str| -> (u64, u64) {
        let (len, offset) = range.split_once('@').unwrap();
        (len.parse().unwrap(), offset.parse().unwrap())
    };
    let lines: Vec<&str> = list.body.lines().collect();
    let mut found = Vec::new();
    for two in lines.windows(2) {
        if let Some(map) = two[0].strip_prefix("#EXT-X-MAP:URI=\"") {
            let (file, rest) = map.split_once('"').unwrap();
            let range = rest.trim_start_matches(",BYTERANGE=").trim_matches('"');
            let (len, offset) = read(range);
            found.push((format!("{folder}/{file}"), offset, len));
        } else if let Some(range) = two[0].strip_prefix("#EXT-X-BYTERANGE:") {
            let (len, offset) = read(range);
            found.push((format!("{folder}/{}", two[1]), offset, len));
        }
    }
    found
}

async fn fetch(server: &TestServer, path: &str, first: u64, last: u64) -> Answer {
    let range = format!("bytes={first}-{last}");
    get(path).header("range", &range).send(server).await
}

#[tokio::test]
async fn without_recordings_the_list_is_empty_and_nothing_else_is_there() {
    let server = server_with(&[]).await;
    let empty = get("/api/videos").send(&server).await;
    assert_eq!(empty.json(), json!({ "total": 0, "results": [] }));
    assert_eq!(empty.header("access-control-allow-origin"), "*");
    let config = get("/api/config").send(&server).await.json();
    for absent in ["videos", "rewind"] {
        assert!(config.get(absent).is_none(), "{config}");
    }
    for path in [
        "/api/videos/0123456789abcdef",
        "/api/videos/..%2f..%2fetc",
        "/hls/videos/0123456789abcdef/stream.m3u8",
        "/hls/videos/0123456789abcdef/poster.jpg",
        "/hls/videos/0123456789abcdef/0/0.mp4",
        "/hls/videos/../stream.m3u8",
        "/hls/videos/..%2f..%2fstate.db",
        "/videos/0123456789abcdef",
        "/embed/video/0123456789abcdef",
        "/oembed?url=http%3A%2F%2Flocalhost%2Fvideos%2F0123456789abcdef",
    ] {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_recorded_stream_is_listed_once_it_is_over_and_plays_from_its_files() {
    let settings = [
        "recording_visibility=public",
        "stream_title=Cooking",
        "rewind_minutes=120",
    ];
    let (server, _) = recorded(&settings).await;
    let page = get("/api/videos").send(&server).await.json();
    assert_eq!(page["total"], 1, "{page}");
    let video = &page["results"][0];
    let mut known: Vec<&String> = video.as_object().unwrap().keys().collect();
    known.sort_unstable();
    assert_eq!(known, FIELDS);
    assert_eq!(video["title"], "Cooking");
    assert_eq!(video["visibility"], "public");
    let duration = video["duration"].as_f64().unwrap();
    assert!((6.0..=9.0).contains(&duration), "{video}");
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["videos"], true);
    assert_eq!(config["rewind"], json!({ "minutes": 120 }));

    let playlist = text(video, "playlist");
    let rules = check(&format!("{}{playlist}", server.url()), Duration::ZERO).await;
    let rules = rules.unwrap();
    assert!(rules.is_clean(), "{rules}");
    let master = get(playlist).send(&server).await;
    assert_eq!(master.status, 200, "{master:?}");
    assert_eq!(master.header("content-type"), "application/x-mpegURL");
    assert_eq!(master.header("access-control-allow-origin"), "*");
    assert!(master.body.contains("\n0/video.m3u8\n"), "{}", master.body);
    assert!(master.body.contains("URI=\"audio/stream.m3u8\""));
    let base = playlist.trim_end_matches("/stream.m3u8");
    for (folder, name) in [("0", "video.m3u8"), ("audio", "stream.m3u8")] {
        let folder = format!("{base}/{folder}");
        let list = get(&format!("{folder}/{name}")).send(&server).await;
        assert!(list.body.contains("#EXT-X-PLAYLIST-TYPE:VOD\n"));
        assert!(list.body.ends_with("#EXT-X-ENDLIST\n"), "{}", list.body);
        let pieces = ranges(&list, &folder);
        assert!(pieces.len() > 3, "{}", list.body);
        for (path, offset, len) in pieces {
            let answer = fetch(&server, &path, offset, offset + len - 1).await;
            assert_eq!(answer.status, 206, "{path} {offset}: {:?}", answer.headers);
            assert_eq!(answer.bytes.len() as u64, len, "{path} {offset}");
            let kind: &[u8] = if offset == 0 { b"ftyp" } else { b"moof" };
            assert_eq!(&answer.bytes[4..8], kind, "{path} {offset}");
            let place = format!("bytes {offset}-{}/", offset + len - 1);
            assert!(answer.header("content-range").starts_with(&place));
            assert_eq!(answer.header("accept-ranges"), "bytes");
            assert_eq!(answer.header("cache-control"), "public, max-age=3600");
        }
        let packed = get(&format!("{folder}/{name}")).header("accept-encoding", "gzip");
        let packed = packed.send(&server).await;
        assert_eq!(packed.header("content-encoding"), "gzip");
        assert!(packed.bytes.len() < list.bytes.len());
    }
}

#[tokio::test]
async fn a_file_of_a_recording_can_be_fetched_whole_and_its_head_alone() {
    let (server, video) = recorded(&[]).await;
    let path = format!("/hls/videos/{}/0/0.mp4", text(&video, "id"));
    let whole = get(&path).send(&server).await;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.header("content-type"), "video/mp4");
    let head = request("HEAD", &path).send(&server).await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-length"), whole.bytes.len().to_string());
    let total = whole.bytes.len() as u64;
    let behind = fetch(&server, &path, total, total + 5).await;
    assert_eq!(behind.status, 416);
    assert_eq!(behind.header("content-range"), format!("bytes */{total}"));
    let end = get(&path).header("range", "bytes=-7").send(&server).await;
    assert!(end.bytes == whole.bytes[whole.bytes.len() - 7..]);
}

#[tokio::test]
async fn what_lies_outside_of_the_marks_is_neither_listed_nor_sent() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    let whole = ranges(&list(&server, id).await, "");
    let cut = change(&server, id, &json!({ "trimStart": 2.2, "trimEnd": 5.9 })).await;
    // Moved to the key frames, which are two seconds apart.
    let (start, end) = (cut["trimStart"].as_f64(), cut["trimEnd"].as_f64());
    let (start, end) = (start.unwrap(), end.unwrap());
    assert!(
        (start - 2.0).abs() < 0.1 && (end - 6.0).abs() < 0.1,
        "{cut}"
    );
    let duration = cut["duration"].as_f64().unwrap();
    assert!((duration - (end - start)).abs() < 0.001, "{cut}");
    let shown = ranges(&list(&server, id).await, "");
    assert_eq!(shown.len(), 3, "the map and two segments: {shown:?}");
    let hidden: Vec<_> = whole.iter().filter(|one| !shown.contains(one)).collect();
    assert!(!hidden.is_empty());
    for (file, offset, len) in hidden {
        let path = format!("/hls/videos/{id}/0{file}");
        let answer = fetch(&server, &path, *offset, offset + len - 1).await;
        assert_eq!(answer.status, 416, "{path} {offset}");
        // Not by asking for more than one segment either.
        let more = fetch(&server, &path, shown[0].1, offset + len - 1).await;
        assert_eq!(more.status, 416, "{path} {offset}");
    }
    for (file, offset, len) in &shown {
        let path = format!("/hls/videos/{id}/0{file}");
        let answer = fetch(&server, &path, *offset, offset + len - 1).await;
        assert_eq!(answer.bytes.len() as u64, *len);
    }
    let file = get(&format!("/hls/videos/{id}/0/0.mp4"))
        .send(&server)
        .await;
    assert_eq!(file.status, 404, "the whole file has more than is shown");
    let back = json!({ "trimStart": null, "trimEnd": null });
    let restored = change(&server, id, &back).await;
    assert_eq!(restored["trimStart"], Value::Null);
    assert_eq!(ranges(&list(&server, id).await, ""), whole);
}

#[tokio::test]
async fn an_unlisted_recording_is_for_those_who_know_its_address() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    assert_eq!(
        video["visibility"], "unlisted",
        "unless somebody says otherwise"
    );
    assert_eq!(total(&server, "").await, 0);
    let config = get("/api/config").send(&server).await.json();
    assert!(config.get("videos").is_none());
    for path in [
        format!("/api/videos/{id}"),
        format!("/hls/videos/{id}/stream.m3u8"),
        format!("/videos/{id}"),
    ] {
        assert_eq!(get(&path).send(&server).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_private_recording_is_there_for_the_operator_alone() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    change(&server, id, &json!({ "visibility": "private" })).await;
    assert_eq!(total(&server, "").await, 0);
    for path in [
        format!("/api/videos/{id}"),
        format!("/hls/videos/{id}/stream.m3u8"),
        format!("/hls/videos/{id}/0/video.m3u8"),
        format!("/hls/videos/{id}/0/0.mp4"),
        format!("/videos/{id}"),
        format!("/embed/video/{id}"),
    ] {
        assert_eq!(get(&path).send(&server).await.status, 404, "{path}");
        let operator = get(&path).by_admin().send(&server).await;
        assert_eq!(operator.status, 200, "{path}");
        if !path.starts_with("/api/") {
            let cache = operator.header("cache-control");
            assert_eq!(cache, "private, no-store", "{path}");
        }
    }
    let own = format!("http%3A%2F%2F{}%2Fvideos%2F{id}", server.address());
    let oembed = get(&format!("/oembed?url={own}")).send(&server).await;
    assert_eq!(oembed.status, 404, "other sites learn nothing");
}

#[tokio::test]
async fn recordings_are_found_by_words_and_tags() {
    let (server, video) = recorded(&["recording_visibility=public"]).await;
    let id = text(&video, "id");
    let words = json!({ "title": "Soup of the day", "summary": "With *bread*", "tags": ["#Cooking", "cooking", "Late"] });
    let changed = change(&server, id, &words).await;
    assert_eq!(changed["tags"], json!(["Cooking", "Late"]));
    for (query, expected) in [
        ("", 1),
        ("?q=soup", 1),
        ("?q=BREAD", 1),
        ("?q=late", 1),
        ("?q=stew", 0),
        ("?q=%25", 0),
        ("?tag=cooking", 1),
        ("?tag=cook", 0),
        ("?q=soup&tag=late", 1),
        ("?offset=1", 1),
    ] {
        assert_eq!(total(&server, query).await, expected, "{query}");
    }
    let behind = get("/api/videos?offset=1").send(&server).await.json();
    assert_eq!(behind["results"], json!([]));
    for query in ["?limit=x", "?offset=-1"] {
        let answer = get(&format!("/api/videos{query}")).send(&server).await;
        assert_eq!(answer.status, 400, "{query}");
    }
}
