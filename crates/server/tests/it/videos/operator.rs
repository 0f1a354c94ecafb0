//! What the operator does with recordings.

use serde_json::json;
use testkit::eventually;

use super::{ask, change, finished, list, recorded, text, total};
use crate::http::{get, post, request, server_with};
use crate::stream::{broadcast, state};

#[tokio::test]
async fn a_deleted_recording_is_gone_at_once() {
    let (server, video) = recorded(&["recording_visibility=public"]).await;
    let id = text(&video, "id");
    assert_eq!(list(&server, id).await.status, 200);
    let deleted = ask(&server, "DELETE", id, &json!({})).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    assert_eq!(total(&server, "").await, 0);
    for path in [
        format!("/api/videos/{id}"),
        format!("/hls/videos/{id}/stream.m3u8"),
        format!("/hls/videos/{id}/0/video.m3u8"),
        format!("/hls/videos/{id}/0/0.mp4"),
        format!("/videos/{id}"),
    ] {
        assert_eq!(get(&path).send(&server).await.status, 404, "{path}");
    }
    for method in ["GET", "PATCH", "DELETE"] {
        let again = ask(&server, method, id, &json!({})).await;
        assert_eq!(again.status, 404, "{method}");
        assert_eq!(again.json()["code"], "recording-unknown", "{method}");
    }
}

#[tokio::test]
async fn a_recording_that_goes_on_is_for_the_operator_and_ends_before_it_is_deleted() {
    let settings = [
        "recording=on",
        "recording_min_free_gigabytes=0",
        "recording_visibility=public",
    ];
    let server = server_with(&settings).await;
    let mut client = broadcast(&server).await;
    let running = eventually("it is being recorded", || async {
        let page = get("/api/admin/videos")
            .by_admin()
            .send(&server)
            .await
            .json();
        let is_there =
            page["results"][0]["state"] == "recording" && page["live"]["isRing"] == false;
        is_there.then_some(page)
    })
    .await;
    let id = text(&running["results"][0], "id");
    assert_eq!(running["live"]["id"], id);
    assert_eq!(running["live"]["lost"], 0);
    assert!(running["folder"]["free"].as_u64() > Some(0), "{running}");
    assert_eq!(total(&server, "").await, 0, "nobody sees half of it");
    let path = format!("/hls/videos/{id}/stream.m3u8");
    assert_eq!(get(&path).by_admin().send(&server).await.status, 404);
    for (method, body) in [("DELETE", json!({})), ("PATCH", json!({ "trimStart": 2 }))] {
        let refused = ask(&server, method, id, &body).await;
        assert_eq!(refused.status, 409, "{method}: {refused:?}");
        assert_eq!(refused.json()["code"], "recording-running");
    }
    // Words can be changed before it is over.
    let named = change(&server, id, &json!({ "title": "Soup", "isKept": true })).await;
    assert_eq!(
        (text(&named, "title"), &named["isKept"]),
        ("Soup", &json!(true))
    );
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
    assert_eq!(text(&finished(&server).await, "title"), "Soup");
    assert_eq!(total(&server, "").await, 1);
}

#[tokio::test]
async fn the_stream_that_is_live_can_be_recorded_by_a_button_and_no_longer() {
    let server = server_with(&["rewind_minutes=10", "recording_min_free_gigabytes=0"]).await;
    let ask = async |method: &str| {
        let request = request(method, "/api/admin/videos/record").by_admin();
        request.send(&server).await
    };
    for method in ["POST", "DELETE"] {
        let nothing = ask(method).await;
        assert_eq!(nothing.status, 400, "{method}: {nothing:?}");
        assert_eq!(nothing.json()["code"], "not-live");
    }
    let mut client = broadcast(&server).await;
    let page = async || {
        get("/api/admin/videos")
            .by_admin()
            .send(&server)
            .await
            .json()
    };
    let ring = eventually("what can be rewound is kept", || async {
        let page = page().await;
        (page["live"]["isRing"] == true).then_some(page)
    })
    .await;
    assert_eq!(ring["total"], 0, "that is no recording");
    assert_eq!(ask("POST").await.status, 200);
    eventually("it is a recording", || async {
        let page = page().await;
        (page["live"]["isRing"] == false && page["total"] == 1).then_some(())
    })
    .await;
    assert_eq!(ask("DELETE").await.status, 200);
    let video = finished(&server).await;
    let duration = video["recordedDuration"].as_f64().unwrap();
    assert!(
        duration > 5.0,
        "from the beginning of what was kept: {video}"
    );
    client.unpublish().await.unwrap();
    state(&server, "offline").await;
}

#[tokio::test]
async fn changes_that_cannot_be_are_refused_and_say_why() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    let before = get(&format!("/api/admin/videos/{id}")).by_admin();
    let mut before = before.send(&server).await.json();
    for (body, code) in [
        (json!({ "title": "x".repeat(201) }), "recording-text"),
        (json!({ "summary": "x".repeat(10_001) }), "recording-text"),
        (json!({ "tags": ["x".repeat(61)] }), "recording-tags"),
        (json!({ "trimStart": 4, "trimEnd": 2 }), "recording-marks"),
        (json!({ "trimStart": 100 }), "recording-marks"),
        (json!({ "trimEnd": 0 }), "recording-marks"),
    ] {
        let refused = ask(&server, "PATCH", id, &body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert_eq!(refused.json()["code"], code, "{body}");
    }
    for body in [
        json!({ "visibility": "secret" }),
        json!({ "title": 7 }),
        json!({ "title": "two\nlines" }),
        json!([]),
    ] {
        let refused = ask(&server, "PATCH", id, &body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
    }
    let mut after = change(&server, id, &json!({})).await;
    // It is drawn meanwhile.
    before["thumbnail"].take();
    after["thumbnail"].take();
    assert_eq!(after, before);
}

#[tokio::test]
async fn files_that_are_gone_are_told_to_the_operator_and_to_viewers_as_nothing() {
    let (server, video) = recorded(&["recording_visibility=public"]).await;
    let id = text(&video, "id");
    assert_eq!(video["errors"], json!([]));
    let folder = server.folder.path().join("data/recordings").join(id);
    std::fs::remove_file(folder.join("audio/0.mp4")).unwrap();
    let file = format!("/hls/videos/{id}/audio/0.mp4");
    assert_eq!(get(&file).send(&server).await.status, 404);
    let picture = format!("/hls/videos/{id}/0/0.mp4");
    assert_eq!(
        get(&picture).send(&server).await.status,
        200,
        "the rest plays"
    );
    let item = get(&format!("/api/admin/videos/{id}")).by_admin();
    let item = item.send(&server).await.json();
    assert_eq!(item["errors"][0]["code"], "files-missing", "{item}");
}

#[tokio::test]
async fn recordings_of_the_operator_are_for_nobody_else() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    for (method, path) in [
        ("GET", "/api/admin/videos".to_owned()),
        ("GET", format!("/api/admin/videos/{id}")),
        ("PATCH", format!("/api/admin/videos/{id}")),
        ("DELETE", format!("/api/admin/videos/{id}")),
        ("POST", "/api/admin/videos/record".to_owned()),
        ("DELETE", "/api/admin/videos/record".to_owned()),
    ] {
        let answer = request(method, &path).raw_body("{}").send(&server).await;
        assert_eq!(answer.status, 401, "{method} {path}");
    }
    let posted = post("/api/videos", &json!({})).send(&server).await;
    assert_eq!(posted.status, 405);
}
