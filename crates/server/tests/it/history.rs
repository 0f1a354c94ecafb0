//! Statistics of past broadcasts.

use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;

use crate::http::{get, post, set_up_server};
use crate::stream::broadcast;

/// A broadcast with this many viewers at once.
async fn broadcast_for(server: &TestServer, viewers: usize) {
    let mut client = broadcast(server).await;
    for viewer in 0..viewers {
        let ping = get("/api/ping").header("user-agent", &format!("player {viewer}"));
        assert_eq!(ping.send(server).await.status, 200);
    }
    eventually("all of them are counted", || async {
        let status = get("/api/status").send(server).await.json();
        (status["viewerCount"] == viewers).then_some(())
    })
    .await;
    client.unpublish().await.unwrap();
}

/// The peak viewer counts of this many past broadcasts, newest first.
async fn peaks(server: &TestServer, broadcasts: usize) -> Vec<u64> {
    eventually("the history has them all", || async {
        let history = get("/api/admin/streams").by_admin().send(server).await;
        let history = history.json();
        let ended = history.as_array().unwrap().iter();
        let ended = ended.filter(|one| one["endedAt"].is_string());
        let peaks: Vec<u64> = ended
            .map(|one| one["peakViewers"].as_u64().unwrap())
            .collect();
        (peaks.len() == broadcasts).then_some(peaks)
    })
    .await
}

#[tokio::test]
async fn the_history_says_how_many_watched_each_broadcast_at_most() {
    let server = set_up_server().await;
    broadcast_for(&server, 3).await;
    assert_eq!(peaks(&server, 1).await, [3]);
    broadcast_for(&server, 1).await;
    assert_eq!(peaks(&server, 2).await, [1, 3]);
    for (limit, listed) in [("1", 1), ("99999", 2)] {
        let path = format!("/api/admin/streams?limit={limit}");
        let history = get(&path).by_admin().send(&server).await.json();
        assert_eq!(history.as_array().unwrap().len(), listed, "{limit}");
    }
    let wrong = get("/api/admin/streams?limit=all").by_admin();
    assert_eq!(wrong.send(&server).await.status, 400);

    // The numbers survive a restart, so they are stored.
    let folder = server.stop().await;
    let server = TestServer::start_in(folder, Options::default()).await;
    assert_eq!(peaks(&server, 2).await, [1, 3]);
    let status = get("/api/admin/status").by_admin().send(&server).await;
    assert_eq!(status.json()["overallPeakViewerCount"], 3);
}

#[tokio::test]
async fn previews_of_the_operator_are_no_viewers() {
    let server = set_up_server().await;
    let mut client = broadcast(&server).await;
    let preview = "http://127.0.0.1/embed/video?initiallyMuted=true&preview=true";
    for path in ["/api/ping?sid=a", "/hls/stream.m3u8", "/hls/0/video.m3u8"] {
        let asked = get(path).header("referer", preview);
        assert_eq!(asked.send(&server).await.status, 200, "{path}");
    }
    let ping = get("/api/ping").header("referer", "http://127.0.0.1/");
    assert_eq!(ping.send(&server).await.status, 200);
    client.unpublish().await.unwrap();
    assert_eq!(peaks(&server, 1).await, [1]);
}

#[tokio::test]
async fn a_past_broadcast_has_the_last_title_it_was_shown_with() {
    let server = set_up_server().await;
    let title = |title: &str| {
        let body = json!({ "value": title });
        post("/api/admin/config/streamtitle", &body).by_admin()
    };
    title("Warming up").send(&server).await;
    let mut client = broadcast(&server).await;
    title("The last boss").send(&server).await;
    client.unpublish().await.unwrap();
    peaks(&server, 1).await;
    let history = get("/api/admin/streams").by_admin().send(&server).await;
    assert_eq!(history.json()[0]["title"], "The last boss");
}
