//! The chat and the chapters beside a recording.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use crate::chat::chatter::{Chatter, keys};
use crate::chat::events::TALKATIVE;
use crate::http::{Answer, Request, get, post, request, server_with};
use crate::stream::broadcast;

/// The length of the clip, which is how much later the next one is sent.
const CLIP_MS: u32 = 8_000;

/// Marks what is live as soon as it is behind these seconds; returns where that is. Of clips that were sent the log tells
/// at once all but the last two seconds.
async fn mark_behind(server: &TestServer, title: &str, seconds: f64) -> f64 {
    eventually("the recording has come so far", || async {
        let mark = post("/api/admin/record/mark", &json!({ "title": title })).by_admin();
        let mark = mark.send(server).await;
        let at = (mark.status == 200).then(|| mark.json()["at"].as_f64())??;
        (at > seconds).then_some(at)
    })
    .await
}

/// The only recording, once it is complete.
async fn complete(server: &TestServer) -> Value {
    eventually("the recording is complete", || async {
        let videos = get("/api/admin/videos").by_admin().send(server).await;
        let video = videos.json()["results"][0].clone();
        (video["state"] == "finished").then_some(video)
    })
    .await
}

async fn change(server: &TestServer, id: &str, change: Value) {
    let path = format!("/api/admin/videos/{id}");
    let changed = request("PATCH", &path).raw_body(&change.to_string());
    let changed = changed.by_admin().send(server).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

async fn title(server: &TestServer, title: &str) {
    let body = json!({ "value": title });
    let changed = post("/api/admin/config/streamtitle", &body).by_admin();
    assert_eq!(changed.send(server).await.status, 200);
}

fn chat(id: &str, query: &str) -> Request {
    get(&format!("/api/videos/{id}/chat{query}"))
}

fn bodies(answer: &Answer) -> Vec<String> {
    let page = answer.json();
    let messages = page["messages"].as_array().unwrap().iter();
    let bodies = messages.map(|message| message["body"].as_str().unwrap().to_owned());
    bodies.collect()
}

fn places(answer: &Answer) -> Vec<f64> {
    let page = answer.json();
    let messages = page["messages"].as_array().unwrap().iter();
    messages.map(|one| one["at"].as_f64().unwrap()).collect()
}

#[tokio::test]
async fn a_replay_has_the_chat_of_its_stream_where_it_was_said_as_far_as_everybody_may_read_it() {
    let settings = ["recording=on", "recording_chat=true", TALKATIVE];
    let server = server_with(&settings).await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["chatRecorded"], true);
    let mut client = broadcast(&server).await;
    mark_behind(&server, "one", 4.0).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let early = ada.say_and_hear("early").await;
    client.send_clip("plain", CLIP_MS).await.unwrap();
    mark_behind(&server, "two", 12.0).await;
    let late = ada.say_and_hear("late").await;
    let history = format!("/api/chat?accessToken={}", ada.person.token);
    let history = get(&history).send(&server).await.json();
    client.unpublish().await.unwrap();
    let video = complete(&server).await;
    let id = video["id"].as_str().unwrap();
    assert_eq!(
        (&video["hasChat"], &video["keepsChat"]),
        (&json!(true), &json!(true))
    );
    let (first, second) = (early["body"].as_str(), late["body"].as_str());
    let (first, second) = (first.unwrap(), second.unwrap());
    let whole = chat(id, "").send(&server).await;
    assert_eq!(whole.status, 200, "{whole:?}");
    assert_eq!(bodies(&whole), [first, second]);
    let at = places(&whole);
    assert!(
        at[0] > 4.0 && at[0] <= 10.1 && at[1] >= 12.0 && at[1] <= 16.1,
        "{at:?}"
    );
    assert_eq!(whole.json()["next"], Value::Null);
    // A message as the chat has it, and nothing that only moderators see.
    let mut told = whole.json()["messages"][0].clone();
    assert!(told.as_object_mut().unwrap().remove("at").is_some());
    assert_eq!(keys(&told), keys(&history[0]));
    assert_eq!(told["user"], history[0]["user"]);
    for (query, wanted) in [
        ("?to=11", vec![first]),
        ("?from=11", vec![second]),
        ("?from=20&to=30", vec![]),
    ] {
        let part = chat(id, query).send(&server).await;
        assert_eq!(bodies(&part), wanted, "{query}");
    }
    for bad in ["?from=-1", "?to=soon", "?to=NaN", "?after=yesterday"] {
        assert_eq!(chat(id, bad).send(&server).await.status, 400, "{bad}");
    }
    assert_eq!(chat("0123456789abcdef", "").send(&server).await.status, 404);

    // What is trimmed away has no chat either, and places are those of what is shown.
    change(&server, id, json!({ "trimStart": 12.0 })).await;
    let trimmed = chat(id, "").send(&server).await;
    assert_eq!(bodies(&trimmed), [second]);
    let moved = places(&trimmed)[0] - (at[1] - 12.0);
    assert!(moved.abs() < 0.1, "{at:?} {trimmed:?}");
    change(&server, id, json!({ "trimStart": null })).await;

    let hide = json!({ "idArray": [early["id"]], "visible": false });
    let hidden = post("/api/admin/chat/messagevisibility", &hide).by_admin();
    assert_eq!(hidden.send(&server).await.status, 200);
    let less = chat(id, "").send(&server).await;
    assert_eq!(bodies(&less), [second]);
    let ban = json!({ "userId": late["user"]["id"], "enabled": false });
    let banned = post("/api/admin/chat/users/setenabled", &ban).by_admin();
    assert_eq!(banned.send(&server).await.status, 200);
    assert!(bodies(&chat(id, "").send(&server).await).is_empty());

    change(&server, id, json!({ "visibility": "private" })).await;
    assert_eq!(chat(id, "").send(&server).await.status, 404);
    assert_eq!(chat(id, "").by_admin().send(&server).await.status, 200);
}

#[tokio::test]
async fn a_recording_that_does_not_keep_its_chat_has_none() {
    let server = server_with(&["recording=on", TALKATIVE]).await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config.get("chatRecorded"), None);
    let mut client = broadcast(&server).await;
    mark_behind(&server, "one", 4.0).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("hello").await;
    client.unpublish().await.unwrap();
    let video = complete(&server).await;
    let id = video["id"].as_str().unwrap();
    assert_eq!(video["hasChat"], false);
    let page = chat(id, "").send(&server).await;
    assert_eq!(page.json(), json!({ "messages": [], "next": null }));
}

#[tokio::test]
async fn titles_of_a_stream_and_marks_are_chapters_of_its_recording() {
    let server = server_with(&["recording=on"]).await;
    title(&server, "Soup").await;
    let nothing = post("/api/admin/record/mark", &json!({ "title": "x" })).by_admin();
    assert_eq!(nothing.send(&server).await.status, 400, "nothing is live");
    let mut client = broadcast(&server).await;
    let first = mark_behind(&server, "Salt", 4.0).await;
    let lines = post("/api/admin/record/mark", &json!({ "title": "a\nb" })).by_admin();
    assert_eq!(lines.send(&server).await.status, 400);
    let before = json!({ "title": "Water", "secondsAgo": 3600 });
    let before = post("/api/admin/record/mark", &before).by_admin();
    assert_eq!(
        before.send(&server).await.json()["at"],
        0.0,
        "the beginning"
    );
    client.send_clip("plain", CLIP_MS).await.unwrap();
    mark_behind(&server, "Pepper", 12.0).await;
    title(&server, "Bread").await;
    client.send_clip("plain", 2 * CLIP_MS).await.unwrap();
    mark_behind(&server, "Oil", 20.0).await;
    client.unpublish().await.unwrap();
    let video = complete(&server).await;
    let id = video["id"].as_str().unwrap();
    let path = format!("/api/videos/{id}");
    let chapters = eventually("both titles are chapters", || async {
        let item = get(&path).send(&server).await.json();
        let chapters = item["chapters"].as_array().unwrap().clone();
        let titles = chapters.iter().filter(|chapter| chapter["kind"] == "title");
        (titles.count() == 2).then_some(chapters)
    })
    .await;
    assert_eq!(
        chapters[0],
        json!({ "at": 0.0, "title": "Soup", "kind": "title" })
    );
    let bread = chapters.iter().find(|chapter| chapter["title"] == "Bread");
    assert!(bread.unwrap()["at"].as_f64().unwrap() > 8.0, "{chapters:?}");
    let salt = chapters.iter().any(|chapter| chapter["at"] == json!(first));
    assert!(salt, "{chapters:?}");

    // Marks can be set, named and removed later, too.
    let marks = format!("/api/admin/videos/{id}/marks");
    for title in ["", "Steam"] {
        let mark = post(&marks, &json!({ "title": title, "at": 2.5 })).by_admin();
        let told = json!({ "at": 2.5, "title": title, "kind": "mark" });
        assert_eq!(mark.send(&server).await.json(), told);
    }
    let names = async || {
        let item = get(&path).send(&server).await.json();
        let chapters = item["chapters"].as_array().unwrap().iter();
        let names = chapters.map(|chapter| chapter["title"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let named = names().await;
    assert!(named.contains(&"Steam".to_owned()) && !named.contains(&String::new()));
    for bad in [
        json!({ "title": "late", "at": 1e6 }),
        json!({ "title": "early", "at": -1 }),
        json!({ "title": "now" }),
    ] {
        let mark = post(&marks, &bad).by_admin().send(&server).await;
        assert_eq!(mark.status, 400, "{bad}");
    }
    let remove = async |query: &str| {
        let path = format!("{marks}?{query}");
        request("DELETE", &path)
            .by_admin()
            .send(&server)
            .await
            .status
    };
    assert_eq!(remove("at=2.6").await, 404);
    assert_eq!(remove("at=2.5&kind=other").await, 400);
    assert_eq!(remove("at=2.5").await, 200);
    assert!(!names().await.contains(&"Steam".to_owned()));
    assert_eq!(remove("at=0&kind=title").await, 200);
    assert!(!names().await.contains(&"Soup".to_owned()));
}
