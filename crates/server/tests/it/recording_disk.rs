//! What a disk that fills up does to a recording, and to nothing else.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;
use testkit::rtmp::RtmpClient;
use tokio::sync::Mutex;

use crate::http::{get, post, server_with};
use crate::stream::{broadcast, state};

/// The length of the clip.
const CLIP_MS: u32 = 8_000;

/// Gigabytes that have to stay free.
async fn leave_free(server: &TestServer, gigabytes: u32) {
    let limit = json!({ "value": gigabytes });
    let limit = post("/api/admin/config/recording/minfreegigabytes", &limit).by_admin();
    assert_eq!(limit.send(server).await.status, 200);
}

/// A publisher that goes on and on.
struct EndlessPublisher {
    client: RtmpClient,
    sent_ms: u32,
}

impl EndlessPublisher {
    async fn send(&mut self) {
        self.sent_ms += CLIP_MS;
        let sent = self.client.send_clip("plain", self.sent_ms).await;
        sent.unwrap();
    }
}

#[tokio::test]
async fn recording_pauses_while_too_little_is_free_and_the_stream_goes_on() {
    let server = server_with(&["recording=on"]).await;
    leave_free(&server, 0).await;
    let publisher = Mutex::new(EndlessPublisher {
        client: broadcast(&server).await,
        sent_ms: 0,
    });
    let recording = async |what: &str, is_wanted: fn(&Value) -> bool| {
        eventually(what, || async {
            publisher.lock().await.send().await;
            let page = get("/api/admin/videos").by_admin();
            let live = page.send(&server).await.json()["live"].clone();
            is_wanted(&live).then_some(live)
        })
        .await
    };
    let begun = recording("it is recorded", |live| live["isPaused"] == false).await;

    // More than any disk has.
    leave_free(&server, 100_000).await;
    let paused = recording("it pauses", |live| {
        live["isPaused"] == true && live["lost"].as_u64() > Some(0)
    });
    assert_eq!(paused.await["id"], begun["id"]);
    state(&server, "live").await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert_eq!(playlist.status, 200, "{playlist:?}");

    leave_free(&server, 0).await;
    let resumed = recording("it goes on", |live| live["isPaused"] == false);
    assert_eq!(resumed.await["id"], begun["id"]);
}
