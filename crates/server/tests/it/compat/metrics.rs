//! What players report, and what the operator sees of it.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use crate::http::{Request, get, post, request, set_up_server};
use crate::stream::broadcast;

async fn status(server: &TestServer, request: Request) -> u16 {
    request.send(server).await.status
}

#[tokio::test]
async fn reports_are_taken_as_an_object_a_list_a_query_and_headers() {
    let server = set_up_server().await;
    let report = json!({ "v": 2, "sid": "6e2f", "e": "ps", "ts": 1_700_000_000_000_i64, "sta": "p", "mtp": [4200],
        "ltc": 2500, "bs": false, "sn": 1 });
    let several = json!([report, report]);
    for body in [&report, &several] {
        let answer = post("/api/metrics/cmcd", body).send(&server).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    }
    let query = get("/api/metrics/cmcd?CMCD=bs%2Cmtp%3D25400%2Csid%3D%226e2f%22");
    assert_eq!(status(&server, query).await, 200);
    let headers = get("/api/metrics/cmcd")
        .header("cmcd-request", "mtp=25400")
        .header("cmcd-session", "sid=\"6e2f\",v=1");
    assert_eq!(status(&server, headers).await, 200);
    let lines = request("POST", "/api/metrics/cmcd")
        .header("content-type", "application/cmcd")
        .raw_body("e=ps,sta=p,v=2\ne=e,v=2\n");
    assert_eq!(status(&server, lines).await, 200);
}

#[tokio::test]
async fn what_is_no_report_is_a_400_envelope() {
    let server = set_up_server().await;
    for body in ["{not json", "{}", "[]", "", "7", "not json"] {
        let answer = request("POST", "/api/metrics/cmcd").raw_body(body);
        let answer = answer.send(&server).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{body}"
        );
    }
    assert_eq!(status(&server, get("/api/metrics/cmcd")).await, 400);
    let large = json!({ "sid": "x".repeat(70_000) });
    assert_eq!(
        status(&server, post("/api/metrics/cmcd", &large)).await,
        413
    );
}

#[tokio::test]
async fn a_page_elsewhere_may_report() {
    let server = set_up_server().await;
    let preflight = request("OPTIONS", "/api/metrics/cmcd")
        .header("origin", "https://player.example")
        .send(&server)
        .await;
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    assert_eq!(
        preflight.header("access-control-allow-methods"),
        "GET, POST, OPTIONS"
    );
    assert_eq!(
        preflight.header("access-control-allow-headers"),
        "Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session"
    );
}

#[tokio::test]
async fn a_report_in_the_old_form_is_taken() {
    let server = set_up_server().await;
    let report = json!({ "bandwidth": 4200.5, "latency": 3, "downloadDuration": 0.4, "errors": 1,
        "qualityVariantChanges": 2 });
    let answer = post("/api/metrics/playback", &report).send(&server).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    let bad = request("POST", "/api/metrics/playback").raw_body("{");
    assert_eq!(status(&server, bad).await, 400);
}

#[tokio::test]
async fn the_operator_sees_who_watches_and_how_it_plays_for_them() {
    let server = set_up_server().await;
    assert_eq!(admin(&server, "viewers").await, json!([]));
    let _client = broadcast(&server).await;
    get("/hls/stream.m3u8")
        .header("user-agent", "Watching/1")
        .send(&server)
        .await;
    let report = json!({ "bandwidth": 4200, "latency": 3.5, "downloadDuration": 0, "errors": 2 });
    post("/api/metrics/playback", &report)
        .header("user-agent", "Reporting/1")
        .send(&server)
        .await;
    let state = json!({ "v": 2, "sta": "r", "bs": true });
    post("/api/metrics/cmcd", &state)
        .header("user-agent", "Reporting/1")
        .send(&server)
        .await;
    let viewers = admin(&server, "viewers").await;
    let viewers = viewers.as_array().unwrap();
    assert_eq!(viewers.len(), 2, "{viewers:?}");
    assert_eq!(
        (&viewers[0]["userAgent"], &viewers[0]["ipAddress"]),
        (&json!("Watching/1"), &json!("127.0.0.1"))
    );
    assert!(viewers[0]["firstSeen"].is_string() && viewers[0]["geo"].is_null());
    let playing = admin(&server, "viewers/playback").await;
    assert_eq!(playing[0]["playback"], json!(null));
    assert_eq!(playing[1]["clientID"], viewers[1]["clientID"]);
    let playback = &playing[1]["playback"];
    assert_eq!(playback["source"], "client");
    assert_eq!(playback["playerState"], "rebuffering");
    assert_eq!(
        (&playback["bandwidthKbps"], &playback["latencySeconds"]),
        (&json!(4200.0), &json!(3.5))
    );
    assert_eq!(
        playback["downloadSeconds"],
        json!(null),
        "zero is nothing measured"
    );
    assert_eq!(playback["errorCount"], json!(3));
    let health = admin(&server, "status").await["health"].clone();
    assert_eq!(
        (&health["healthy"], &health["healthPercentage"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(
        (&health["players"], &health["troubledPlayers"]),
        (&json!(1), &json!(1))
    );
    let message = health["message"].as_str().unwrap();
    assert!(message.starts_with("1 of 1 player stalls"), "{message}");
}

#[tokio::test]
async fn ten_players_behind_one_address_are_ten_viewers_and_a_thousand_are_twenty() {
    let server = set_up_server().await;
    let _client = broadcast(&server).await;
    let play = async |sessions: std::ops::Range<u32>| {
        for session in sessions {
            get("/hls/stream.m3u8").send(&server).await;
            get(&format!("/api/ping?sid=player-{session}"))
                .send(&server)
                .await;
        }
    };
    play(0..10).await;
    let viewers = admin(&server, "viewers/playback").await;
    let viewers = viewers.as_array().unwrap();
    assert_eq!(viewers.len(), 10, "{viewers:?}");
    assert_eq!(viewers[0]["clientID"], viewers[9]["clientID"]);
    assert_ne!(viewers[0]["viewerID"], viewers[9]["viewerID"]);
    let report = json!({ "bandwidth": 100, "latency": 3.5, "errors": 2 });
    post("/api/metrics/playback?sid=player-3", &report)
        .send(&server)
        .await;
    let cmcd = json!({ "v": 2, "sid": "player-4", "sta": "p", "mtp": [9000] });
    post("/api/metrics/cmcd", &cmcd).send(&server).await;
    let viewers = admin(&server, "viewers/playback").await;
    let bandwidths: Vec<&Value> = viewers.as_array().unwrap().iter().collect();
    let reported = |bandwidth: f64| {
        let with = |one: &&&Value| one["playback"]["bandwidthKbps"] == json!(bandwidth);
        bandwidths.iter().filter(with).count()
    };
    assert_eq!((reported(100.0), reported(9000.0)), (1, 1), "{viewers}");
    play(10..1000).await;
    eventually("twenty viewers", || async {
        let status = get("/api/status").send(&server).await.json();
        (status["viewerCount"] == 20).then_some(())
    })
    .await;
    assert_eq!(
        admin(&server, "viewers").await.as_array().unwrap().len(),
        20
    );
}

async fn admin(server: &TestServer, path: &str) -> Value {
    let answer = get(&format!("/api/admin/{path}")).by_admin();
    answer.send(server).await.json()
}

#[tokio::test]
async fn the_machine_is_looked_at_soon_after_the_start() {
    let server = set_up_server().await;
    let stats = eventually("a first sample", || async {
        let stats = admin(&server, "hardwarestats").await;
        (!stats["cpu"].as_array()?.is_empty()).then_some(stats)
    })
    .await;
    for series in ["cpu", "memory", "disk"] {
        let point = &stats[series][0];
        assert!(point["time"].is_string(), "{stats}");
        assert!(
            (0.0..=100.0).contains(&point["value"].as_f64().unwrap()),
            "{stats}"
        );
    }
}

#[tokio::test]
async fn viewers_over_time_begin_where_they_are_asked_to() {
    let server = set_up_server().await;
    let all = eventually("a first count", || async {
        let points = admin(&server, "viewersOverTime?windowStart=0").await;
        (!points.as_array()?.is_empty()).then_some(points)
    })
    .await;
    assert_eq!(all[0]["value"], json!(0.0));
    let later = admin(&server, "viewersOverTime?windowStart=4000000000").await;
    assert_eq!(later, json!([]));
    for bad in [
        "",
        "?windowStart=",
        "?windowStart=soon",
        "?windowStart=99999999999999",
    ] {
        let answer = get(&format!("/api/admin/viewersOverTime{bad}"))
            .by_admin()
            .send(&server)
            .await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn series_about_video_are_lists_from_the_first_moment() {
    let server = set_up_server().await;
    let metrics = admin(&server, "metrics/video").await;
    for series in [
        "errors",
        "qualityVariantChanges",
        "highestLatency",
        "medianLatency",
        "lowestLatency",
        "medianSegmentDownloadDuration",
        "maximumSegmentDownloadDuration",
        "minimumSegmentDownloadDuration",
        "minPlayerBitrate",
        "medianPlayerBitrate",
        "maxPlayerBitrate",
        "availableBitrates",
    ] {
        assert!(metrics[series].is_array(), "{series}");
    }
    assert_eq!(
        (&metrics["segmentLength"], &metrics["representation"]),
        (&json!(2), &json!(0))
    );
}

#[tokio::test]
async fn dashboards_find_the_gauges_they_know_before_the_first_sample() {
    let server = set_up_server().await;
    let text = get("/api/admin/prometheus")
        .by_admin()
        .send(&server)
        .await
        .body;
    for gauge in [
        "owncast_instance_active_viewer_count",
        "owncast_instance_active_chat_client_count",
        "owncast_instance_total_chat_users",
        "owncast_instance_current_chat_message_count",
        "owncast_instance_playback_error_count",
        "owncast_instance_cpu_usage",
        "total_chat_message_count",
    ] {
        let line = format!("{gauge}{{version=\"0.3.0\",host=\"unknown\"}} ");
        assert_eq!(
            text.lines().filter(|one| one.starts_with(&line)).count(),
            1,
            "{gauge}"
        );
    }
}
