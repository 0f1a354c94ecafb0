//! Announced streams, from the operator's request to what visitors, calendars and the chat get.

mod told;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use server::testing::TestServer;

use crate::chat::chatter::{Chatter, keys};
use crate::http::{Answer, get, post, server_with};

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 3600;
const ENABLED: &str = "schedule_enabled=true";

/// A time this many seconds from now.
fn after(seconds: i64) -> Timestamp {
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    now + SignedDuration::from_secs(seconds)
}

fn text(at: Timestamp) -> String {
    at.to_string()
}

/// A rule that starts at a time, in UTC.
fn rule(at: Timestamp, rule: &str) -> String {
    let start = jiff::tz::Offset::UTC.to_datetime(at);
    format!(
        "DTSTART;TZID=UTC:{}\nRRULE:{rule}",
        start.strftime("%Y%m%dT%H%M%S")
    )
}

async fn ask(server: &TestServer, path: &str, body: &Value) -> Answer {
    let path = format!("/api/admin/schedule{path}");
    post(&path, body).by_admin().send(server).await
}

/// The document after a change that is accepted.
async fn save(server: &TestServer, body: Value) -> Value {
    let answer = ask(server, "/event", &body).await;
    assert_eq!(answer.status, 200, "{body}: {answer:?}");
    answer.json()
}

async fn delete(server: &TestServer, body: Value) -> Value {
    let answer = ask(server, "/event/delete", &body).await;
    assert_eq!(answer.status, 200, "{body}: {answer:?}");
    answer.json()
}

/// The error message for a change that is rejected.
async fn refusal(server: &TestServer, body: &Value) -> String {
    let answer = ask(server, "/event", body).await;
    assert_eq!(answer.status, 400, "{body}: {answer:?}");
    answer.json()["error"].as_str().unwrap().to_owned()
}

async fn overview(server: &TestServer) -> Value {
    let answer = get("/api/admin/schedule").by_admin().send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn public(server: &TestServer, query: &str) -> Value {
    get(&format!("/api/schedule{query}"))
        .send(server)
        .await
        .json()
}

async fn set(server: &TestServer, path: &str, value: Value) -> Answer {
    let path = format!("/api/admin/config/schedule/{path}");
    post(&path, &json!({ "value": value }))
        .by_admin()
        .send(server)
        .await
}

async fn next(server: &TestServer) -> Value {
    get("/api/status").send(server).await.json()["scheduledEvent"].clone()
}

fn tomorrow() -> Value {
    json!({ "name": "Cooking", "start": text(after(DAY)) })
}

#[tokio::test]
async fn nothing_is_announced_until_the_operator_wants_it() {
    let server = server_with(&[]).await;
    let config = get("/api/config").send(&server).await.json();
    let expected = json!({ "enabled": false, "showCountdown": false, "chatOpenMinutesBefore": 0 });
    assert_eq!(config["schedule"], expected);
    save(&server, tomorrow()).await;
    assert_eq!(public(&server, "").await, json!([]));
    assert_eq!(next(&server).await, Value::Null);
    let calendar = get("/api/schedule.ics").send(&server).await;
    assert!(!calendar.body.contains("VEVENT"), "{}", calendar.body);
    assert_eq!(set(&server, "enabled", json!(true)).await.status, 200);
    assert_eq!(public(&server, "").await.as_array().unwrap().len(), 1);
    assert_eq!(next(&server).await["name"], "Cooking");
    // Now hidden again, while the operator still sees it.
    assert_eq!(set(&server, "enabled", json!(false)).await.status, 200);
    assert_eq!(public(&server, "").await, json!([]));
    assert_eq!(next(&server).await, Value::Null);
    assert_eq!(overview(&server).await["events"][0]["name"], "Cooking");
}

#[tokio::test]
async fn the_schedule_is_for_the_operator_only() {
    let server = server_with(&[]).await;
    for path in [
        "/api/admin/schedule/event",
        "/api/admin/schedule/event/delete",
        "/api/admin/schedule/preview",
    ] {
        assert_eq!(
            post(path, &tomorrow()).send(&server).await.status,
            401,
            "{path}"
        );
    }
    let answer = get("/api/admin/schedule").send(&server).await;
    assert_eq!(answer.status, 401);
    assert!(
        answer
            .header("www-authenticate")
            .starts_with("Basic realm=")
    );
    assert!(answer.body.contains("Unauthorized"));
    assert_eq!(
        overview(&server).await,
        json!({ "series": [], "events": [] })
    );
}

#[tokio::test]
async fn a_single_stream_lasts_an_hour_in_utc_unless_somebody_says_otherwise() {
    let server = server_with(&[ENABLED]).await;
    let start = after(DAY);
    let body = json!({ "name": "Cooking", "start": text(start) });
    let document = save(&server, body).await;
    let event = &document["events"][0];
    let mut known = keys(event);
    known.sort_unstable();
    let expected = [
        "description",
        "durationMinutes",
        "id",
        "name",
        "startTime",
        "status",
        "timezone",
    ];
    assert_eq!(known, expected);
    assert_eq!(event["startTime"], json!(start));
    assert_eq!(event["durationMinutes"], 60);
    assert_eq!(event["timezone"], "UTC");
    assert_eq!(event["status"], "scheduled");
    assert_eq!(
        document,
        overview(&server).await,
        "the answer is the same document"
    );
    assert_eq!(
        public(&server, "").await,
        document["events"],
        "visitors see the same"
    );
    let week = json!({ "name": "Marathon", "start": text(after(2 * DAY)), "durationMinutes": 7 * 24 * 60 });
    let document = save(&server, week).await;
    assert_eq!(document["events"][1]["durationMinutes"], 10_080);
    let longer = json!({ "name": "Marathon", "start": text(after(2 * DAY)), "durationMinutes": 7 * 24 * 60 + 1 });
    assert!(refusal(&server, &longer).await.contains("durationMinutes"));
}

#[tokio::test]
async fn a_series_is_laid_out_as_streams_that_name_it() {
    let server = server_with(&[ENABLED]).await;
    let start = after(DAY);
    let recurrence = rule(start, "FREQ=WEEKLY;COUNT=3");
    let body = json!({ "name": "Show", "description": "weekly", "recurrence": recurrence, "durationMinutes": 30 });
    let document = save(&server, body).await;
    let series = &document["series"][0];
    let mut known = keys(series);
    known.sort_unstable();
    let expected = [
        "active",
        "description",
        "durationMinutes",
        "id",
        "name",
        "recurrence",
    ];
    assert_eq!(known, expected);
    assert_eq!(series["recurrence"], recurrence);
    assert_eq!(
        (&series["active"], &series["durationMinutes"]),
        (&json!(true), &json!(30))
    );
    let events = document["events"].as_array().unwrap();
    assert_eq!(events.len(), 3);
    for (number, event) in events.iter().enumerate() {
        let week = SignedDuration::from_secs(7 * DAY * i64::try_from(number).unwrap());
        assert_eq!(event["startTime"], json!(start + week));
        assert_eq!(event["seriesId"], series["id"]);
        assert_eq!(
            (&event["name"], &event["description"]),
            (&json!("Show"), &json!("weekly"))
        );
    }
    assert_eq!(public(&server, "").await, document["events"]);
}

#[tokio::test]
async fn a_preview_shows_the_next_five_dates_of_a_year() {
    let server = server_with(&[]).await;
    let preview = async |recurrence: String| {
        let answer = ask(&server, "/preview", &json!({ "recurrence": recurrence })).await;
        (answer.status, answer.json())
    };
    let start = after(DAY);
    let (status, daily) = preview(rule(start, "FREQ=DAILY")).await;
    let expected: Vec<Timestamp> = (0..5)
        .map(|day| start + SignedDuration::from_secs(day * DAY))
        .collect();
    assert_eq!((status, daily), (200, json!({ "occurrences": expected })));
    let (_, few) = preview(rule(start, "FREQ=DAILY;INTERVAL=200")).await;
    assert_eq!(
        few["occurrences"].as_array().unwrap().len(),
        2,
        "no more within a year"
    );
    let (status, wrong) = preview("RRULE:FREQ=DAILY".into()).await;
    assert_eq!(status, 400);
    assert!(wrong["error"].as_str().unwrap().contains("DTSTART"));
    let (status, wrong) = preview(rule(start, "FREQ=SECONDLY")).await;
    assert_eq!(status, 400);
    assert!(wrong["error"].as_str().unwrap().contains("SECONDLY"));
}

#[tokio::test]
async fn wishes_that_cannot_be_are_400_and_say_why() {
    let server = server_with(&[]).await;
    let (soon, before) = (text(after(DAY)), text(after(-DAY)));
    let weekly = rule(after(DAY), "FREQ=WEEKLY");
    for (body, reason) in [
        (json!({}), "name is required"),
        (json!({ "name": " ", "start": soon }), "name is required"),
        (
            json!({ "name": "x", "start": soon, "recurrence": weekly }),
            "mutually exclusive",
        ),
        (json!({ "name": "x" }), "DTSTART"),
        (
            json!({ "name": "x", "recurrence": "RRULE:FREQ=DAILY" }),
            "DTSTART",
        ),
        (
            json!({ "name": "x", "start": before }),
            "start must be in the future",
        ),
        (
            json!({ "name": "x", "start": soon, "timezone": "Mars/Olympus" }),
            "unknown timezone",
        ),
        (json!({ "name": "x", "start": "soon" }), "start"),
        (
            json!({ "id": "nothing", "name": "x" }),
            "no announced stream",
        ),
        (json!({ "id": "../x", "name": "x" }), "no announced stream"),
        (json!({ "name": 7, "start": soon }), "JSON"),
    ] {
        let refusal = refusal(&server, &body).await;
        assert!(refusal.contains(reason), "{body}: {refusal}");
    }
    assert_eq!(
        overview(&server).await,
        json!({ "series": [], "events": [] })
    );
    let unknown = ask(&server, "/event/delete", &json!({ "id": "nothing" })).await;
    assert_eq!(unknown.status, 400);
    assert!(unknown.json()["error"].is_string());
}

#[tokio::test]
async fn a_single_stream_stays_one_and_a_series_stays_one() {
    let server = server_with(&[]).await;
    let weekly = rule(after(DAY), "FREQ=WEEKLY");
    let event = save(&server, tomorrow()).await["events"][0]["id"].clone();
    let document = save(&server, json!({ "name": "Show", "recurrence": weekly })).await;
    let series = document["series"][0]["id"].clone();
    let soon = text(after(DAY));
    for (body, reason) in [
        (
            json!({ "id": event, "recurrence": weekly }),
            "cannot become a recurring series",
        ),
        (
            json!({ "id": series, "start": soon }),
            "has no single start",
        ),
        (
            json!({ "id": series, "timezone": "Asia/Tokyo" }),
            "timezone cannot be changed",
        ),
        (
            json!({ "id": event, "timezone": "Asia/Tokyo" }),
            "timezone cannot be changed",
        ),
        (
            json!({ "id": event, "start": soon, "recurrence": weekly }),
            "mutually exclusive",
        ),
    ] {
        let refusal = refusal(&server, &body).await;
        assert!(refusal.contains(reason), "{body}: {refusal}");
    }
    assert_eq!(overview(&server).await, document);
}

#[tokio::test]
async fn a_change_keeps_what_it_leaves_out_and_happens_as_a_whole_or_not_at_all() {
    let server = server_with(&[]).await;
    let body = json!({ "name": "Cooking", "description": "soup", "start": text(after(DAY)), "timezone": "Europe/Berlin", "durationMinutes": 45 });
    let before = save(&server, body).await["events"][0].clone();
    let changed = save(&server, json!({ "id": before["id"], "name": "Baking" })).await;
    let mut expected = before.clone();
    expected["name"] = json!("Baking");
    assert_eq!(changed["events"], json!([expected]));
    for half in [
        json!({ "id": before["id"], "name": "Frying", "durationMinutes": 0 }),
        json!({ "id": before["id"], "description": "fish", "start": text(after(-DAY)) }),
        json!({ "id": before["id"], "description": "fish", "name": "" }),
    ] {
        refusal(&server, &half).await;
        assert_eq!(overview(&server).await, changed, "{half}");
    }
    let daily = rule(after(2 * DAY), "FREQ=DAILY;COUNT=2");
    let series =
        save(&server, json!({ "name": "Show", "recurrence": daily })).await["series"][0].clone();
    let document = save(&server, json!({ "id": series["id"], "name": "Gala" })).await;
    let names: Vec<&str> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Baking", "Gala", "Gala"]);
    assert_eq!(document["series"][0]["recurrence"], daily);
    let half = json!({ "id": series["id"], "name": "Ball", "recurrence": "RRULE:FREQ=DAILY" });
    refusal(&server, &half).await;
    assert_eq!(overview(&server).await, document);
}

#[tokio::test]
async fn a_deleted_series_takes_its_coming_dates_along_and_leaves_those_that_are_cancelled() {
    let server = server_with(&[ENABLED]).await;
    let weekly = rule(after(DAY), "FREQ=WEEKLY;COUNT=3");
    let document = save(&server, json!({ "name": "Show", "recurrence": weekly })).await;
    let (series, second) = (&document["series"][0]["id"], &document["events"][1]["id"]);
    let document = delete(&server, json!({ "id": second, "cancel": true })).await;
    let status: Vec<&Value> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["status"])
        .collect();
    assert_eq!(status, ["scheduled", "cancelled", "scheduled"]);
    assert_eq!(
        public(&server, "").await,
        document["events"],
        "people are told that it is cancelled"
    );
    let document = delete(&server, json!({ "id": series })).await;
    assert_eq!(document["series"], json!([]));
    assert_eq!(document["events"].as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &document["events"][0]["id"],
            &document["events"][0]["status"]
        ),
        (second, &json!("cancelled"))
    );
    assert_eq!(
        next(&server).await,
        Value::Null,
        "nobody waits for what is cancelled"
    );
    let document = delete(&server, json!({ "id": second })).await;
    assert_eq!(document, json!({ "series": [], "events": [] }));
}

#[tokio::test]
async fn a_cancelled_series_is_not_active_any_more() {
    let server = server_with(&[ENABLED]).await;
    let weekly = rule(after(DAY), "FREQ=WEEKLY;COUNT=2");
    let document = save(&server, json!({ "name": "Show", "recurrence": weekly })).await;
    let document = delete(
        &server,
        json!({ "id": document["series"][0]["id"], "cancel": true }),
    )
    .await;
    assert_eq!(document["series"][0]["active"], false);
    assert_eq!(document["events"][0]["status"], "cancelled");
    assert_eq!(document["events"][1]["status"], "cancelled");
}
