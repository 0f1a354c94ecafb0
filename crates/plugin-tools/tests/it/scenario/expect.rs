//! Expectations after all steps, key by key.

use serde_json::{Value, json};

use super::{ask, hold, named, play, project, run};

/// After these steps, each good value passes as the key's expectation and each bad one fails.
async fn compared(events: Vec<Value>, key: &str, good: Vec<Value>, bad: Vec<Value>) {
    let scenario = |value: &Value| json!({"events": events, "expect": {key: value}});
    hold(good.iter().map(scenario).collect()).await;
    let scenarios = named(bad.iter().map(scenario).collect());
    let report = play(project(&scenarios).path()).await;
    for (outcome, value) in report.outcomes.iter().zip(&bad) {
        let told = outcome.failures.iter().any(|why| why.starts_with(key));
        assert!(told, "{key}: {value}: {:?}", outcome.failures);
    }
}

/// Checks that texts are compared one by one, in order.
async fn texts(key: &str, call: &str) {
    let code = format!("service.{call}('a'); service.{call}('b')");
    compared(
        vec![run(&code)],
        key,
        vec![json!(["a", "b"])],
        vec![
            json!([]),
            json!(["a"]),
            json!(["b", "a"]),
            json!(["a", "b", "c"]),
            json!(["a", "B"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_chat_sends_is_exact_and_in_order() {
    texts("chatSends", "chat.send").await;
}

#[tokio::test]
async fn expect_chat_actions_is_exact_and_in_order() {
    texts("chatActions", "chat.send_action").await;
}

#[tokio::test]
async fn expect_chat_systems_is_exact_and_in_order() {
    texts("chatSystems", "chat.system").await;
}

#[tokio::test]
async fn expect_deleted_messages_is_exact_and_in_order() {
    texts("deletedMessages", "chat.delete_message").await;
}

#[tokio::test]
async fn expect_banned_ips_is_exact_and_in_order() {
    compared(
        vec![run(
            "service.users.ban_ip('192.0.2.1'); service.users.ban_ip('192.0.2.2')",
        )],
        "bannedIPs",
        vec![json!(["192.0.2.1", "192.0.2.2"])],
        vec![
            json!([]),
            json!(["192.0.2.1"]),
            json!(["192.0.2.2", "192.0.2.1"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_discord_posts_is_exact_and_in_order() {
    texts("discordPosts", "notifications.discord").await;
}

#[tokio::test]
async fn expect_fediverse_outbox_is_exact_and_in_order() {
    texts("fediverseOutbox", "fediverse.post").await;
}

#[tokio::test]
async fn expect_chat_to_is_exact() {
    compared(
        vec![run("service.chat.send_to(4, 'a')")],
        "chatTo",
        vec![json!([{"clientId": 4, "text": "a"}])],
        vec![
            json!([]),
            json!([{"clientId": 5, "text": "a"}]),
            json!([{"clientId": 4, "text": "b"}]),
            json!([{"clientId": 4}]),
            json!([{"text": "a"}]),
            json!([{"clientId": 4, "text": "a", "more": 1}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_kicked_clients_is_exact() {
    compared(
        vec![run("service.chat.kick(4); service.chat.kick(2)")],
        "kickedClients",
        vec![json!([4, 2])],
        vec![json!([]), json!([2, 4]), json!([4])],
    )
    .await;
}

#[tokio::test]
async fn expect_browser_pushes_is_exact_and_what_is_left_out_is_empty() {
    compared(
        vec![run(
            "service.notifications.browser_push({'title': 'a', 'body': 'b'})",
        )],
        "browserPushes",
        vec![
            json!([{"title": "a", "body": "b"}]),
            json!([{"title": "a", "body": "b", "url": ""}]),
        ],
        vec![
            json!([]),
            json!([{"title": "a"}]),
            json!([{"title": "a", "body": "b", "url": "c"}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_fediverse_posts_is_exact_and_what_is_left_out_is_empty() {
    compared(
        vec![run(
            "service.notifications.fediverse({'type': 'follow', 'body': 'b', 'link': 'l'})",
        )],
        "fediversePosts",
        vec![json!([{"type": "follow", "body": "b", "link": "l"}])],
        vec![
            json!([]),
            json!([{"type": "follow", "body": "b"}]),
            json!([{"type": "like", "body": "b", "link": "l"}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_user_moderations_is_exact() {
    compared(
        vec![run("service.users.set_enabled('u', False, 'rude')")],
        "userModerations",
        vec![
            json!([{"userId": "u", "enabled": false, "reason": "rude"}]),
            json!([{"userId": "u", "reason": "rude"}]),
        ],
        vec![
            json!([]),
            json!([{"userId": "u", "enabled": true, "reason": "rude"}]),
            json!([{"userId": "u", "enabled": false}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_user_registrations_looks_at_the_auth_id_and_at_what_is_given() {
    compared(
        vec![run("service.users.register('a', 'Ana', ['MODERATOR'], handle='@a'); service.users.register('b')")],
        "userRegistrations",
        vec![
            json!([{"authId": "a"}, {"authId": "b"}]),
            json!([{"authId": "a", "displayName": "Ana", "scopes": ["MODERATOR"], "handle": "@a"}, {"authId": "b", "scopes": []}]),
        ],
        vec![
            json!([]),
            json!([{"authId": "a"}]),
            json!([{"authId": "a", "scopes": []}, {"authId": "b"}]),
            json!([{"authId": "a", "displayName": "Eve"}, {"authId": "b"}]),
            json!([{"displayName": "Ana"}, {"authId": "b"}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_session_grants_looks_at_ttl_only_when_it_is_not_zero() {
    let code = "service.users.register('a'); service.auth.grant_session('u-a', 60)";
    compared(
        vec![ask(code)],
        "sessionGrants",
        vec![
            json!([{"userId": "u-a"}]),
            json!([{"userId": "u-a", "ttl": 0}]),
            json!([{"userId": "u-a", "ttl": 60}]),
        ],
        vec![
            json!([]),
            json!([{"userId": "u-a", "ttl": 61}]),
            json!([{"userId": "u-b"}]),
            json!([{"ttl": 60}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_session_clears_is_a_number_that_counts_when_it_is_not_zero() {
    let end = ask("service.auth.end_session()");
    compared(
        vec![end.clone(), end],
        "sessionClears",
        vec![json!(2), json!(0)],
        vec![json!(1), json!(3)],
    )
    .await;
}

#[tokio::test]
async fn expect_uploads_looks_at_the_name_and_at_the_content_that_is_given() {
    compared(
        vec![run("service.storage.upload('a.txt', b'hello')")],
        "uploads",
        vec![
            json!([{"name": "a.txt"}]),
            json!([{"name": "a.txt", "body": ""}]),
            json!([{"name": "a.txt", "body": "hello"}]),
            json!([{"name": "a.txt", "bodyBase64": "aGVsbG8="}]),
            json!([{"name": "a.txt", "bodyBase64": "aGVsbG8"}]),
        ],
        vec![
            json!([]),
            json!([{"name": "b.txt"}]),
            json!([{"name": "a.txt", "body": "bye"}]),
            json!([{"name": "a.txt", "bodyBase64": ""}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_video_config_writes_is_equal_to_the_last_member_and_in_order() {
    compared(
        vec![run("service.video_config.write({'latencyLevel': 2}); service.video_config.write({'codec': 'libx264'})")],
        "videoConfigWrites",
        vec![json!([{"latencyLevel": 2}, {"codec": "libx264"}])],
        vec![json!([]), json!([{}, {"codec": "libx264"}]), json!([{"codec": "libx264"}, {"latencyLevel": 2}])],
    )
    .await;
}

#[tokio::test]
async fn expect_emits_has_whole_names_and_parts_of_payloads_and_nothing_is_delivered() {
    let code = "service.events.emit('run', {'do': 'say(1)', 'x': [{'y': 1, 'z': 2}]}); service.events.emit('b', None)";
    compared(
        vec![run(code)],
        "emits",
        vec![
            json!([{"eventType": "tried.run"}, {"eventType": "tried.b"}]),
            json!([{"eventType": "tried.run", "payload": {"x": [{"y": 1}]}}, {"eventType": "tried.b"}]),
        ],
        vec![
            json!([]),
            json!([{"eventType": "run"}, {"eventType": "tried.b"}]),
            json!([{"eventType": "tried.run"}]),
            json!([{"eventType": "tried.b"}, {"eventType": "tried.run"}]),
            json!([{"eventType": "tried.run", "payload": {"x": []}}, {"eventType": "tried.b"}]),
            json!([{"eventType": "tried.run", "payload": {"w": null}}, {"eventType": "tried.b"}]),
            json!([{"payload": {"x": [{"y": 1}]}}, {"eventType": "tried.b"}]),
        ],
    )
    .await;
    hold(vec![
        json!({"events": [run(code)], "expect": {"chatSends": []}}),
    ])
    .await;
}

#[tokio::test]
async fn expect_sse_sends_has_the_channel_and_what_is_not_empty() {
    compared(
        vec![run("service.sse.send('c', 'e', {'a': 1})")],
        "sseSends",
        vec![
            json!([{"channel": "c"}]),
            json!([{"channel": "c", "event": "", "data": ""}]),
            json!([{"channel": "c", "event": "e", "data": "{\"a\": 1}"}]),
        ],
        vec![
            json!([]),
            json!([{"channel": "d"}]),
            json!([{"channel": "c", "data": "{}"}]),
            json!([{"event": "e"}]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_http_requests_counts_and_has_whole_addresses() {
    let code = "service.http.fetch('https://api.example/a?b=1', {'method': 'POST', 'body': 'x'})";
    let given = json!({"httpResponses": [{"url": "*"}]});
    let check = |expect: Value| json!({"given": given, "events": [run(code)], "expect": {"httpRequests": expect}});
    hold(vec![
        check(json!([{"url": "https://api.example/a?b=1"}])),
        check(json!([{"url": "https://api.example/a?b=1", "method": "POST", "body": "x"}])),
    ])
    .await;
    for wrong in [
        json!([]),
        json!([{"url": "https://api.example/*"}]),
        json!([{"url": "https://api.example/a?b=1", "method": "GET"}]),
        json!([{"url": "https://api.example/a?b=1", "body": "y"}]),
        json!([{"method": "POST"}]),
    ] {
        let text = super::failure(check(wrong)).await;
        assert!(text.contains("httpRequests"), "{text}");
    }
}

#[tokio::test]
async fn expect_http_requests_has_addresses_as_the_plugin_wrote_them() {
    for url in [
        "https://api.example?format=json",
        "HTTPS://API.example/%7ea",
        "https://api.example:443/",
    ] {
        let code = format!("service.http.fetch({url:?})");
        let given = json!({"httpResponses": [{"url": url}]});
        let expect = json!({"httpRequests": [{"url": url}]});
        hold(vec![
            json!({"given": given, "events": [run(&code)], "expect": expect}),
        ])
        .await;
    }
}

#[tokio::test]
async fn expect_logs_is_exact() {
    compared(
        vec![run(
            "service.log.warning('w'); service.log.info('i'); service.log.error('e')",
        )],
        "logs",
        vec![json!([
            {"plugin": "tried", "level": "warning", "message": "w"},
            {"plugin": "tried", "level": "info", "message": "i"},
            {"plugin": "tried", "level": "error", "message": "e"},
        ])],
        vec![
            json!([]),
            json!([
                {"plugin": "tried", "level": "warning", "message": "w"},
                {"plugin": "tried", "message": "i"},
                {"plugin": "tried", "level": "error", "message": "e"},
            ]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_commands_goes_by_name_and_always_compares_the_last_three() {
    compared(
        vec![],
        "commands",
        vec![
            json!([{"name": "ping", "cooldownMs": 5000}]),
            json!([{"name": "ping", "prefix": "!", "aliases": ["p"], "description": "Answers", "usage": "",
                "modOnly": false, "caseSensitive": false, "cooldownMs": 5000}]),
        ],
        vec![
            json!([{"name": "ping"}]),
            json!([{"name": "pong", "cooldownMs": 5000}]),
            json!([{"name": "ping", "cooldownMs": 5000, "modOnly": true}]),
            json!([{"name": "ping", "cooldownMs": 5000, "aliases": []}]),
            json!([]),
        ],
    )
    .await;
}

#[tokio::test]
async fn expect_kv_looks_at_the_keys_that_are_listed_and_one_that_is_missing_is_empty() {
    compared(
        vec![run(
            "service.kv.set('a', '1'); service.kv.set('b', '2'); service.kv.delete('b')",
        )],
        "kv",
        vec![
            json!({"a": "1"}),
            json!({"b": ""}),
            json!({"none": ""}),
            json!({}),
        ],
        vec![json!({"a": "2"}), json!({"none": "1"}), json!({"b": "2"})],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_expected_is_not_looked_at() {
    let code = "service.chat.send('a'); service.kv.set('k', 'v'); service.log.info('l'); service.events.emit('e', 1)";
    hold(vec![
        json!({"events": [run(code)]}),
        json!({"events": [run(code)], "expect": {}}),
    ])
    .await;
}
