//! What is kept of a broadcast: viewers over time, incidents, where visitors came from, the chat; and the files of it.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use crate::chat::chatter::Chatter;
use crate::chat::events::TALKATIVE;
use crate::http::{Answer, get, post, server_with};
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

/// The body of an answer that came in pieces.
fn joined(answer: &Answer) -> String {
    assert_eq!(answer.header("transfer-encoding"), "chunked", "{answer:?}");
    let mut rest = answer.bytes.as_slice();
    let mut whole = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return String::from_utf8(whole).unwrap();
        }
        whole.extend_from_slice(&rest[end + 2..][..size]);
        rest = &rest[end + 2 + size + 2..];
    }
}

fn lines(answer: &Answer) -> Vec<Value> {
    serde_json::from_str(&joined(answer)).unwrap()
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

#[tokio::test]
async fn the_history_and_the_viewers_of_a_broadcast_are_saved_as_files() {
    let server = server_with(&["stream_title==HYPERLINK(\"x\")"]).await;
    let mut client = broadcast(&server).await;
    let id = newest(&server).await;
    client.unpublish().await.unwrap();
    detail(&server, &id, |detail| detail["averageViewers"].is_number()).await;
    let list = read(&server, "streams.csv").await;
    assert_eq!(list.header("content-type"), "text/csv; charset=utf-8");
    let disposition = list.header("content-disposition");
    assert!(
        disposition.starts_with("attachment; filename=\"streams-")
            && disposition.ends_with(".csv\""),
        "{disposition}"
    );
    assert!(list.body.starts_with("\u{feff}id,title,started at,"));
    let cell = "\"'=HYPERLINK(\"\"x\"\")\"";
    assert!(
        list.body.contains(&format!("\r\n{id},{cell},")),
        "{}",
        list.body
    );
    let list = read(&server, "streams.json").await.json();
    assert_eq!(
        (&list[0]["id"], &list[0]["peakViewers"]),
        (&json!(id), &json!(0))
    );
    let viewers = read(&server, &format!("streams/{id}/viewers.csv")).await;
    assert!(
        viewers
            .body
            .starts_with("\u{feff}time,viewers,peak viewers,")
    );
    let rows = viewers.body.lines().count();
    let viewers = read(&server, &format!("streams/{id}/viewers.json")).await;
    assert_eq!(viewers.json().as_array().unwrap().len(), rows - 1);
    assert!(viewers.header("content-disposition").contains("viewers-"));
    let missing = read(&server, "streams/x/viewers.csv").await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn the_log_of_a_chat_is_saved_only_where_the_operator_allowed_it() {
    let server = server_with(&[TALKATIVE]).await;
    let mut client = broadcast(&server).await;
    let id = newest(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("+1, \"well\" said").await;
    ada.say_and_hear("again").await;
    client.unpublish().await.unwrap();
    let over = detail(&server, &id, |detail| {
        detail["endedAt"].is_string() && detail["messages"] == 2
    });
    assert_eq!(over.await["chatters"], 1);
    let csv = format!("streams/{id}/chat.csv");
    assert_eq!(read(&server, &csv).await.status, 403);
    let allowed = post(
        "/api/admin/config/chat/logexport",
        &json!({ "value": true }),
    );
    assert_eq!(allowed.by_admin().send(&server).await.status, 200);
    let log = read(&server, &csv).await;
    assert_eq!(log.status, 200);
    let log = joined(&log);
    assert!(log.starts_with("\u{feff}position,time,kind,user id,name,text,hidden\r\n"));
    let cells = ",ada,\"'+1, \"\"well\"\" said\",false\r\n";
    assert!(log.contains(cells), "{log}");
    let log = lines(&read(&server, &format!("streams/{id}/chat.json")).await);
    let said: Vec<&Value> = log.iter().filter(|line| line["kind"] == "CHAT").collect();
    assert_eq!(said.len(), 2);
    assert_eq!(
        (&said[0]["text"], &said[0]["name"]),
        (&json!("+1, \"well\" said"), &json!("ada"))
    );
    let rest = format!("streams/{id}/chat.json?after={}", said[0]["position"]);
    let rest = lines(&read(&server, &rest).await);
    assert!(rest.iter().all(|line| line["text"] != said[0]["text"]));
    assert!(rest.iter().any(|line| line["text"] == "again"));
    let stranger = get(&format!("/api/admin/{csv}")).send(&server).await;
    assert_eq!(stranger.status, 401);
}
