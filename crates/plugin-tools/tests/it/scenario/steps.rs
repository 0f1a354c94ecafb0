//! The steps of a scenario, one by one.

use serde_json::{Value, json};

use super::{failure, hold, line, named, play, project, run, said};

fn filtered(body: &str, expect: Value) -> Value {
    json!({"filter": "chat.message.received", "payload": line(body), "expect": expect})
}

#[tokio::test]
async fn an_event_is_told_and_not_filtered() {
    hold(vec![json!({
        "events": [said("drop"), {"event": "chat.user.joined", "payload": {"id": "u"}}, {"event": "unheard.of"}],
        "expect": {"chatSends": ["echo: drop"]},
    })])
    .await;
}

#[tokio::test]
async fn an_event_that_cannot_happen_is_refused_with_what_may_have_been_meant() {
    let text = failure(json!({
        "events": [{"event": "chat.user.join", "payload": {"id": "u"}}], "expect": {"chatSends": []},
    }))
    .await;
    let refused =
        r#"events[0]: there is no event "chat.user.join": did you mean "chat.user.joined"?"#;
    assert!(text.contains(refused), "{text}");
}

#[tokio::test]
async fn an_event_of_a_plugin_that_nobody_hears_is_played_and_told_when_it_looks_mistyped() {
    let scenario = json!({"events": [{"event": "tried.runs"}], "expect": {"chatSends": []}});
    let report = play(project(&named(vec![scenario])).path()).await;
    assert!(report.is_good(), "{}", report.lines().join("\n"));
    let note = &report.outcomes[0].notes[0];
    assert!(note.contains(r#"did you mean "tried.run"?"#), "{note}");
}

#[tokio::test]
async fn commands_are_found_in_messages_after_the_handlers() {
    let mut other = line("!P  a  b ");
    other["user"]["id"] = "v".into();
    hold(vec![json!({
        "events": [said("!ping a"), {"event": "chat.message.received", "payload": other}, said("hello")],
        "expect": {"chatSends": ["pong a", "pong a  b", "echo: hello"]},
    })])
    .await;
}

#[tokio::test]
async fn a_payload_that_is_no_message_is_told() {
    let text =
        failure(json!({"events": [{"event": "chat.message.received", "payload": {"body": 7}}]}))
            .await;
    assert!(
        text.contains("events[0]: this is not a chat message"),
        "{text}"
    );
}

#[tokio::test]
async fn a_filter_that_passes_leaves_the_message_as_it_is() {
    hold(vec![json!({"events": [
        filtered("x", json!({"action": "pass"})),
        // A failing filter passes everything.
        filtered("raise", json!({"action": "pass"})),
    ]})])
    .await;
    let text = failure(json!({"events": [filtered("change", json!({"action": "pass"}))]})).await;
    assert!(
        text.contains("events[0]: expected pass, got modify"),
        "{text}"
    );
}

#[tokio::test]
async fn a_filter_that_modifies_is_compared_with_what_is_given_of_the_payload() {
    hold(vec![json!({"events": [
        filtered("change", json!({"action": "modify", "payload": {"body": "changed", "user": {"id": "u"}}})),
        filtered("change", json!({"action": "modify"})),
        // The line survived and looks like this.
        filtered("x", json!({"action": "modify", "payload": {"body": "x"}})),
    ]})])
    .await;
    for (body, expect) in [
        (
            "change",
            json!({"action": "modify", "payload": {"body": "other"}}),
        ),
        ("x", json!({"action": "modify", "payload": {"body": "y"}})),
        ("x", json!({"action": "modify"})),
        (
            "drop",
            json!({"action": "modify", "payload": {"body": "drop"}}),
        ),
    ] {
        failure(json!({"events": [filtered(body, expect)]})).await;
    }
}

#[tokio::test]
async fn a_filter_that_drops_is_compared_by_its_reason_if_there_is_one() {
    hold(vec![json!({"events": [
        filtered("drop", json!({"action": "drop"})),
        filtered("drop", json!({"action": "drop", "reason": "no"})),
    ]})])
    .await;
    let wrong = json!({"action": "drop", "reason": "yes"});
    let text = failure(json!({"events": [filtered("drop", wrong)]})).await;
    assert!(
        text.contains(r#"expected the reason "yes", got "no""#),
        "{text}"
    );
    let text = failure(json!({"events": [filtered("x", json!({"action": "drop"}))]})).await;
    assert!(
        text.contains("events[0]: expected drop, got pass"),
        "{text}"
    );
}

#[tokio::test]
async fn a_filter_whose_result_is_no_verdict_fails_the_scenario() {
    let text = failure(json!({"events": [filtered("nonsense", json!({"action": "pass"}))]})).await;
    assert!(
        text.contains("filter_chat_message returned 'drop'"),
        "{text}"
    );
}

#[tokio::test]
async fn another_action_of_a_filter_is_an_error() {
    for wrong in [json!({"action": "allow"}), json!({"reason": "x"})] {
        let text = failure(json!({"events": [filtered("x", wrong)]})).await;
        assert!(text.contains("pass, modify or drop"), "{text}");
    }
    for other in [
        json!({"filter": "stream.started", "payload": {}, "expect": {"action": "pass"}}),
        json!({"filter": "chat.mesage.received", "payload": line("x")}),
    ] {
        let text = failure(json!({"events": [other]})).await;
        assert!(
            text.contains("only \"chat.message.received\" is filtered"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_request_goes_the_way_of_the_server() {
    hold(vec![json!({"events": [
        {"http": {"path": "/hello?name=ana", "expect": {"status": 201, "body": "hi ana",
            "headers": {"content-type": "text/x"}}}},
        {"http": {"path": "/hello", "expect": {"status": 0, "bodyContains": "hi"}}},
        {"http": {"path": "/page.txt", "expect": {"status": 200, "body": "a page"}}},
        {"http": {"path": "/none", "expect": {"status": 404}}},
        {"http": {"method": "POST", "path": "/run", "body": "say('asked')", "expect": {"status": 204, "body": "",
            "headers": {"ETag": "False"}}}},
    ], "expect": {"chatSends": ["asked"]}})])
    .await;
}

#[tokio::test]
async fn pages_of_the_operator_want_one_and_a_user_counts_as_one() {
    let user = json!({"id": "u", "displayName": "mira"});
    hold(vec![json!({"events": [
        {"http": {"path": "/admin/x", "expect": {"status": 401}}},
        {"http": {"path": "/admin/x", "authenticated": true, "expect": {"status": 404}}},
        {"http": {"path": "/admin/x", "user": user, "expect": {"status": 404}}},
        {"http": {"path": "/hello", "user": user, "expect": {"body": "hi mira"}}},
        {"http": {"method": "POST", "path": "/run", "user": user, "expect": {"headers": {"ETag": "True"}}}},
    ]})])
    .await;
}

#[tokio::test]
async fn a_viewer_who_is_said_not_to_be_the_operator_is_none() {
    let user = json!({"id": "u", "displayName": "mira"});
    hold(vec![json!({"events": [
        {"http": {"path": "/admin/x", "user": user, "authenticated": false, "expect": {"status": 401}}},
        {"http": {"path": "/hello", "user": user, "authenticated": false, "expect": {"body": "hi mira"}}},
        {"http": {"method": "POST", "path": "/run", "user": user, "authenticated": false,
            "expect": {"headers": {"ETag": "False"}}}},
    ]})])
    .await;
}

#[tokio::test]
async fn an_answer_that_is_not_as_expected_is_told_in_each_respect() {
    let text = failure(
        json!({"events": [{"http": {"path": "/hello?name=a%0Ab", "expect": {
            "status": 200, "body": "hi b\nb", "bodyContains": "bye", "headers": {"x-none": "1"},
        }}}]}),
    )
    .await;
    for part in [
        "events[0]: expected status 200, got 201",
        "events[0]: body",
        r#"≠ "hi b"     "hi a""#,
        "events[0]: this is not in the body",
        "events[0]: header x-none",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[tokio::test]
async fn an_empty_body_that_is_expected_must_be_empty() {
    let text = failure(json!({"events": [{"http": {"path": "/hello", "expect": {"body": ""}}}]}));
    assert!(text.await.contains("events[0]: body"));
}

#[tokio::test]
async fn a_request_the_plugin_fails_at_is_500_with_its_traceback() {
    let text = failure(json!({"events": [
        {"http": {"method": "POST", "path": "/run", "body": "1/0", "expect": {"status": 204}}},
    ]}))
    .await;
    for part in [
        "expected status 204, got 500",
        "ZeroDivisionError: division by zero at src/plugin.py:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[tokio::test]
async fn auth_check_asks_about_a_viewer() {
    hold(vec![json!({"events": [
        {"authCheck": {"user": {"id": "u-in"}, "expect": {"action": "ok"}}},
        {"authCheck": {"user": {"id": "u-out"}, "expect": {"action": "deny", "reason": "go away"}}},
        {"authCheck": {"user": {"id": "u-out"}}},
    ]})])
    .await;
    let text = failure(
        json!({"events": [{"authCheck": {"user": {"id": "u-in"}, "expect": {"action": "deny"}}}]}),
    )
    .await;
    assert!(text.contains("events[0]: expected deny, got ok"), "{text}");
}

#[tokio::test]
async fn tab_content_and_page_content_are_asked_for_with_and_without_a_user() {
    let user = json!({"id": "u", "displayName": "mira"});
    hold(vec![json!({"events": [
        {"tabContent": {"slug": "wall", "expect": {"body": "wall of nobody"}}},
        {"tabContent": {"slug": "wall", "user": user, "expect": {"bodyContains": "mira"}}},
        {"tabContent": {"slug": "other", "expect": {"body": ""}}},
        {"pageContent": {"slug": "extra", "expect": {"body": "more for nobody"}}},
        {"pageContent": {"slug": "extra", "user": user, "expect": {"bodyContains": "mira"}}},
    ]})])
    .await;
    failure(json!({"events": [{"tabContent": {"slug": "wall", "expect": {"body": "x"}}}]})).await;
    failure(
        json!({"events": [{"pageContent": {"slug": "extra", "expect": {"bodyContains": "x"}}}]}),
    )
    .await;
}

#[tokio::test]
async fn page_styles_and_page_scripts_are_asked_for() {
    hold(vec![json!({"events": [
        {"pageStyles": {"expect": {"body": "b{}"}}},
        {"pageScripts": {"expect": {"bodyContains": "let"}}},
    ]})])
    .await;
    failure(json!({"events": [{"pageStyles": {"expect": {"body": "x"}}}]})).await;
    failure(json!({"events": [{"pageScripts": {"expect": {"body": "x"}}}]})).await;
}

#[tokio::test]
async fn a_step_is_of_exactly_one_kind() {
    for step in [
        json!({"event": "x", "filter": "y"}),
        json!({}),
        json!({"event": "x", "advanceMs": 1}),
    ] {
        let text = failure(json!({"events": [step]})).await;
        assert!(
            text.contains("events[0]: a step has exactly one of"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn expect_beside_a_step_that_is_no_filter_is_an_error() {
    let text = failure(
        json!({"events": [{"event": "tick", "payload": {}, "expect": {"action": "pass"}}]}),
    )
    .await;
    assert!(
        text.contains("\"expect\" beside the step is for filters"),
        "{text}"
    );
}

#[tokio::test]
async fn all_steps_are_played_even_if_one_fails_and_all_failures_are_listed() {
    let text = failure(json!({
        "events": [
            {"event": "x", "filter": "y"},
            run("say('second')"),
            filtered("drop", json!({"action": "pass"})),
            run("say('fourth')"),
        ],
        "expect": {"chatSends": ["second"], "kv": {"k": "v"}},
    }))
    .await;
    for part in [
        "events[0]: a step has",
        "events[2]: expected pass, got drop",
        "≠ (nothing)   \"fourth\"",
        "kv.k",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
