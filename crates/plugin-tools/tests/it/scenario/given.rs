//! The initial state of a scenario, key by key.

use serde_json::{Value, json};

use super::{failure, hold, run};

/// With this initial state, the code says this text.
fn says(given: Value, code: &str, text: &str) -> Value {
    json!({"given": given, "events": [run(code)], "expect": {"chatSends": [text]}})
}

#[tokio::test]
async fn given_kv_is_what_is_kept_when_the_scenario_begins() {
    hold(vec![
        says(json!({"kv": {"a": "1"}}), "say(service.kv.get('a'))", "1"),
        says(json!({}), "say(service.kv.get('a'))", "null"),
    ])
    .await;
}

#[tokio::test]
async fn given_config_is_what_the_operator_set_for_declared_keys() {
    let code = "say([service.config.get('sound'), service.config.get('other')])";
    hold(vec![
        says(
            json!({"config": {"sound": "brr", "other": 1}}),
            code,
            r#"["brr", null]"#,
        ),
        says(json!({}), code, r#"["ding", null]"#),
    ])
    .await;
}

#[tokio::test]
async fn given_stream_server_federation_broadcaster_and_video_config_are_read_as_they_are() {
    let odd = json!({"online": true, "viewers": 3, "odd": [1]});
    let text = r#"{"online": true, "viewers": 3, "odd": [1]}"#;
    let cases = [
        ("stream", "service.stream.current()"),
        ("server", "service.server.info()"),
        ("federation", "service.server.federation()"),
        ("broadcaster", "service.stream.broadcaster()"),
        ("videoConfig", "service.video_config.read()"),
    ];
    let scenarios = cases.map(|(key, call)| {
        // The key order matters, and a JSON value would not preserve it.
        let code =
            format!("say(json.loads(json.dumps({call}.raw)) == json.loads('{text}') and 'same')");
        says(json!({ key: odd }), &code, "same")
    });
    hold(scenarios.to_vec()).await;
}

#[tokio::test]
async fn given_socials_and_tags_are_lists_that_are_read() {
    let given = json!({"socials": [{"platform": "a", "url": "b"}], "tags": ["x", "y"]});
    let code = "say([[one.raw for one in service.server.socials()], service.server.tags()])";
    let text = r#"[[{"platform": "a", "url": "b"}], ["x", "y"]]"#;
    hold(vec![
        says(given, code, text),
        says(json!({}), code, "[[], []]"),
    ])
    .await;
}

#[tokio::test]
async fn given_chat_history_is_read_from_its_end() {
    let given = json!({"chatHistory": [{"id": "1", "body": "a"}, {"id": "2", "body": "b"}, {"id": "3", "body": "c"}]});
    let code = "say([one.body for one in service.chat.history(2)])";
    hold(vec![
        says(given, code, r#"["b", "c"]"#),
        says(json!({}), code, "[]"),
    ])
    .await;
}

#[tokio::test]
async fn given_chat_clients_and_users_are_who_there_is() {
    let given = json!({
        "chatClients": [{"id": 4, "userId": "u-1"}],
        "users": [{"id": "u-1", "displayName": "mira"}],
    });
    let code = "say([[one.id for one in service.chat.clients()], service.users.get('u-1').display_name, \
                service.users.get('u-2'), len(service.users.list())])";
    hold(vec![says(given, code, r#"[[4], "mira", null, 1]"#)]).await;
}

#[tokio::test]
async fn users_and_messages_are_made_whole_by_their_wire_types() {
    let given = json!({"users": [{"id": "u-1", "displayName": "mira"}]});
    let code = "say(service.users.list()[0].raw)";
    let text = r#"{"id": "u-1", "displayName": "mira", "displayColor": 0}"#;
    hold(vec![says(given, code, text)]).await;
}

#[tokio::test]
async fn what_is_not_given_is_empty() {
    let code = "now = service.stream.current(); say([now.online, now.viewers, service.users.list(), \
                service.chat.clients(), service.server.tags()])";
    hold(vec![says(json!({}), code, "[false, 0, [], [], []]")]).await;
}

#[tokio::test]
async fn given_http_responses_answer_by_url_and_method_and_the_first_that_fits_answers_again_and_again()
 {
    let given = json!({"httpResponses": [
        {"url": "https://api.example/a", "method": "POST", "status": 201},
        {"url": "https://api.example/a?x=1", "status": 202},
        {"url": "https://api.example/*", "status": 200, "headers": {"X-A": "b"}, "body": "first"},
        {"url": "https://api.example/*", "status": 500},
    ]});
    let code = "
ask = service.http.fetch
answers = [ask('https://api.example/a'), ask('https://api.example/deep/er'), ask('https://api.example/a')]
say([[one.status, one.body] for one in answers])
say([ask('https://api.example/a', {'method': 'POST'}).status, ask('https://api.example/a?x=1').status])
say(answers[0].raw['headers'].get('x-a') or answers[0].raw['headers'].get('X-A'))";
    let said = [
        r#"[[200, "first"], [200, "first"], [200, "first"]]"#,
        "[201, 202]",
        "b",
    ];
    hold(vec![
        json!({"given": given, "events": [run(code)], "expect": {"chatSends": said}}),
    ])
    .await;
}

#[tokio::test]
async fn an_answer_with_times_is_used_up() {
    let given = json!({"httpResponses": [
        {"url": "https://api.example/", "status": 401, "times": 1},
        {"url": "https://api.example/", "status": 200},
    ]});
    let code = "say([service.http.fetch('https://api.example/').status for _ in range(3)])";
    hold(vec![says(given, code, "[401, 200, 200]")]).await;
}

#[tokio::test]
async fn a_request_nobody_answers_fails_the_scenario_and_names_the_address() {
    let code = "
try:
    service.http.fetch('https://api.example/nowhere')
except RuntimeError as problem:
    say('caught')";
    let text = failure(json!({"events": [run(code)], "expect": {"chatSends": ["caught"]}})).await;
    assert!(
        text.contains("nobody answered the request to https://api.example/nowhere"),
        "{text}"
    );
}

#[tokio::test]
async fn hosts_that_are_not_allowed_are_refused_in_tests_too() {
    let given = json!({"httpResponses": [{"url": "*"}]});
    let code = "
try:
    service.http.fetch('https://other.example/')
except RuntimeError as problem:
    say('refused')";
    hold(vec![json!({"given": given, "events": [run(code)], "expect": {"chatSends": ["refused"], "httpRequests": []}})]).await;
}

#[tokio::test]
async fn the_server_in_memory_answers_what_is_promised() {
    let cases = [
        ("say(service.users.register('a').user_id)", "u-a"),
        (
            "say(service.storage.upload('a.txt', b'x')['url'])",
            "mock://uploads/a.txt",
        ),
        (
            "service.fediverse.post('a'); say(service.fediverse.post('b')['url'])",
            "mock://fediverse/tried/2",
        ),
        (
            "say([service.timer.set_timeout(print, 100), service.timer.set_interval(print, 100)])",
            "[1, 2]",
        ),
        (
            "service.fs.write('a/b', b'\\xff\\x00'); say(service.fs.read('a/b').hex())",
            "ff00",
        ),
        (
            "service.sql.exec('create table t (a); insert into t values (7)'); say(service.sql.query_row('select a from t'))",
            r#"{"a": 7}"#,
        ),
        ("service.kv.set('a', 'b'); say(service.kv.get('a'))", "b"),
    ];
    hold(
        cases
            .map(|(code, text)| says(json!({}), code, text))
            .to_vec(),
    )
    .await;
}

#[tokio::test]
async fn buttons_are_kept_among_the_keys() {
    let code = "service.actions.add({'title': 'Go', 'url': 'https://a.example/'})";
    let kept = r#"[{"title":"Go","url":"https://a.example/"}]"#;
    hold(vec![
        json!({"events": [run(code)], "expect": {"kv": {"service.actions": kept}}}),
        json!({"events": [run(code), run("service.actions.clear()")], "expect": {"kv": {"service.actions": ""}}}),
    ])
    .await;
}

#[tokio::test]
async fn every_scenario_has_a_fresh_plugin_and_a_fresh_server() {
    let code = "service.kv.set('a', '1'); globals()['mark'] = 1; service.fs.write('f', 'x'); \
                service.sql.exec('create table t (a)')";
    let look = "say([service.kv.get('a'), 'mark' in globals(), service.fs.exists('f')]); \
                service.sql.exec('create table t (a)')";
    let expect = json!({"chatSends": ["[null, false, false]"]});
    hold(vec![
        json!({"events": [run(code)], "expect": {"kv": {"a": "1"}}}),
        json!({"events": [run(look)], "expect": expect}),
        json!({"events": [run(code)], "expect": {"kv": {"a": "1"}}}),
        json!({"events": [run(look)], "expect": expect}),
    ])
    .await;
}
