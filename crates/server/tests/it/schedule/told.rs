//! What visitors, calendars and the chat learn about announced streams.

use super::*;

#[tokio::test]
async fn the_status_names_the_stream_people_wait_for() {
    let server = server_with(&[ENABLED, "schedule_chat_open_minutes=10"]).await;
    assert!(
        get("/api/status")
            .send(&server)
            .await
            .json()
            .get("scheduledEvent")
            .is_none()
    );
    let far = json!({ "name": "Far", "description": "away", "start": text(after(DAY)) });
    save(&server, far).await;
    let event = next(&server).await;
    let mut known = keys(&event);
    known.sort_unstable();
    let expected = [
        "chatOpen",
        "description",
        "durationMinutes",
        "id",
        "name",
        "startTime",
    ];
    assert_eq!(known, expected);
    assert_eq!(
        (&event["name"], &event["chatOpen"]),
        (&json!("Far"), &json!(false))
    );
    let near = json!({ "name": "Near", "start": text(after(8 * MINUTE)) });
    let near = save(&server, near).await["events"][0].clone();
    let event = next(&server).await;
    assert_eq!(
        (&event["id"], &event["chatOpen"]),
        (&near["id"], &json!(true))
    );
    delete(&server, json!({ "id": near["id"] })).await;
    assert_eq!(next(&server).await["name"], "Far");
}

#[tokio::test]
async fn the_minutes_before_are_few_choices_and_the_refusal_names_them() {
    let server = server_with(&[]).await;
    for minutes in [0, 5, 10, 30, 60] {
        assert_eq!(
            set(&server, "chatopenminutes", json!(minutes)).await.status,
            200,
            "{minutes}"
        );
    }
    for minutes in [json!(7), json!(61), json!(-5), json!("ten")] {
        let answer = set(&server, "chatopenminutes", minutes.clone()).await;
        assert_eq!(answer.status, 400, "{minutes}");
    }
    let answer = set(&server, "chatopenminutes", json!(7)).await.json();
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("0, 5, 10, 30, or 60"),
        "{answer}"
    );
    assert_eq!(set(&server, "showcountdown", json!(true)).await.status, 200);
    assert_eq!(
        set(&server, "remindermessage", json!("soon!")).await.status,
        200
    );
    let config = get("/api/config").send(&server).await.json();
    let expected = json!({ "enabled": false, "showCountdown": true, "chatOpenMinutesBefore": 60 });
    assert_eq!(config["schedule"], expected);
}

/// Announces a stream in a few minutes with its own text, and waits for the reminder.
async fn reminded(server: &TestServer, ada: &mut Chatter, words: &str) -> Value {
    assert_eq!(
        set(server, "remindermessage", json!(words)).await.status,
        200
    );
    save(
        server,
        json!({ "name": words, "start": text(after(4 * MINUTE)) }),
    )
    .await;
    let reminder = ada.hears("SYSTEM").await;
    let expected = format!("<p>{words}</p>");
    assert_eq!(
        reminder["body"], expected,
        "nobody is reminded of anything else meanwhile"
    );
    reminder
}

#[tokio::test]
async fn people_are_reminded_once_when_the_chat_opens_also_over_a_restart() {
    let settings = [ENABLED, "schedule_chat_open_minutes=5"];
    let server = server_with(&settings).await;
    let mut ada = Chatter::join(&server, "ada").await;
    save(&server, json!({ "name": "Far", "start": text(after(DAY)) })).await;
    reminded(&server, &mut ada, "one").await;
    let last = reminded(&server, &mut ada, "two").await;
    let folder = server.stop().await;
    let options = server::cli::Options {
        admin_password: Some(crate::http::PASSWORD.into()),
        set: settings.map(String::from).into(),
        ..server::cli::Options::default()
    };
    let server = TestServer::start_in(folder, options).await;
    // Lines that were said before she is back are replayed.
    let more = format!("&lastId={}", last["id"].as_str().unwrap());
    let mut ada = Chatter::connect(&server, ada.person, &more).await;
    reminded(&server, &mut ada, "three").await;
    reminded(&server, &mut ada, "four").await;
}

#[tokio::test]
async fn visitors_ask_for_a_time_of_at_most_a_year() {
    let server = server_with(&[ENABLED]).await;
    save(
        &server,
        json!({ "name": "Near", "start": text(after(DAY)) }),
    )
    .await;
    save(
        &server,
        json!({ "name": "Far", "start": text(after(120 * DAY)) }),
    )
    .await;
    let names = async |query: &str| {
        let list = public(&server, query).await;
        let names = list
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("").await, ["Near"], "ninety days ahead");
    let (from, to) = (after(-DAY), after(300 * DAY));
    assert_eq!(
        names(&format!("?from={from}&to={to}")).await,
        ["Near", "Far"]
    );
    assert_eq!(names(&format!("?from={}", after(100 * DAY))).await, ["Far"]);
    assert_eq!(
        names(&format!("?to={}", after(130 * DAY))).await,
        ["Near", "Far"]
    );
    for query in [
        format!("?from={to}&to={from}"),
        format!("?from={from}&to={}", after(366 * DAY)),
        "?from=tomorrow".into(),
        "?to=%00".into(),
    ] {
        let answer = get(&format!("/api/schedule{query}")).send(&server).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.json()["error"].is_string(), "{query}");
    }
}

#[tokio::test]
async fn calendars_subscribe_to_the_schedule() {
    let server = server_with(&[ENABLED, "name=My; server"]).await;
    let description = "long ".repeat(40);
    let body =
        json!({ "name": "Soup, and more", "description": description, "start": text(after(DAY)) });
    let id = save(&server, body).await["events"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let calendar = get("/api/schedule.ics").send(&server).await;
    assert_eq!(calendar.status, 200);
    assert!(calendar.header("content-type").starts_with("text/calendar"));
    assert!(calendar.header("cache-control").contains("no-cache"));
    assert!(
        calendar.body.starts_with("BEGIN:VCALENDAR\r\n")
            && calendar.body.ends_with("END:VCALENDAR\r\n")
    );
    assert!(
        calendar.body.contains(&format!("\r\nUID:{id}@owncast\r\n")),
        "{}",
        calendar.body
    );
    assert!(calendar.body.contains("\r\nSUMMARY:Soup\\, and more\r\n"));
    for line in calendar.body.split("\r\n") {
        assert!(line.len() <= 75 && !line.contains('\n'), "{line:?}");
    }
}

#[tokio::test]
async fn what_was_announced_is_there_after_a_restart() {
    let server = server_with(&[ENABLED]).await;
    let document = save(&server, tomorrow()).await;
    let options = server::cli::Options {
        admin_password: Some(crate::http::PASSWORD.into()),
        set: vec![ENABLED.into()],
        ..server::cli::Options::default()
    };
    let server = TestServer::start_in(server.stop().await, options).await;
    assert_eq!(overview(&server).await, document);
    assert_eq!(next(&server).await["name"], "Cooking");
}
