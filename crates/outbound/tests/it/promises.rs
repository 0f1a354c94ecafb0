//! What peers see of us, and what callers get back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use outbound::http::{HeaderMap, Method, StatusCode};
use outbound::{
    Client, FetchBudget, FetchError, OutgoingRequest, Policy, RefusalReason, Retry, host_header,
};
use tracing::field::{Field, Visit};

use crate::support::{Peer, Reply, USER_AGENT, authority, builder, client_for, get, reply, url};

#[tokio::test]
async fn a_request_carries_our_name_and_asks_for_no_compression() {
    let peer = Peer::plain(|_| reply("hello"));
    let client = client_for(&[("peer.test", &peer)]);
    let target = url("http://peer.test/path?query");
    let mut headers = HeaderMap::new();
    headers.insert("x-mine", "yes".parse().unwrap());
    let budget = FetchBudget::new(2);
    client
        .get(&target, &Policy::webhook(), headers, &budget)
        .await
        .unwrap();
    let body = Bytes::from_static(b"{\"a\":1}");
    client
        .post(&target, &Policy::webhook(), HeaderMap::new(), body, &budget)
        .await
        .unwrap();

    let heads = peer.heads();
    assert!(
        heads[0].starts_with("get /path?query http/1.1\r\n"),
        "{}",
        heads[0]
    );
    assert!(heads[0].contains("x-mine: yes\r\n"));
    assert!(heads[1].starts_with("post /path?query http/1.1\r\n"));
    assert!(heads[1].contains("content-length: 7\r\n"));
    for head in &heads {
        assert!(
            head.contains(&format!("user-agent: {USER_AGENT}\r\n")),
            "{head}"
        );
        assert!(
            head.contains(&format!("host: {}\r\n", host_header(&target))),
            "{head}"
        );
        assert!(!head.contains("accept-encoding"), "{head}");
        assert!(!head.contains("referer"), "{head}");
    }
    assert_eq!(
        peer.connections(),
        1,
        "connections are kept for the next request"
    );
}

#[tokio::test]
async fn callers_cannot_choose_host_or_framing() {
    let peer = Peer::plain(|_| reply("hello"));
    let client = client_for(&[("peer.test", &peer)]);
    for name in [
        "host",
        "user-agent",
        "accept-encoding",
        "content-length",
        "transfer-encoding",
        "connection",
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(name, "1".parse().unwrap());
        let outgoing = OutgoingRequest {
            method: Method::PUT,
            headers,
            body: Bytes::new(),
        };
        let outcome = client
            .send(
                &url("http://peer.test/"),
                &Policy::webhook(),
                outgoing,
                &FetchBudget::new(1),
            )
            .await;
        assert!(
            matches!(outcome, Err(FetchError::Refused { reason: RefusalReason::Request(named), .. }) if named == name),
            "{name}"
        );
    }
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn a_status_is_an_answer_until_success_is_required() {
    let peer = Peer::plain(|request| {
        let status = request.target().trim_start_matches('/');
        Reply::Bytes(
            format!("HTTP/1.1 {status} X\r\nretry-after: 9\r\ncontent-length: 2\r\n\r\nno")
                .into_bytes(),
        )
    });
    let client = client_for(&[("peer.test", &peer)]);
    for (status, wanted) in [
        (404, Retry::Never),
        (410, Retry::Never),
        (429, Retry::After(Duration::from_secs(9))),
        (503, Retry::After(Duration::from_secs(9))),
    ] {
        let response = get(
            &client,
            &format!("http://peer.test/{status}"),
            &Policy::webhook(),
        )
        .await
        .unwrap();
        assert_eq!(&response.body[..], b"no");
        assert_eq!(response.retry(), wanted);
        let error = response.require_success().unwrap_err();
        assert!(
            matches!(error, FetchError::Status { status: named, .. } if named.as_u16() == status)
        );
        assert_eq!(error.retry(), wanted);
        assert!(error.to_string().contains("peer.test"));
    }
    let response = get(&client, "http://peer.test/202", &Policy::webhook())
        .await
        .unwrap();
    assert_eq!(
        response.require_success().unwrap().status,
        StatusCode::ACCEPTED
    );
}

#[tokio::test]
async fn a_head_request_has_no_body_to_cap() {
    let peer = Peer::plain(|_| {
        Reply::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec())
    });
    let client = client_for(&[("peer.test", &peer)]);
    let outgoing = OutgoingRequest {
        method: Method::HEAD,
        headers: HeaderMap::new(),
        body: Bytes::new(),
    };
    let response = client
        .send(
            &url("http://peer.test/"),
            &Policy::webhook(),
            outgoing,
            &FetchBudget::new(1),
        )
        .await
        .unwrap();
    assert!(response.body.is_empty());
}

#[tokio::test]
async fn debug_output_shows_no_headers_and_no_body() {
    let peer = Peer::plain(|_| {
        Reply::Bytes(
            b"HTTP/1.1 200 OK\r\nset-cookie: hush\r\ncontent-length: 4\r\n\r\nhush".to_vec(),
        )
    });
    let client = client_for(&[("peer.test", &peer)]);
    let response = get(&client, "http://peer.test/hush", &Policy::webhook())
        .await
        .unwrap();
    assert!(!format!("{response:?}").contains("hush"));
    let mut headers = HeaderMap::new();
    headers.insert("authorization", "hush".parse().unwrap());
    let outgoing = OutgoingRequest {
        method: Method::POST,
        headers,
        body: Bytes::from_static(b"hush"),
    };
    assert!(!format!("{outgoing:?}").contains("hush"));
}

#[test]
fn dangerous_settings_are_announced() {
    let log = Log::default();
    // With one subscriber in the whole process, a thread without one may come first and decide for all threads that
    // these lines are disabled. With two, each thread is asked.
    let _second = tracing::Dispatch::new(Log::default());
    tracing::subscriber::with_default(log.clone(), || {
        Client::builder()
            .user_agent(USER_AGENT)
            .extra_ca(authority().pem())
            .build()
            .unwrap();
        assert!(log.lines.lock().unwrap().is_empty());
        builder()
            .danger_resolve("mapped.test", "127.0.0.1:9".parse().unwrap())
            .danger_allow_internal_addresses()
            .danger_skip_tls_verify()
            .build()
            .unwrap();
    });
    let lines = log.lines.lock().unwrap();
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("danger: "))
            .count(),
        3,
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("mapped.test") && line.contains("127.0.0.1:9")),
        "{lines:?}"
    );
}

/// Records every warning as one line.
#[derive(Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN && metadata.target().starts_with("outbound")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.lines.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}
