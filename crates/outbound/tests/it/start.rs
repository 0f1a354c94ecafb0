//! Callers that only need the status.

use outbound::{Client, Policy, RefusalReason};

use crate::support::{Peer, Reply, builder, client_for, get, url};

const KEPT: usize = 16;

fn with_head(head: &str, body: &[u8]) -> Vec<u8> {
    [
        format!("HTTP/1.1 202 Accepted\r\n{head}\r\n\r\n").as_bytes(),
        body,
    ]
    .concat()
}

#[tokio::test]
async fn an_answer_whose_body_is_rude_is_still_an_answer() {
    let length = "content-length: 99999999";
    let rows: [(&str, Reply, &[u8]); 6] = [
        (
            "endless",
            Reply::Endless(with_head("connection: close", b""), vec![b'x'; 4096]),
            &[b'x'; KEPT],
        ),
        (
            "cut off",
            Reply::Cut(with_head(length, b"only this")),
            b"only this",
        ),
        (
            "silent after the head",
            Reply::Trickle(with_head(length, b"")),
            b"x",
        ),
        (
            "compressed",
            Reply::Bytes(with_head(
                "content-encoding: gzip\r\ncontent-length: 3",
                b"abc",
            )),
            b"",
        ),
        (
            "short",
            Reply::Bytes(with_head("content-length: 2", b"ok")),
            b"ok",
        ),
        (
            "empty",
            Reply::Bytes(with_head("content-length: 0", b"")),
            b"",
        ),
    ];
    for (what, script, kept) in rows {
        let peer = Peer::plain(move |_| script.clone());
        let client = client_for(&[("peer.test", &peer)]);
        let policy = Policy::webhook().keeping_the_start(KEPT);
        let response = get(&client, "http://peer.test/", &policy).await;
        let response = response.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(response.status.as_u16(), 202, "{what}");
        assert!(response.body.len() <= KEPT, "{what}");
        assert!(
            response.body.starts_with(kept),
            "{what}: {:?}",
            response.body
        );
    }
}

#[test]
fn a_url_can_be_checked_before_anybody_is_contacted() {
    let refusal = |client: &Client, text: &str| client.check_url(&url(text), &Policy::webhook());
    let client = builder().build().unwrap();
    assert_eq!(refusal(&client, "https://hooks.example/x"), Ok(()));
    assert_eq!(
        refusal(&client, "http://127.0.0.1:9000/"),
        Err(RefusalReason::AddressLiteral)
    );
    assert_eq!(
        refusal(&client, "ftp://hooks.example/"),
        Err(RefusalReason::Scheme)
    );
    let open = builder().danger_allow_internal_addresses().build().unwrap();
    assert_eq!(refusal(&open, "http://127.0.0.1:9000/"), Ok(()));
}
