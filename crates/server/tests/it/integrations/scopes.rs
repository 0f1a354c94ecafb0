//! Ten endpoints and every kind of token: who may do what, and the answers to those who may not.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::bot::{ALL_SCOPES, Bot};
use crate::chat::chatter::register;
use crate::http::{Answer, Request, get, post, request, server_with};

/// An endpoint of the API.
struct Endpoint {
    method: &'static str,
    path: String,
    scope: &'static str,
    body: Value,
    /// The body of a GET, or the message in the envelope.
    says: Says,
}

#[derive(Clone, Copy, PartialEq)]
enum Says {
    Word(&'static str),
    List,
    Object,
}

/// All endpoints, with a user id to look up.
fn endpoints(user_id: &str) -> Vec<Endpoint> {
    let send = json!({ "body": "hello" });
    let visibility = json!({ "idArray": [], "visible": true });
    let title = json!({ "value": "new title" });
    let row = |method, path: &str, scope: &'static str, body: &Value, says| Endpoint {
        method,
        path: format!("/api/integrations/{path}"),
        scope,
        body: body.clone(),
        says,
    };
    let system = "CAN_SEND_SYSTEM_MESSAGES";
    let admin = "HAS_ADMIN_ACCESS";
    let user = format!("moderation/chat/user/{user_id}");
    let none = Value::Null;
    vec![
        row("POST", "chat/system", system, &send, Says::Word("sent")),
        row(
            "POST",
            "chat/send",
            "CAN_SEND_MESSAGES",
            &send,
            Says::Word("sent"),
        ),
        row("POST", "chat/action", system, &send, Says::Word("sent")),
        row(
            "POST",
            "chat/messagevisibility",
            admin,
            &visibility,
            Says::Word("changed"),
        ),
        row("GET", "chat", admin, &none, Says::List),
        row("GET", "clients", admin, &none, Says::List),
        row("POST", "streamtitle", admin, &title, Says::Word("changed")),
        row(
            "POST",
            "chat/system/client/1",
            system,
            &send,
            Says::Word("sent"),
        ),
        row("GET", "status", admin, &none, Says::Object),
        row("GET", &user, admin, &none, Says::Object),
    ]
}

impl Endpoint {
    fn request(&self) -> Request {
        match self.method {
            "GET" => get(&self.path),
            _ => post(&self.path, &self.body),
        }
    }

    async fn call(&self, server: &TestServer, token: Option<&str>) -> Answer {
        let request = self.request();
        match token {
            Some(token) => request.header("authorization", token).send(server).await,
            None => request.send(server).await,
        }
    }
}

fn assert_refused(answer: &Answer, endpoint: &Endpoint, who: &str) {
    let (method, path) = (endpoint.method, &endpoint.path);
    let seen = (answer.status, answer.body.as_str());
    assert_eq!(seen, (401, "unauthorized"), "{method} {path} with {who}");
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(answer.header("www-authenticate"), "");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
}

fn assert_answered(answer: &Answer, endpoint: &Endpoint) {
    let (method, path) = (endpoint.method, &endpoint.path);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let document = answer.json();
    match endpoint.says {
        Says::Word(word) => {
            let envelope = json!({ "success": true, "message": word });
            assert_eq!(document, envelope, "{method} {path}");
        }
        Says::List => assert!(document.is_array(), "{method} {path}"),
        Says::Object => assert!(document.is_object(), "{method} {path}"),
    }
}

#[tokio::test]
async fn a_missing_or_invalid_token_gets_401_with_a_plain_text_body_on_every_endpoint() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    let person_token = format!("Bearer {}", person.token);
    let mighty = Bot::mighty(&server).await;
    let (upper, bare) = (mighty.secret.to_uppercase(), mighty.secret.clone());
    let garbage = [
        "Bearer garbage",
        "Bearer ",
        "Bearer",
        "",
        "Basic YWRtaW46Y29ycmVjdCBob3JzZSBiYXR0ZXJ5",
        &person_token,
        &format!("Bearer {upper}"),
        &format!("Bearer {}", "x".repeat(5000)),
        &bare,
    ];
    for endpoint in endpoints(&person.id) {
        assert_refused(&endpoint.call(&server, None).await, &endpoint, "no token");
        for token in garbage {
            let answer = endpoint.call(&server, Some(token)).await;
            assert_refused(&answer, &endpoint, token);
        }
    }
}

#[tokio::test]
async fn a_token_with_another_scope_gets_401_and_never_403() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    for scope in ALL_SCOPES {
        let bot = Bot::with(&server, &[scope]).await;
        let token = format!("Bearer {}", bot.secret);
        for endpoint in endpoints(&person.id) {
            let answer = endpoint.call(&server, Some(&token)).await;
            if endpoint.scope == scope {
                assert_answered(&answer, &endpoint);
            } else {
                assert_refused(&answer, &endpoint, scope);
            }
        }
    }
}

#[tokio::test]
async fn a_token_with_all_scopes_may_call_every_endpoint() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    let bot = Bot::mighty(&server).await;
    for endpoint in endpoints(&person.id) {
        let token = format!("Bearer {}", bot.secret);
        assert_answered(&endpoint.call(&server, Some(&token)).await, &endpoint);
    }
}

#[tokio::test]
async fn a_revoked_token_gets_401_at_once_on_every_endpoint() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    let bot = Bot::mighty(&server).await;
    assert_eq!(bot.get(&server, "status").await.status, 200);
    assert_eq!(bot.revoke(&server).await.json()["message"], "deleted token");
    let token = format!("Bearer {}", bot.secret);
    for endpoint in endpoints(&person.id) {
        let answer = endpoint.call(&server, Some(&token)).await;
        assert_refused(&answer, &endpoint, "a revoked token");
    }
}

#[tokio::test]
async fn the_word_bearer_is_matched_in_any_case() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    for word in ["bearer", "BEARER", "Bearer"] {
        let request = get("/api/integrations/status");
        let request = request.header("authorization", &format!("{word} {}", bot.secret));
        assert_eq!(request.send(&server).await.status, 200, "{word}");
        let request = post("/api/integrations/chat/system", &json!({ "body": "x" }));
        let request = request.header("authorization", &format!("{word} {}", bot.secret));
        assert_eq!(request.send(&server).await.status, 200, "{word}");
    }
}

#[tokio::test]
async fn the_token_is_checked_before_path_and_body() {
    let server = server_with(&[]).await;
    let bot = Bot::with(&server, &["CAN_SEND_MESSAGES"]).await;
    for path in ["chat/system/client/abc", "chat/system", "streamtitle"] {
        let answer = bot.post_text(&server, path, "{not json").await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (401, "unauthorized"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_malformed_body_gets_400_with_success_false_and_a_message() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let send = [
        "",
        "{",
        "[]",
        "{}",
        "7",
        "null",
        r#"{"body":5}"#,
        r#"{"body":null}"#,
    ];
    let visibility = [
        "",
        "{}",
        r#"{"idArray":["x"]}"#,
        r#"{"visible":true}"#,
        r#"{"idArray":"x","visible":true}"#,
    ];
    let title = [
        "",
        "{}",
        r#"{"value":5}"#,
        r#"{"value":null}"#,
        r#"{"value":["x"]}"#,
    ];
    let cases = [
        ("chat/system", &send[..]),
        ("chat/send", &send[..]),
        ("chat/action", &send[..]),
        ("chat/system/client/1", &send[..]),
        ("chat/messagevisibility", &visibility[..]),
        ("streamtitle", &title[..]),
    ];
    for (path, bodies) in cases {
        for body in bodies {
            let answer = bot.post_text(&server, path, body).await;
            assert_eq!(answer.status, 400, "{path} {body}: {}", answer.body);
            assert_eq!(answer.header("content-type"), "application/json");
            let document = answer.json();
            assert_eq!(document["success"], false);
            assert!(
                document["message"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert_eq!(document["error"], document["message"]);
        }
    }
}

#[tokio::test]
async fn a_body_is_read_whatever_its_content_type_and_extra_keys_are_ignored() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let body = r#"{"body":"hi","id":"x","timestamp":"?","user":{"id":1},"type":"CHAT"} trailing"#;
    for kind in ["", "text/plain", "application/json; charset=utf-8"] {
        let request = request("POST", "/api/integrations/chat/send").raw_body(body);
        let request = bot.sign(request).header("content-type", kind);
        assert_eq!(request.send(&server).await.status, 200, "{kind}");
    }
}

#[tokio::test]
async fn a_browser_overlay_gets_a_full_preflight_answer_without_a_token() {
    let server = server_with(&[]).await;
    for endpoint in endpoints("u1") {
        let preflight = request("OPTIONS", &endpoint.path)
            .header("origin", "https://overlay.example")
            .header("access-control-request-method", endpoint.method)
            .header(
                "access-control-request-headers",
                "authorization,content-type",
            );
        let answer = preflight.send(&server).await;
        assert_eq!(answer.status, 204, "{}", endpoint.path);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(
            answer.header("access-control-allow-headers"),
            "Authorization, Content-Type"
        );
        let methods = answer.header("access-control-allow-methods");
        assert!(methods.contains(endpoint.method), "{methods}");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
    }
}

#[tokio::test]
async fn a_known_path_with_another_method_gets_405() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    for (method, path) in [
        ("GET", "chat/system"),
        ("POST", "status"),
        ("DELETE", "chat"),
    ] {
        let request = request(method, &format!("/api/integrations/{path}"));
        assert_eq!(
            bot.sign(request).send(&server).await.status,
            405,
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a_token_that_calls_too_often_gets_429_with_retry_after_and_others_go_on() {
    let server = server_with(&[]).await;
    let (hasty, calm) = (Bot::mighty(&server).await, Bot::mighty(&server).await);
    let mut refused = None;
    // The burst is fifty and ten tokens return each second: a thousand calls can only all pass if the machine needs a
    // hundred seconds for them.
    for _ in 0..1000 {
        let answer = hasty.get(&server, "status").await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("a limit");
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["success"], false);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(calm.get(&server, "status").await.status, 200);
}

#[tokio::test]
async fn the_endpoint_for_sending_as_a_user_is_gone_and_says_where_to_go() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let answer = bot
        .post(&server, "chat/user", &json!({ "body": "x" }))
        .await;
    assert_eq!(answer.status, 400);
    assert!(
        answer.json()["error"]
            .as_str()
            .unwrap()
            .contains("chat/send")
    );
}
