//! When a broadcast is recorded, and that a restart does not end its recording.

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;
use testkit::playlist::boxes;

use crate::http::{PASSWORD, get, post, server_with};
use crate::stream::{broadcast, state};
use crate::videos::finished;

fn options(set: &[&str]) -> Options {
    Options {
        admin_password: Some(PASSWORD.into()),
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
        ..Options::default()
    }
}

async fn videos(server: &TestServer) -> Value {
    let page = get("/api/admin/videos").by_admin();
    page.send(server).await.json()
}

/// The log of the broadcast, once it is there.
async fn live(server: &TestServer) -> Value {
    eventually("something is written", || async {
        let live = videos(server).await["live"].clone();
        live.is_object().then_some(live)
    })
    .await
}

async fn file(server: &TestServer, id: &str, folder: &str, number: u32) -> Vec<u8> {
    let path = format!("/hls/videos/{id}/{folder}/{number}.mp4");
    let answer = get(&path).by_admin().send(server).await;
    assert_eq!(answer.status, 200, "{path}");
    answer.bytes.to_vec()
}

#[tokio::test]
async fn a_broadcast_that_goes_on_after_a_restart_is_one_recording_whose_time_never_goes_back() {
    let set = ["recording=on", "recording_min_free_gigabytes=0"];
    let server = server_with(&set).await;
    let client = broadcast(&server).await;
    let id = live(&server).await["id"].as_str().unwrap().to_owned();
    let folder = server.stop().await;
    drop(client);

    let server = TestServer::start_in(folder, options(&set)).await;
    state(&server, "waiting").await;
    let mut client = broadcast(&server).await;
    assert_eq!(live(&server).await["id"], json!(id));
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    let video = finished(&server).await;
    assert_eq!(video["id"], json!(id));
    assert_eq!(videos(&server).await["total"], 1);
    let duration = video["duration"].as_f64().unwrap();
    assert!((12.0..=18.0).contains(&duration), "{video}");

    for folder in ["0", "audio"] {
        let [before, after] = [0, 1].map(|number| file(&server, &id, folder, number));
        let (before, after) = (before.await, after.await);
        let track = boxes::track(&before).unwrap();
        let last = boxes::fragments(&before, Some(&track)).unwrap();
        let first = boxes::fragments(&after, Some(&track)).unwrap();
        let end = last.last().unwrap().base_time + last.last().unwrap().duration;
        assert!(first[0].base_time >= end, "{folder}: {first:?} after {end}");
        let hole = (first[0].base_time - end) / u64::from(track.timescale);
        assert!(hole < 2, "{folder}: {hole} s are missing");
    }
}

#[tokio::test]
async fn by_key_only_what_is_sent_with_a_key_that_says_so_is_recorded() {
    let set = ["recording=by_key", "recording_min_free_gigabytes=0"];
    let server = server_with(&set).await;
    let mut client = broadcast(&server).await;
    client.unpublish().await.unwrap();
    state(&server, "offline").await;

    let keys = json!({ "value": [{ "key": "keep-this", "comment": "", "record": true }] });
    let set = post("/api/admin/config/streamkeys", &keys).by_admin();
    assert_eq!(set.send(&server).await.status, 200);
    let (mut client, _) =
        testkit::rtmp::RtmpClient::publish(server.rtmp_address(), "live", "keep-this")
            .await
            .unwrap();
    client.send_clip("plain", 0).await.unwrap();
    state(&server, "live").await;
    let id = live(&server).await["id"].clone();
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    assert_eq!(finished(&server).await["id"], id);
    assert_eq!(videos(&server).await["total"], 1);
}

#[tokio::test]
async fn what_is_kept_to_go_back_is_no_recording() {
    let set = ["rewind_minutes=10", "recording_min_free_gigabytes=0"];
    let server = server_with(&set).await;
    let mut client = broadcast(&server).await;
    let live = live(&server).await;
    assert_eq!(live["isRing"], true, "{live}");
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    assert_eq!(videos(&server).await["total"], 0);
}
