//! Peers that send too much, too slowly, or something other than they said.

use std::time::Duration;

use outbound::{Client, FetchError, MAX_RESPONSE_BYTES, Policy, Retry};

use crate::support::{Peer, Reply, SHORT, Trap, builder, client_for, get, reply};

/// What the kernel may buffer between the two ends, far above what was observed.
const SOCKET_SLACK: usize = 6 * 1024 * 1024;

/// A few gzip bytes that expand to a megabyte of zeros.
const BOMB: &[u8] = include_bytes!("bomb.gz");

fn with_head(head: &str, body: &[u8]) -> Vec<u8> {
    [
        format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(),
        body,
    ]
    .concat()
}

async fn still_works(client: &Client) {
    let response = get(client, "http://peer.test/ok", &Policy::webhook())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"fine");
}

/// A peer that misbehaves everywhere except at `/ok`.
fn rude(script: Reply) -> Peer {
    Peer::plain(move |request| match request.target() {
        "/ok" => reply("fine"),
        _ => script.clone(),
    })
}

#[tokio::test]
async fn an_endless_chunked_body_is_cut_at_the_cap() {
    let chunk = [b"2000\r\n".as_slice(), &[b'x'; 0x2000], b"\r\n"].concat();
    let peer = rude(Reply::Endless(
        with_head("transfer-encoding: chunked", b""),
        chunk,
    ));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::TooLarge { limit: MAX_RESPONSE_BYTES, .. }) if error.retry() == Retry::Never),
        "{outcome:?}"
    );
    still_works(&client).await;
    assert!(
        peer.sent() <= MAX_RESPONSE_BYTES + SOCKET_SLACK,
        "{}",
        peer.sent()
    );
}

#[tokio::test]
async fn an_endless_body_without_length_is_cut_at_the_cap_of_the_policy() {
    let peer = rude(Reply::Endless(
        with_head("connection: close", b""),
        vec![b'x'; 4096],
    ));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(
        &client,
        "http://peer.test/",
        &Policy::webhook().with_max_response_bytes(10_000),
    )
    .await;
    assert!(
        matches!(outcome, Err(FetchError::TooLarge { limit: 10_000, .. })),
        "{outcome:?}"
    );
    still_works(&client).await;
    assert!(peer.sent() <= 10_000 + SOCKET_SLACK, "{}", peer.sent());
}

#[tokio::test]
async fn a_declared_length_above_the_cap_is_refused_unread() {
    let head = format!("content-length: {}", MAX_RESPONSE_BYTES + 1);
    let peer = rude(Reply::Trickle(with_head(&head, b"")));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(outcome, Err(FetchError::TooLarge { .. })),
        "{outcome:?}"
    );
    still_works(&client).await;
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_taken() {
    let head = format!("content-length: {MAX_RESPONSE_BYTES}");
    let peer = rude(Reply::Bytes(with_head(
        &head,
        &vec![b'x'; MAX_RESPONSE_BYTES],
    )));
    let client = client_for(&[("peer.test", &peer)]);
    let response = get(&client, "http://peer.test/", &Policy::webhook())
        .await
        .unwrap();
    assert_eq!(response.body.len(), MAX_RESPONSE_BYTES);
}

#[tokio::test]
async fn one_byte_at_a_time_runs_into_the_total_deadline() {
    let peer = rude(Reply::Trickle(with_head("content-length: 1000", b"")));
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .deadline(SHORT)
        .build()
        .unwrap();
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::DeadlinePassed { .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
    still_works(&client).await;
    // It never went silent: only a total deadline could end it.
    assert!(peer.sent() > 10, "{}", peer.sent());
}

#[tokio::test]
async fn headers_one_byte_at_a_time_run_into_the_total_deadline() {
    let peer = rude(Reply::Trickle(b"HTTP/1.1 200 OK\r\nx-slow: ".to_vec()));
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let outcome = get(
        &client,
        "http://peer.test/",
        &Policy::webhook().with_deadline(SHORT),
    )
    .await;
    assert!(
        matches!(outcome, Err(FetchError::DeadlinePassed { .. })),
        "{outcome:?}"
    );
    still_works(&client).await;
}

#[tokio::test]
async fn a_silent_peer_runs_into_the_total_deadline() {
    let peer = rude(Reply::Silent);
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .deadline(SHORT)
        .build()
        .unwrap();
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(outcome, Err(FetchError::DeadlinePassed { .. })),
        "{outcome:?}"
    );
    still_works(&client).await;
}

#[tokio::test]
async fn a_peer_that_never_shakes_hands_runs_into_the_connect_timeout() {
    let trap = Trap::set();
    let client = builder()
        .danger_resolve("mute.test", trap.address())
        .connect_timeout(Duration::from_millis(200))
        .build()
        .unwrap();
    let outcome = get(&client, "https://mute.test/", &Policy::federation()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::Unreachable { .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
    assert_eq!(trap.connections(), 1);
}

#[tokio::test]
async fn a_compressed_answer_is_refused_and_never_unfolded() {
    for coding in ["gzip", "br", "zstd", "deflate", "identity, gzip", "GZIP"] {
        let head = format!(
            "content-encoding: {coding}\r\ncontent-length: {}",
            BOMB.len()
        );
        let peer = rude(Reply::Bytes(with_head(&head, BOMB)));
        let client = client_for(&[("peer.test", &peer)]);
        let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
        assert!(
            matches!(&outcome, Err(error @ FetchError::Compressed { .. }) if error.retry() == Retry::Never),
            "{coding}: {outcome:?}"
        );
        still_works(&client).await;
    }
}

#[tokio::test]
async fn a_bomb_that_hides_its_coding_stays_folded() {
    let head = format!(
        "content-type: application/gzip\r\ncontent-length: {}",
        BOMB.len()
    );
    let peer = rude(Reply::Bytes(with_head(&head, BOMB)));
    let client = client_for(&[("peer.test", &peer)]);
    let response = get(&client, "http://peer.test/", &Policy::webhook())
        .await
        .unwrap();
    assert_eq!(&response.body[..], BOMB);
}

#[tokio::test]
async fn an_unusable_answer_keeps_the_retry_class_of_its_status() {
    let busy = b"HTTP/1.1 503 Busy\r\nretry-after: 30\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx".to_vec();
    let peer = rude(Reply::Bytes(busy));
    let client = client_for(&[("peer.test", &peer)]);
    let error = get(&client, "http://peer.test/", &Policy::webhook())
        .await
        .unwrap_err();
    assert_eq!(
        error.retry(),
        Retry::After(Duration::from_secs(30)),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_body_shorter_than_declared_is_a_broken_answer() {
    let peer = rude(Reply::Cut(with_head("content-length: 100", b"only this")));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::BrokenAnswer { .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
    still_works(&client).await;
}

#[tokio::test]
async fn a_body_longer_than_declared_is_cut_and_its_rest_is_no_answer_to_anything() {
    let smuggled = b"hiHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
    let peer = rude(Reply::Bytes(with_head("content-length: 2", smuggled)));
    let client = client_for(&[("peer.test", &peer)]);
    for _ in 0..20 {
        let response = get(&client, "http://peer.test/", &Policy::webhook())
            .await
            .unwrap();
        assert_eq!(&response.body[..], b"hi");
        still_works(&client).await;
    }
}

#[tokio::test]
async fn contradictory_or_broken_framing_is_a_broken_answer() {
    for raw in [
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "220 mail.example ESMTP\r\n",
        "",
    ] {
        let peer = rude(Reply::Cut(raw.as_bytes().to_vec()));
        let client = client_for(&[("peer.test", &peer)]);
        let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
        assert!(
            matches!(outcome, Err(FetchError::BrokenAnswer { .. })),
            "{raw:?}: {outcome:?}"
        );
        still_works(&client).await;
    }
}

#[tokio::test]
async fn too_many_headers_and_endless_headers_are_cut_off() {
    let many = "x-a: b\r\n".repeat(101);
    let peer = rude(Reply::Bytes(with_head(many.trim_end(), b"")));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(outcome, Err(FetchError::BrokenAnswer { .. })),
        "{outcome:?}"
    );
    still_works(&client).await;

    let peer = rude(Reply::Endless(
        b"HTTP/1.1 200 OK\r\n".to_vec(),
        b"x-endless: and so on\r\n".repeat(50),
    ));
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/", &Policy::webhook()).await;
    assert!(
        matches!(outcome, Err(FetchError::BrokenAnswer { .. })),
        "{outcome:?}"
    );
    still_works(&client).await;
    assert!(peer.sent() <= SOCKET_SLACK, "{}", peer.sent());
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let address = Trap::set().address();
    let client = builder()
        .danger_resolve("closed.test", address)
        .build()
        .unwrap();
    let outcome = get(&client, "http://closed.test/", &Policy::webhook()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::Unreachable { .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
}
