//! What is kept of a broadcast: viewers over time, incidents, where visitors came from.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use crate::http::{Answer, get, server_with};
use crate::stream::{broadcast, state};

async fn read(server: &TestServer, path: &str) -> Answer {
    let path = format!("/api/admin/{path}");
    get(&path).by_admin().send(server).await
}

/// The id of the newest broadcast.
async fn newest(server: &TestServer) -> String {
    eventually("the broadcast is in the history", || async {
        let streams = read(server, "streams").await.json();
        streams[0]["id"].as_str().map(str::to_owned)
    })
    .await
}

/// The page of a broadcast, once it says what is waited for.
async fn detail(server: &TestServer, id: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    eventually("the broadcast's page says it", || async {
        let detail = read(server, &format!("streams/{id}")).await.json();
        is_there(&detail).then_some(detail)
    })
    .await
}

fn codes(detail: &Value) -> Vec<&str> {
    let incidents = detail["incidents"].as_array().unwrap().iter();
    incidents
        .map(|incident| incident["code"].as_str().unwrap())
        .collect()
}

async fn watch(server: &TestServer, viewers: usize) {
    for viewer in 0..viewers {
        let ping = get("/api/ping").header("user-agent", &format!("player {viewer}"));
        assert_eq!(ping.send(server).await.status, 200);
    }
    eventually("all of them are counted", || async {
        let status = get("/api/status").send(server).await.json();
        (status["viewerCount"] == viewers).then_some(())
    })
    .await;
}

async fn visit(server: &TestServer, path: &str, referer: &str) {
    let page = get(path).header("referer", referer);
    page.send(server).await;
}

#[tokio::test]
async fn a_broadcast_leaves_its_viewers_its_troubles_and_where_visitors_came_from() {
    let server = server_with(&[]).await;
    visit(&server, "/", "https://before.example/").await;
    let client = broadcast(&server).await;
    let id = newest(&server).await;
    watch(&server, 3).await;
    visit(&server, "/", "https://News.example/item?user=ada").await;
    visit(&server, "/embed/video", "https://news.example/").await;
    visit(&server, "/", "").await;
    let own = format!("http://{}/embed/video", server.address());
    visit(&server, "/", &own).await;
    drop(client);
    state(&server, "waiting").await;
    detail(&server, &id, |detail| {
        codes(detail).contains(&"publisher-lost")
    })
    .await;
    let mut client = broadcast(&server).await;
    detail(&server, &id, |detail| {
        codes(detail).contains(&"publisher-returned")
    })
    .await;
    client.unpublish().await.unwrap();
    let over = detail(&server, &id, |detail| {
        detail["endedAt"].is_string() && detail["referrers"][0]["visits"] == 2
    })
    .await;
    assert_eq!(over["peakViewers"], 3);
    assert!(over["averageViewers"].as_f64().unwrap() <= 3.0);
    let points = over["points"].as_array().unwrap();
    assert!(points.iter().any(|point| point["peakViewers"] == 3));
    assert_eq!(over["stepSeconds"], 60);
    let of_publisher: Vec<&str> = codes(&over)
        .into_iter()
        .filter(|code| code.starts_with("publisher"))
        .collect();
    assert_eq!(of_publisher, ["publisher-lost", "publisher-returned"]);
    let referrers = json!([{ "host": "news.example", "visits": 2 }, { "host": "", "visits": 1 }]);
    assert_eq!(over["referrers"], referrers);
    let missing = read(&server, "streams/0123456789abcdef").await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn viewers_are_told_for_a_range_or_between_two_times_and_the_old_answer_stays() {
    let server = server_with(&[]).await;
    let nothing = read(&server, "viewers/history?range=all").await.json();
    assert_eq!(
        (&nothing["points"], &nothing["since"]),
        (&json!([]), &Value::Null)
    );
    let mut client = broadcast(&server).await;
    watch(&server, 2).await;
    client.unpublish().await.unwrap();
    let told = eventually("the viewers are recorded", || async {
        let told = read(&server, "viewers/history?range=1h").await.json();
        let points = told["points"].as_array().unwrap();
        let is_recorded = points.iter().any(|point| point["peakViewers"] == 2);
        is_recorded.then_some(told)
    })
    .await;
    assert_eq!(told["stepSeconds"], 60);
    let week = read(&server, "viewers/history?range=7d").await.json();
    assert_eq!(week["stepSeconds"], 900);
    assert!(!week["points"].as_array().unwrap().is_empty());
    let old = read(&server, "viewers/history?from=1000&to=2000")
        .await
        .json();
    assert_eq!(old["points"], json!([]));
    for wrong in ["range=2h", "from=soon", "to=99999999999999"] {
        let answer = read(&server, &format!("viewers/history?{wrong}")).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    let plain = read(&server, "viewersOverTime?windowStart=0").await.json();
    let mut names: Vec<&String> = plain[0].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["time", "value"]);
}
