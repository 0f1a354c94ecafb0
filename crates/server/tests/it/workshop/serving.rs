//! `rillcast plugin serve`.

use serde_json::json;

use super::{BELL, Project, Workshop, link, program, rillcast, run};
use crate::http::{get, post, request};

fn pair(who: &str, what: &str) -> (String, String) {
    (who.to_owned(), what.to_owned())
}

#[tokio::test]
async fn a_line_goes_through_filters_handlers_and_commands_before_it_is_answered() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let said = workshop.say(json!({"user": "alice", "body": "hi"})).await;
    assert_eq!(
        (&said["allowed"], &said["reason"]),
        (&json!(true), &json!(""))
    );
    assert_eq!(said["message"]["id"], "dev-1");
    assert_eq!(
        said["message"]["user"],
        json!({"id": "alice", "displayName": "alice", "displayColor": 0, "isAuthenticated": true})
    );
    workshop.say(json!({"body": "!ring twice"})).await;
    assert_eq!(
        workshop.chat().await,
        [
            pair("alice", "hi"),
            pair("bot:bell", "hello alice"),
            pair("dev-user", "!ring twice"),
            pair("bot:bell", "ding twice 1"),
        ]
    );
    let whole = workshop.ask(request("GET", "/_dev/chat")).await.body;
    assert!(
        whole.starts_with(
            r#"{"messages":[{"id":"dev-1","user":{"id":"alice","displayName":"alice","#
        ),
        "{whole}"
    );
    workshop.until_written("[chat by bell] hello alice").await;
    workshop.say(json!({"user": "", "body": "!help"})).await;
    let help = workshop.chat().await.pop().unwrap();
    assert!(help.1.contains("!ring") && help.0.is_empty(), "{help:?}");
}

#[tokio::test]
async fn filters_drop_lines_and_change_what_is_said_and_by_whom() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    // On a busy machine a line may pass without its filter, as on a server.
    testkit::eventually("a line is dropped", || async {
        let said = workshop.say(json!({"user": "bob", "body": "rude"})).await;
        (said == json!({"allowed": false, "reason": "be nice"})).then_some(())
    })
    .await;
    testkit::eventually("a line is changed", || async {
        let user = json!({"id": "u-7", "displayName": "Mira", "scopes": ["MODERATOR"]});
        let said = workshop.say(json!({"user": user, "body": "cat"})).await;
        let (user, body) = (&said["message"]["user"]["id"], &said["message"]["body"]);
        (user == "dog" && body == "dog").then_some(())
    })
    .await;
    assert!(workshop.chat().await.contains(&pair("dog", "dog")));
    // A server lets no plugin speak as somebody else, and the author is told.
    workshop
        .until_written("a server takes nothing but the text")
        .await;
}

#[tokio::test]
async fn events_reach_the_plugin_and_what_is_wrong_is_refused() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let event = json!({"type": "stream.started", "payload": {"title": "Cooking"}});
    let answer = workshop.ask(post("/_dev/event", &event)).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({"dispatched": "stream.started"}))
    );
    assert_eq!(workshop.chat().await, [pair("", "started: Cooking")]);
    for (path, body, text) in [
        ("/_dev/event", r#"{"type": " "}"#, "type is missing"),
        ("/_dev/event", "{", "invalid JSON body"),
        (
            "/_dev/event",
            r#"{"type": "chat.message.received", "payload": 7}"#,
            "not a chat message",
        ),
        ("/_dev/chat", "hi", "invalid JSON body"),
        ("/_dev/chat", r#"{"user": 7}"#, "invalid JSON body"),
    ] {
        let answer = workshop.ask(request("POST", path).raw_body(body)).await;
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.body.contains(text), "{body}: {answer:?}");
    }
    assert_eq!(workshop.ask(get("/_dev/event")).await.status, 405);
    assert_eq!(
        workshop.ask(request("DELETE", "/_dev/chat")).await.status,
        405
    );
}

#[tokio::test]
async fn pages_are_served_as_on_a_server_to_whoever_the_request_says_it_is() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let usage = workshop.ask(get("/")).await;
    assert!(usage.body.contains("POST /_dev/chat"), "{usage:?}");
    let page = workshop.ask(get("/plugins/bell/")).await;
    assert_eq!((page.status, page.body.as_str()), (200, "<p>ring</p>"));
    assert!(page.header("content-security-policy").contains("sandbox"));
    assert_eq!(page.header("access-control-allow-origin"), "*");
    let who = |token: &'static str| {
        let request = get("/plugins/bell/who");
        match token {
            "" => request,
            token => request.header("authorization", &format!("Bearer {token}")),
        }
    };
    for (token, told) in [
        ("", json!({"operator": false, "user": null})),
        ("admin", json!({"operator": true, "user": null})),
        (
            "user:ann",
            json!({"operator": false, "user": {"id": "u-ann", "displayName": "ann", "displayColor": 0, "isAuthenticated": true}}),
        ),
    ] {
        assert_eq!(workshop.ask(who(token)).await.json(), told, "{token}");
    }
    let admin = workshop.ask(get("/plugins/bell/admin/state")).await;
    assert_eq!((admin.status, admin.body.as_str()), (200, "admin True"));
    assert_eq!(workshop.ask(get("/plugins/bell/nothing")).await.status, 404);
    assert_eq!(workshop.ask(get("/plugins/other/")).await.status, 404);
    let led = get("/plugins/bell/").header("host", "somewhere.example");
    assert_eq!(workshop.ask(led).await.status, 403);
    let file = ".service-dev-data/plugin-storage/bell/files/seen.txt";
    assert_eq!(
        std::fs::read_to_string(project.path().join(file)).unwrap(),
        "x"
    );
    workshop
        .until_written("GET /plugins/bell/nothing 404")
        .await;
}

#[tokio::test]
async fn a_page_of_somebody_else_is_not_the_operator() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    for origin in ["https://evil.example", "null"] {
        for path in ["/plugins/bell/admin", "/plugins/bell/admin/state"] {
            for method in ["GET", "POST"] {
                let led = request(method, path).header("origin", origin);
                let led = led.header("authorization", "Bearer admin");
                assert_eq!(workshop.ask(led).await.status, 401, "{method} {path}");
            }
        }
        let led = get("/plugins/bell/who").header("origin", origin);
        let led = led.header("authorization", "Bearer admin");
        let told = workshop.ask(led).await.json();
        assert_eq!(told["operator"], false, "{origin}");
    }
    let own = format!("http://{}", workshop.address);
    let state = || get("/plugins/bell/admin/state");
    for request in [state(), state().header("origin", &own)] {
        let answer = workshop.ask(request).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "admin True"));
    }
}

#[tokio::test]
async fn timers_go_off() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    assert_eq!(workshop.ask(get("/plugins/bell/later")).await.body, "soon");
    testkit::eventually("the timer goes off", || async {
        let last = workshop.chat().await.pop()?;
        (last.1 == "time is up").then_some(())
    })
    .await;
}

#[tokio::test]
async fn changed_code_is_loaded_again_and_broken_code_is_not() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    workshop.say(json!({"body": "!ring a"})).await;
    project.put("src/plugin.py", "def broken(:\n");
    workshop
        .until_written("not reloaded, the old version keeps running")
        .await;
    workshop.say(json!({"body": "!ring b"})).await;
    assert_eq!(workshop.chat().await.pop().unwrap().1, "ding b 2");
    project.put("src/plugin.py", &BELL.replace("ding", "dong"));
    workshop
        .until_written("reloaded: its files have changed")
        .await;
    workshop.say(json!({"body": "!ring c"})).await;
    // Stored data survives.
    assert_eq!(workshop.chat().await.pop().unwrap().1, "dong c 3");
    project.put("public/index.html", "<p>other</p>");
    testkit::eventually("the new page is served", || async {
        let page = workshop.ask(get("/plugins/bell/")).await;
        (page.body == "<p>other</p>").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_link_to_the_program_is_the_tool_its_name_says() {
    let project = Project::new(BELL);
    project.put(
        "__tests__/a.test.json",
        r#"[{"name": "nothing", "expect": {"chatSends": []}}]"#,
    );
    let tool = link(&project, "service-plugin-test");
    let (code, out, _) = run(program(&tool, project.path()).arg(".")).await;
    assert_eq!(
        (code, out.as_str()),
        (0, "ok    a.test.json :: nothing\n1/1 passed\n")
    );
    let (code, ..) = run(program(&tool, project.path()).arg("--load-only")).await;
    assert_eq!(code, 0);
    let (code, out, _) = run(program(&tool, project.path()).arg("--version")).await;
    assert_eq!(code, 0);
    assert!(out.contains(env!("CARGO_PKG_VERSION")), "{out}");
    let (code, _, why) = run(program(&tool, project.path()).arg("nowhere")).await;
    assert_eq!((code, why.lines().count()), (2, 1), "{why}");

    let tool = link(&project, "service-plugin-serve");
    let mut command = program(&tool, project.path());
    command.env("PORT", "0");
    let workshop = Workshop::started_by(command).await;
    assert!(
        workshop
            .first_line
            .contains("serving bell at http://127.0.0.1:"),
        "{}",
        workshop.first_line
    );
    assert_eq!(workshop.ask(get("/plugins/bell/")).await.status, 200);
}

#[tokio::test]
async fn what_cannot_be_served_is_said_with_exit_code_2() {
    let project = Project::new("import nothing_like_this\n");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = port.local_addr().unwrap().port().to_string();
    let serve = |arguments: &[&str]| {
        let mut command = program(&rillcast(), project.path());
        command.args(["plugin", "serve"]).args(arguments);
        command
    };
    for (arguments, part) in [
        (vec!["-p", "0"], "nothing_like_this"),
        (vec!["-p", &taken], "choose another port"),
        (vec!["nowhere"], "nowhere"),
        (vec!["public"], "there is no plugin.manifest.json"),
        (vec!["src/plugin.py"], "not a ZIP archive"),
    ] {
        let (code, _, why) = run(&mut serve(&arguments)).await;
        assert_eq!(code, 2, "{arguments:?}: {why}");
        assert!(why.contains(part), "{arguments:?}: {why}");
    }
}
