use std::sync::Arc;

use bytes::Bytes;
use plugins::host::{MAX_CONNECTION_BYTES, MAX_CONNECTIONS, SseHub, TooManyConnections};
use serde_json::json;

use super::stage::{Stage, all};

fn stage() -> (Stage, Arc<SseHub>) {
    let hub = Arc::new(SseHub::default());
    let streams = Arc::clone(&hub);
    let stage = Stage::with(all(), json!({}), move |parts| parts.streams = streams);
    (stage, hub)
}

#[tokio::test]
async fn pages_hear_their_own_channel_of_their_own_plugin() {
    let (stage, hub) = stage();
    let mut score = hub.connect("door-bell", "score").unwrap();
    let mut usual = hub.connect("door-bell", "").unwrap();
    let mut other = hub.connect("another", "score").unwrap();
    assert!(score.id != usual.id && usual.id != other.id);
    stage
        .ok(
            "sse_send",
            json!({"channel": "score", "event": "goal", "data": "1\n2"}),
        )
        .await;
    stage
        .ok("sse_send", json!({"channel": "", "event": "", "data": 7}))
        .await;
    hub.send("another", "score", "", "end");
    assert_eq!(
        score.next().await.unwrap(),
        "event: goal\ndata: 1\ndata: 2\n\n"
    );
    assert_eq!(usual.next().await.unwrap(), "data: 7\n\n");
    assert_eq!(other.next().await.unwrap(), "data: end\n\n");
}

/// Sends a frame of this size, most of it text.
async fn send(stage: &Stage, channel: &str, bytes: usize) {
    let frame = json!({"channel": channel, "data": "x".repeat(bytes - "data: \n\n".len())});
    stage.ok("sse_send", frame).await;
}

#[tokio::test]
async fn a_page_that_is_too_far_behind_is_cut_off_and_nobody_else_is() {
    let (stage, hub) = stage();
    let mut slow = hub.connect("door-bell", "").unwrap();
    let mut quick = hub.connect("door-bell", "").unwrap();
    // Frames taken from the queue but not sent count too.
    let mut unsent = Vec::new();
    for n in 0..64 {
        send(&stage, "", 32 * 1024).await;
        assert!(quick.next().await.is_some(), "{n}");
        if n < 16 {
            unsent.push(slow.next().await.unwrap());
        }
    }
    assert_eq!(slow.next().await, None);
    assert_eq!(hub.listening("door-bell"), 1);
    let mut again = hub.connect("door-bell", "").unwrap();
    send(&stage, "", 100).await;
    assert!(again.next().await.is_some());
    assert!(quick.next().await.is_some());
}

#[tokio::test]
async fn many_small_frames_at_once_all_arrive() {
    let (stage, hub) = stage();
    let mut page = hub.connect("door-bell", "").unwrap();
    for n in 0..1_000 {
        stage
            .ok("sse_send", json!({"channel": "", "data": n}))
            .await;
    }
    for n in 0..1_000 {
        assert_eq!(page.next().await.unwrap(), format!("data: {n}\n\n"));
    }
}

#[tokio::test]
async fn a_frame_of_a_mebibyte_reaches_everybody_who_reads() {
    let (stage, hub) = stage();
    let mut pages: Vec<_> = (0..MAX_CONNECTIONS)
        .map(|_| hub.connect("door-bell", "").unwrap())
        .collect();
    for _ in 0..3 {
        send(&stage, "", MAX_CONNECTION_BYTES).await;
        for page in &mut pages {
            assert_eq!(page.next().await.unwrap().len(), MAX_CONNECTION_BYTES);
        }
    }
}

const MIB: usize = 1024 * 1024;

fn answer(bytes: usize) -> Bytes {
    Bytes::from(vec![0; bytes])
}

#[tokio::test]
async fn all_slow_pages_of_a_plugin_together_are_bounded_and_so_are_its_answers() {
    let (stage, hub) = stage();
    let pages: Vec<_> = (0..MAX_CONNECTIONS)
        .map(|n| hub.connect("door-bell", &n.to_string()).unwrap())
        .collect();
    for n in 0..MAX_CONNECTIONS {
        send(&stage, &n.to_string(), MAX_CONNECTION_BYTES / 2).await;
    }
    // Two per mebibyte: the listeners furthest behind were dropped for later ones.
    assert_eq!(hub.listening("door-bell"), 32);
    // Answers make space in the same way, and large ones leave half of it to others.
    let large = hub.hold_answer("door-bell", answer(10 * MIB)).unwrap();
    assert_eq!(hub.listening("door-bell"), 16);
    assert_eq!(hub.hold_answer("door-bell", answer(6 * MIB)), None);
    assert!(hub.hold_answer("another", answer(6 * MIB)).is_some());
    let medium: Vec<_> = (0..8)
        .map(|_| hub.hold_answer("door-bell", answer(MIB)).unwrap())
        .collect();
    assert_eq!(hub.listening("door-bell"), 0);
    assert_eq!(hub.hold_answer("door-bell", answer(MIB)), None);
    drop((large, medium));
    assert!(hub.hold_answer("door-bell", answer(6 * MIB)).is_some());
    drop(pages);
}

#[tokio::test]
async fn small_answers_go_on_while_slow_readers_hold_the_rest() {
    let hub = SseHub::default();
    let mut held: Vec<_> = (0..16)
        .map(|_| hub.hold_answer("door-bell", answer(MIB)).unwrap())
        .collect();
    assert_eq!(hub.hold_answer("door-bell", answer(MIB)), None);
    while hub.has_room("door-bell") {
        assert!(held.len() < 1_000, "small answers are bounded as well");
        held.push(hub.hold_answer("door-bell", answer(64 * 1024)).unwrap());
    }
    assert!(held.len() > 200 && hub.has_room("another"));
}

#[tokio::test]
async fn a_file_is_counted_once_for_all_who_read_it() {
    let hub = SseHub::default();
    let read = |digest: &[u8]| hub.hold_file("door-bell", digest, answer(6 * MIB));
    let first = read(b"one").unwrap();
    let second = read(b"one").unwrap();
    assert_eq!(first.as_ptr(), second.as_ptr());
    assert_eq!(read(b"two"), None);
    let part = second.slice(1..2);
    drop((first, second));
    assert_eq!(read(b"two"), None);
    drop(part);
    assert!(read(b"two").is_some());
}

#[tokio::test]
async fn a_frame_of_too_many_lines_is_refused() {
    let (stage, _hub) = stage();
    let lines = |count: usize| json!({"channel": "", "data": "\n".repeat(count)});
    stage.ok("sse_send", lines(10_000)).await;
    let why = stage.refused("sse_send", lines(MIB)).await;
    assert!(why.contains("lines"), "{why}");
}

#[tokio::test]
async fn an_answer_shares_its_bytes() {
    let hub = SseHub::default();
    let body = Bytes::from(vec![7; 1_000]);
    let held = hub.hold_answer("door-bell", body.clone()).unwrap();
    assert_eq!(held.as_ptr(), body.as_ptr());
}

#[tokio::test]
async fn there_is_room_for_so_many_pages_and_unloading_sends_them_away() {
    let (stage, hub) = stage();
    let mut pages: Vec<_> = (0..MAX_CONNECTIONS)
        .map(|_| hub.connect("door-bell", "").unwrap())
        .collect();
    assert_eq!(
        hub.connect("door-bell", "").unwrap_err(),
        TooManyConnections
    );
    hub.connect("another", "").unwrap();
    pages.pop();
    pages.push(hub.connect("door-bell", "").unwrap());
    assert_eq!(hub.listening("door-bell"), MAX_CONNECTIONS);
    stage.host.close();
    for page in &mut pages {
        assert_eq!(page.next().await, None);
    }
    assert_eq!(hub.listening("door-bell"), 0);
}

#[tokio::test]
async fn names_that_would_break_a_frame_are_refused() {
    let (stage, _hub) = stage();
    for args in [
        json!({"channel": "a\nb", "data": "x"}),
        json!({"channel": "", "event": "a\r\ndata: b", "data": "x"}),
        json!({"channel": "", "data": "x".repeat(1024 * 1024 + 1)}),
    ] {
        stage.refused("sse_send", args).await;
    }
}
