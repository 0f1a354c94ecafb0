use std::sync::Arc;

use plugins::engine::{CallKind, InstanceSpec};
use plugins::host::{FetchRequest, FetchResponse, HostCalls, Network, ServiceFuture};
use serde_json::{Value, json};

use super::stage::{Stage, all};
use crate::engine_kit::{FakeHost, Lines, engine, returning, spec};

fn answering(responses: Value) -> Stage {
    Stage::new(all(), json!({"httpResponses": responses}))
}

fn get(url: &str) -> Value {
    json!({"url": url, "method": "GET", "headers": {}})
}

#[tokio::test]
async fn an_answer_has_status_headers_and_body() {
    let stage = answering(json!([
        {"url": "https://api.example.com/*", "method": "post", "status": 404, "headers": {"X-A": "b"}, "body": "ü"}
    ]));
    let asked = json!({"url": "https://api.example.com/x?y=1#z", "method": "post", "headers": {"Accept": "a/b"}, "body": "in"});
    assert_eq!(
        stage.raw("fetch", asked).await.unwrap(),
        r#"{"status":404,"headers":{"x-a":"b"},"body":"ü"}"#
    );
    let request = &stage.recorded().http_requests[0];
    assert_eq!(request.url.as_str(), "https://api.example.com/x?y=1");
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(&request.body[..], b"in");
}

#[tokio::test]
async fn only_listed_hosts_are_asked() {
    let stage = answering(json!([{"url": "*"}]));
    stage.ok("fetch", get("https://api.example.com/")).await;
    stage.ok("fetch", get("https://a.cdn.example.com/")).await;
    for url in [
        "https://evil.example/",
        "https://cdn.example.com/",
        "https://api.example.com:8443/",
        "https://api.example.com@evil.example/",
        "http://127.0.0.1/",
        "file:///etc/passwd",
        "ftp://api.example.com/",
        "api.example.com",
        "",
    ] {
        let outcome = stage.call("fetch", get(url)).await;
        assert!(outcome.is_err(), "{url}");
    }
    assert_eq!(stage.recorded().http_requests.len(), 2);
}

#[tokio::test]
async fn a_redirect_is_followed_by_the_same_rules() {
    let to = |target: &str, status: u16| {
        answering(json!([
            {"url": "https://api.example.com/start", "status": status, "headers": {"Location": target}},
            {"url": "*", "body": "there"},
        ]))
    };
    let asked = json!({"url": "https://api.example.com/start", "method": "POST", "body": "in",
        "headers": {"Authorization": "secret", "Accept": "a/b"}});
    let stage = to("/next", 302);
    assert_eq!(stage.ok("fetch", asked.clone()).await["body"], "there");
    let second = &stage.recorded().http_requests[1];
    assert_eq!(second.method.as_str(), "GET");
    assert!(second.body.is_empty());
    assert!(
        second.headers.contains_key("authorization"),
        "the same server"
    );

    let stage = to("https://a.cdn.example.com/next", 307);
    stage.ok("fetch", asked.clone()).await;
    let second = &stage.recorded().http_requests[1];
    assert_eq!(second.method.as_str(), "POST");
    assert_eq!(&second.body[..], b"in");
    assert!(
        !second.headers.contains_key("authorization"),
        "another server"
    );
    assert!(second.headers.contains_key("accept"));

    for elsewhere in [
        "https://evil.example/",
        "http://api.example.com/",
        "http://[::1]/",
        "https://",
    ] {
        let stage = to(elsewhere, 302);
        stage.refused("fetch", asked.clone()).await;
        assert_eq!(stage.recorded().http_requests.len(), 1, "{elsewhere}");
    }
    let around = to("/start", 302);
    let why = around.refused("fetch", asked).await;
    assert!(why.contains("redirects"), "{why}");
    assert_eq!(around.recorded().http_requests.len(), 6);
}

#[tokio::test]
async fn requests_have_a_size_and_a_shape() {
    let stage = answering(json!([{"url": "*"}]));
    let url = "https://api.example.com/";
    for asked in [
        json!({"url": url, "body": "x".repeat(1024 * 1024 + 1)}),
        json!({"url": url, "headers": {"a": "x".repeat(70_000)}}),
        json!({"url": url, "headers": {"a b": "x"}}),
        json!({"url": url, "headers": {"a": "x\r\nHost: evil"}}),
        json!({"url": url, "headers": {"a": []}}),
        json!({"url": url, "method": "GE T"}),
    ] {
        stage.refused("fetch", asked).await;
    }
    assert!(stage.recorded().http_requests.is_empty());
}

#[tokio::test]
async fn a_request_nobody_foresaw_is_named() {
    let stage = answering(json!([{"url": "https://api.example.com/once", "times": 1}]));
    stage.ok("fetch", get("https://api.example.com/once")).await;
    let why = stage
        .refused("fetch", get("https://api.example.com/once"))
        .await;
    assert!(why.contains("https://api.example.com/once"), "{why}");
    assert_eq!(
        stage.recorded().unanswered,
        ["https://api.example.com/once"]
    );
}

mod outside {
    use plugins::host::OutboundNetwork;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that answers every request with the same text.
    async fn server(answer: &'static str) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut peer, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    let _ = peer.read(&mut request).await;
                    let _ = peer.write_all(answer.as_bytes()).await;
                });
            }
        });
        address
    }

    fn stage(client: outbound::Client, reaches: bool) -> Stage {
        Stage::with(all(), json!({}), move |parts| {
            parts.network = Arc::new(OutboundNetwork::new(client, reaches));
        })
    }

    #[tokio::test]
    async fn plugins_leave_through_the_guarded_client() {
        let address = server(
            "HTTP/1.1 418 I'm a teapot\r\nContent-Length: 3\r\nConnection: close\r\n\r\npot",
        )
        .await;
        let client = || outbound::Client::builder().user_agent("test");
        let mapped = client()
            .danger_resolve("api.example.com", address)
            .build()
            .unwrap();
        let there = stage(mapped, false);
        let answer = there.ok("fetch", get("http://api.example.com/")).await;
        assert_eq!(answer["status"], 418);
        assert_eq!(answer["body"], "pot");
        let why = there
            .refused(
                "fetch",
                json!({"url": "http://api.example.com/", "headers": {"Host": "x"}}),
            )
            .await;
        assert!(why.contains("host"), "{why}");
    }

    #[tokio::test]
    async fn addresses_of_the_own_network_are_closed_even_behind_a_listed_name() {
        #[derive(Debug)]
        struct Inside;
        impl outbound::Resolver for Inside {
            fn lookup(&self, _host: String) -> outbound::Lookup {
                Box::pin(async { Ok(vec!["10.0.0.1".parse().unwrap()]) })
            }
        }
        let client = outbound::Client::builder()
            .user_agent("test")
            .resolver(Inside)
            .build()
            .unwrap();
        let why = stage(client, false)
            .refused("fetch", get("http://api.example.com/"))
            .await;
        assert!(why.contains("10.0.0.1"), "{why}");
    }
}

/// A network that never answers.
#[derive(Debug)]
struct Silence;

impl Network for Silence {
    fn send(&self, _request: FetchRequest) -> ServiceFuture<'_, FetchResponse> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_handler_whose_request_got_no_answer_can_still_do_something_about_it() {
    let stage = Stage::with(all(), json!({}), |parts| parts.network = Arc::new(Silence));
    let lines = "
try:
    service.http.fetch('https://api.example.com/')
except Exception:
    pass
service.kv.set('told', 'unreachable')
return service.kv.get('told')";
    let log = Arc::new(Lines::default());
    let spec = InstanceSpec {
        slug: "door-bell".into(),
        manifest: r#"{"name":"Door Bell","slug":"door-bell","version":"1","permissions":[]}"#
            .to_owned(),
        host: Arc::clone(&stage.host) as Arc<dyn HostCalls>,
        ..spec(&returning(lines), &FakeHost::new(), &log)
    };
    let (mut instance, _) = engine().start(spec).await.unwrap();
    let kind = CallKind::Styles;
    let answer = instance.call(kind, "", kind.budget()).await;
    assert_eq!(answer.as_deref(), Ok("unreachable"), "{:?}", log.all());
    assert_eq!(log.all(), [""; 0], "the waiting was not used up");
}
