use std::sync::Arc;

use plugins::host::{Full, Hub, MAX_CONNECTIONS, Streams};
use serde_json::json;

use super::stage::{Stage, all};

fn stage() -> (Stage, Arc<Hub>) {
    let hub = Arc::new(Hub::default());
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

#[tokio::test]
async fn a_slow_page_loses_frames_and_nobody_else_does() {
    let (stage, hub) = stage();
    let mut slow = hub.connect("door-bell", "").unwrap();
    let mut quick = hub.connect("door-bell", "").unwrap();
    for n in 0..20 {
        stage
            .ok("sse_send", json!({"channel": "", "data": n}))
            .await;
        assert_eq!(quick.next().await.unwrap(), format!("data: {n}\n\n"));
    }
    for n in 0..16 {
        assert_eq!(slow.next().await.unwrap(), format!("data: {n}\n\n"));
    }
    stage
        .ok("sse_send", json!({"channel": "", "data": "next"}))
        .await;
    assert_eq!(slow.next().await.unwrap(), "data: next\n\n");
}

#[tokio::test]
async fn there_is_room_for_so_many_pages_and_unloading_sends_them_away() {
    let (stage, hub) = stage();
    let mut pages: Vec<_> = (0..MAX_CONNECTIONS)
        .map(|_| hub.connect("door-bell", "").unwrap())
        .collect();
    assert_eq!(hub.connect("door-bell", "").unwrap_err(), Full);
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
