//! Qualities, encoders and their cost, over the admin API.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use crate::http::{Answer, get, post, server_with, set_up_server};
use crate::stream::{broadcast, broadcast_of};

const ENCODERS: &str = "/api/admin/video/encoders";
const MEASURE: &str = "/api/admin/video/measure";
const LADDER: &str = "/api/admin/video/ladder";
const NO_FFMPEG: &str = "ffmpeg_path=/nowhere/ffmpeg";

/// Small enough for any machine that runs the tests.
fn small() -> Value {
    json!([
        { "videoPassthrough": true },
        { "name": "Small", "scaledHeight": 90, "videoBitrate": 100, "framerate": 10, "cpuUsageLevel": 0 },
        { "name": "Twin", "scaledHeight": 90, "videoBitrate": 100, "framerate": 10, "cpuUsageLevel": 0 },
    ])
}

fn small_source() -> Value {
    json!({ "width": 320, "height": 180, "framerate": 30 })
}

/// The encoders and whether each works; ffmpeg's error messages vary.
fn usable(list: &Value) -> Vec<(String, bool)> {
    let encoders = list["encoders"].as_array().unwrap().iter();
    let pair = |one: &Value| (one["name"].to_string(), one["usable"].as_bool().unwrap());
    encoders.map(pair).collect()
}

async fn measure(server: &TestServer, wish: &Value) -> Answer {
    post(MEASURE, wish).by_admin().send(server).await
}

/// Sets the list of qualities.
async fn choose(server: &TestServer, list: &Value) {
    let change = json!({ "value": list });
    let change = post("/api/admin/config/video/streamoutputvariants", &change).by_admin();
    assert_eq!(change.send(server).await.status, 200);
}

#[tokio::test]
async fn without_ffmpeg_the_operator_is_told_how_to_get_it() {
    let server = server_with(&[NO_FFMPEG]).await;
    let list = get(ENCODERS).by_admin().send(&server).await.json();
    assert_eq!(list["ffmpeg"]["found"], json!(false));
    let message = list["ffmpeg"]["message"].as_str().unwrap();
    assert!(message.contains("apt install ffmpeg"), "{message}");
    assert!(message.contains("ffmpeg_path"), "{message}");
    let encoders = list["encoders"].as_array().unwrap();
    assert!(encoders.iter().all(|one| one["usable"] == json!(false)));

    let wish = json!({ "variants": small(), "source": small_source() });
    let cost = measure(&server, &wish).await.json();
    assert_eq!(
        (&cost["verdict"], &cost["speedPercent"]),
        (&json!("failed"), &Value::Null)
    );
    let message = cost["message"].as_str().unwrap();
    assert!(message.contains("ffmpeg_path"), "{message}");
}

#[tokio::test]
async fn what_is_passed_through_costs_nothing_and_needs_no_ffmpeg() {
    let server = server_with(&[NO_FFMPEG]).await;
    let cost = measure(&server, &json!({})).await.json();
    assert_eq!(
        (&cost["verdict"], &cost["speedPercent"]),
        (&json!("free"), &Value::Null)
    );
    assert_eq!(
        cost["source"],
        json!({ "width": 1920, "height": 1080, "framerate": 30 })
    );
}

#[tokio::test]
async fn a_wish_that_makes_no_sense_is_refused_with_the_reason() {
    let server = set_up_server().await;
    for (wish, word) in [
        (json!({ "variants": [{ "framerate": 999 }] }), "framerate"),
        (json!({ "variants": vec![json!({}); 21] }), "21"),
        (json!({ "variants": "many" }), "expected"),
        (
            json!({ "encoder": "libx264 -f null" }),
            "libx264, h264_nvenc",
        ),
        (
            json!({ "source": { "width": 0, "height": 90, "framerate": 30 } }),
            "width",
        ),
        (
            json!({ "source": { "width": 160, "height": 90, "framerate": 0 } }),
            "framerate",
        ),
    ] {
        let answer = measure(&server, &wish).await;
        assert_eq!(answer.status, 400, "{wish}: {answer:?}");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(word), "{wish}: {message}");
    }
}

#[tokio::test]
async fn only_the_operator_hears_about_encoders() {
    let server = set_up_server().await;
    for path in [ENCODERS, LADDER] {
        assert_eq!(get(path).send(&server).await.status, 401, "{path}");
    }
    assert_eq!(post(MEASURE, &json!({})).send(&server).await.status, 401);
}

#[tokio::test]
async fn while_nothing_is_encoded_there_is_no_encoder_to_tell_of() {
    let server = set_up_server().await;
    let answer = get(LADDER).by_admin().send(&server).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "ladder": null }))
    );
}

#[tokio::test]
async fn qualities_are_listed_best_first_by_their_names_and_places() {
    let server = set_up_server().await;
    let fresh = get("/api/video/variants").send(&server).await.json();
    assert_eq!(fresh, json!([{ "name": "Source", "index": 0 }]));
    let list = json!([
        { "name": "Small", "scaledHeight": 360, "videoBitrate": 700 },
        { "videoPassthrough": true },
        { "scaledHeight": 720, "videoBitrate": 2500 },
    ]);
    choose(&server, &list).await;
    let listed = get("/api/video/variants").send(&server).await.json();
    assert_eq!(
        listed,
        json!([
            { "name": "Source", "index": 1 },
            { "name": "720h", "index": 2 },
            { "name": "Small", "index": 0 },
        ])
    );
}

#[tokio::test]
async fn qualities_keep_their_names_when_the_list_is_edited_while_they_are_encoded() {
    let server = set_up_server().await;
    choose(&server, &small()).await;
    let _client = broadcast(&server).await;
    let ladder = || async {
        let told = get(LADDER).by_admin().send(&server).await.json();
        Some(told["ladder"].clone()).filter(|ladder| !ladder.is_null())
    };
    eventually("an encoder", ladder).await;
    let other = json!([{ "name": "Other", "scaledHeight": 120 }, { "name": "Another" }]);
    choose(&server, &other).await;

    let told = ladder().await.unwrap();
    assert_eq!(told["rungs"][0]["name"], json!("Small"), "{told}");
    assert_eq!(told["leftOut"][0]["name"], json!("Twin"), "{told}");
    let listed = get("/api/video/variants").send(&server).await.json();
    let names = listed.as_array().unwrap().iter();
    let names: Vec<_> = names.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Source", "Small", "Twin"]);
    let status = get("/api/admin/status").by_admin().send(&server).await;
    let status = status.json();
    let running = &status["currentBroadcast"]["outputSettings"];
    assert_eq!(running[1]["name"], json!("Small"), "{running}");
}

#[tokio::test]
async fn hevc_is_called_what_programs_know_it_by() {
    let server = server_with(&[]).await;
    let _client = broadcast_of(&server, "hevc-opus").await;
    let status = get("/api/admin/status").by_admin().send(&server).await;
    let status = status.json();
    let details = &status["broadcaster"]["streamDetails"];
    assert_eq!(
        (&details["videoCodec"], &details["audioCodec"]),
        (&json!("H.265"), &json!("Opus"))
    );
    let report = get("/api/admin/stream").by_admin().send(&server).await;
    assert_eq!(report.json()["video"]["codec"], json!("HEVC"));
}

/// These tests measure encoders, so nothing else may run beside them.
mod alone {
    use super::*;

    #[tokio::test]
    async fn the_operator_learns_which_encoders_work_here_and_why_others_do_not() {
        let server = set_up_server().await;
        let answer = get(ENCODERS).by_admin().send(&server).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let list = answer.json();
        assert_eq!(list["ffmpeg"]["found"], json!(true));
        assert_eq!(list["chosen"], json!("libx264"));
        let encoders = list["encoders"].as_array().unwrap();
        assert_eq!(encoders[0]["name"], json!("libx264"));
        assert_eq!(encoders[0]["usable"], json!(true));
        for encoder in encoders {
            let has_reason = !encoder["reason"].as_str().unwrap().is_empty();
            assert_eq!(encoder["usable"], json!(!has_reason), "{encoder}");
        }
        let wrong = get(&format!("{ENCODERS}?again=perhaps")).by_admin();
        assert_eq!(wrong.send(&server).await.status, 400);
        let again = get(&format!("{ENCODERS}?again=true")).by_admin();
        let tried = again.send(&server).await.json();
        assert_eq!(usable(&tried), usable(&list));
    }

    #[tokio::test]
    async fn while_a_stream_is_on_no_encoder_is_tried_unless_the_operator_insists() {
        let server = server_with(&[]).await;
        let _client = broadcast(&server).await;
        let first = async |path: &str| {
            let list = get(path).by_admin().send(&server).await.json();
            assert_eq!(list["ffmpeg"]["found"], json!(true));
            list["encoders"][0].clone()
        };
        let untried = first(ENCODERS).await;
        assert_eq!(
            (&untried["tried"], &untried["usable"]),
            (&json!(false), &json!(false))
        );
        let reason = untried["reason"].as_str().unwrap();
        assert!(reason.contains("again=true"), "{reason}");
        let tried = first(&format!("{ENCODERS}?again=true")).await;
        assert_eq!(
            (&tried["tried"], &tried["usable"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(first(ENCODERS).await, tried, "what is known is told");
    }

    #[tokio::test]
    async fn what_qualities_cost_is_measured_before_anybody_broadcasts() {
        let server = set_up_server().await;
        let wish = json!({ "variants": small(), "source": small_source() });
        let answer = measure(&server, &wish).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let cost = answer.json();
        assert!(cost["speedPercent"].as_u64().unwrap() > 0, "{cost}");
        assert!(!cost["message"].as_str().unwrap().is_empty());
        assert_eq!(
            cost["rungs"],
            json!([{ "variant": 1, "name": "Small", "width": 160, "height": 90, "framerate": 10.0, "kbps": 100 }])
        );
        assert_eq!(cost["leftOut"][0]["name"], json!("Twin"));
        let reason = cost["leftOut"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("same as quality 2"), "{reason}");
    }

    #[tokio::test]
    async fn a_quality_with_less_sound_is_another_one_and_is_measured_with_it() {
        let server = set_up_server().await;
        let mut list = small();
        list[2]["audioPassthrough"] = json!(false);
        list[2]["audioBitrate"] = json!(64);
        let wish = json!({ "variants": list, "source": small_source() });
        let cost = measure(&server, &wish).await.json();
        assert_eq!(cost["rungs"].as_array().unwrap().len(), 2, "{cost}");
        assert_eq!(cost["leftOut"], json!([]), "{cost}");
        assert!(cost["speedPercent"].as_u64().unwrap() > 0, "{cost}");
    }

    #[tokio::test]
    async fn a_running_stream_is_not_disturbed_by_a_measurement_unless_the_operator_insists() {
        let server = server_with(&[]).await;
        let _client = broadcast(&server).await;
        let mut wish = json!({ "variants": small(), "source": small_source() });
        let refused = measure(&server, &wish).await;
        assert_eq!(refused.status, 409, "{refused:?}");
        assert!(
            refused.json()["message"]
                .as_str()
                .unwrap()
                .contains("whileLive")
        );
        wish["whileLive"] = json!(true);
        assert_eq!(measure(&server, &wish).await.status, 200);
    }
}
