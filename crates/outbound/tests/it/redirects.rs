//! One hop, through the whole guard, or none.

use bytes::Bytes;
use outbound::http::{HeaderMap, StatusCode};
use outbound::{Client, FetchBudget, FetchError, Policy, RefusalReason, Response, Retry};

use crate::support::{
    Peer, Reply, Scripted, Trap, authority, builder, client_for, counter, get, reply, url,
};

fn moved(location: &str) -> Reply {
    Reply::Bytes(
        format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
            .into_bytes(),
    )
}

async fn still_works(client: &Client) {
    let response = get(client, "http://peer.test/ok", &Policy::plugin())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"fine");
}

fn reason(outcome: Result<Response, FetchError>) -> RefusalReason {
    match outcome {
        Err(error @ FetchError::Refused { .. }) => {
            assert_eq!(error.retry(), Retry::Never);
            let FetchError::Refused { reason, .. } = error else {
                unreachable!()
            };
            reason
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn follows_one_hop_and_says_where_it_ended() {
    let peer = Peer::plain(|request| match request.target() {
        "/start" => moved("/end"),
        _ => reply("there"),
    });
    let client = client_for(&[("peer.test", &peer)]);
    let budget = FetchBudget::new(3);
    let response = client
        .get(
            &url("http://peer.test/start"),
            &Policy::plugin(),
            HeaderMap::new(),
            &budget,
        )
        .await
        .unwrap();
    assert_eq!(response.final_url.as_str(), "http://peer.test/end");
    assert_eq!(&response.body[..], b"there");
    assert_eq!(budget.left(), 1, "both hops are paid for");
}

#[tokio::test]
async fn rejects_a_redirect_to_a_private_address() {
    let trap = Trap::set();
    let port = trap.port();
    let peer = Peer::plain(move |request| match request.target() {
        "/literal" => moved(&format!("http://127.0.0.1:{port}/")),
        "/decimal" => moved(&format!("http://2130706433:{port}/")),
        "/name" => moved(&format!("http://inside.example:{port}/")),
        "/local" => moved(&format!("http://localhost:{port}/")),
        "/userinfo" => moved(&format!("http://peer.test@127.0.0.1:{port}/")),
        "/port" => moved("http://other.example:25/"),
        _ => reply("fine"),
    });
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .resolver(Scripted::new(&[&["127.0.0.1", "::1"]], counter()))
        .build()
        .unwrap();
    let loopback = "127.0.0.1".parse().unwrap();
    for (path, wanted) in [
        ("literal", RefusalReason::AddressLiteral),
        ("decimal", RefusalReason::AddressLiteral),
        ("name", RefusalReason::Address(loopback)),
        ("local", RefusalReason::InternalName),
        ("userinfo", RefusalReason::Userinfo),
        ("port", RefusalReason::Port(25)),
    ] {
        let outcome = get(
            &client,
            &format!("http://peer.test/{path}"),
            &Policy::plugin(),
        )
        .await;
        assert_eq!(reason(outcome), wanted, "{path}");
    }
    assert_eq!(trap.connections(), 0);
    still_works(&client).await;
}

#[tokio::test]
async fn rejects_a_redirect_that_changes_the_scheme() {
    let trap = Trap::set();
    let port = trap.port();
    let secure = Peer::tls(
        authority().certify("secure.test"),
        move |request| match request.target() {
            "/down" => moved(&format!("http://peer.test:{port}/")),
            _ => reply("fine"),
        },
    );
    let client = builder()
        .danger_resolve("secure.test", secure.address())
        .danger_resolve("peer.test", trap.address())
        .build()
        .unwrap();
    let outcome = get(&client, "https://secure.test/down", &Policy::plugin()).await;
    assert_eq!(reason(outcome), RefusalReason::RedirectScheme);
    assert_eq!(trap.connections(), 0);
    assert!(
        get(&client, "https://secure.test/ok", &Policy::federation())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_loop_ends_after_one_hop() {
    let peer = Peer::plain(|request| match request.target() {
        "/ok" => reply("fine"),
        _ => moved("/again"),
    });
    let client = client_for(&[("peer.test", &peer)]);
    let outcome = get(&client, "http://peer.test/again", &Policy::plugin()).await;
    assert_eq!(reason(outcome), RefusalReason::RedirectChain);
    assert_eq!(peer.heads().len(), 2);
    still_works(&client).await;
}

#[tokio::test]
async fn a_redirect_of_ten_megabytes_is_cut_off() {
    let peer = Peer::plain(|request| match request.target() {
        "/ok" => reply("fine"),
        "/long" => moved(&format!("/{}", "a".repeat(100_000))),
        "/longer" => moved(&format!("/{}", "a".repeat(20_000))),
        _ => moved(&format!("/{}", "a".repeat(10_000_000))),
    });
    let client = client_for(&[("peer.test", &peer)]);
    let before = peer.sent();
    let outcome = get(&client, "http://peer.test/huge", &Policy::plugin()).await;
    assert!(
        matches!(&outcome, Err(error @ FetchError::BrokenAnswer { .. }) if error.retry() == Retry::Backoff),
        "{outcome:?}"
    );
    assert!(
        peer.sent() - before < 5_000_000,
        "the rest was not waited for"
    );
    let outcome = get(&client, "http://peer.test/long", &Policy::plugin()).await;
    assert!(
        matches!(outcome, Err(FetchError::TooLarge { .. })),
        "{outcome:?}"
    );
    let outcome = get(&client, "http://peer.test/longer", &Policy::plugin()).await;
    assert_eq!(reason(outcome), RefusalReason::RedirectTarget);
    still_works(&client).await;
}

#[tokio::test]
async fn post_never_follows() {
    for status in [301, 302, 303, 307, 308] {
        let peer = Peer::plain(move |_| {
            Reply::Bytes(
                format!("HTTP/1.1 {status} Moved\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n")
                    .into_bytes(),
            )
        });
        let client = client_for(&[("peer.test", &peer)]);
        let budget = FetchBudget::new(5);
        let response = client
            .post(
                &url("http://peer.test/inbox"),
                &Policy::plugin(),
                HeaderMap::new(),
                Bytes::from_static(b"{}"),
                &budget,
            )
            .await
            .unwrap();
        assert_eq!(response.status.as_u16(), status);
        assert_eq!(peer.heads().len(), 1);
        assert_eq!(budget.left(), 4);
    }
}

#[tokio::test]
async fn a_policy_without_redirects_hands_them_back() {
    let peer = Peer::plain(|_| moved("/other"));
    let client = client_for(&[("peer.test", &peer)]);
    for policy in [Policy::webhook(), Policy::plugin().returning_redirects()] {
        let response = get(&client, "http://peer.test/", &policy).await.unwrap();
        assert_eq!(response.status, StatusCode::FOUND);
        assert_eq!(response.headers["location"], "/other");
    }
    assert_eq!(peer.heads().len(), 2);
}

#[tokio::test]
async fn credentials_stay_with_the_origin_they_were_meant_for() {
    let elsewhere = Peer::plain(|_| reply("elsewhere"));
    let peer = Peer::plain(|_| moved("http://elsewhere.test/"));
    let client = client_for(&[("peer.test", &peer), ("elsewhere.test", &elsewhere)]);
    let mut headers = HeaderMap::new();
    headers.insert("authorization", "Bearer hush".parse().unwrap());
    headers.insert("signature", "hush".parse().unwrap());
    headers.insert("accept", "application/activity+json".parse().unwrap());
    client
        .get(
            &url("http://peer.test/"),
            &Policy::plugin(),
            headers,
            &FetchBudget::new(2),
        )
        .await
        .unwrap();
    assert!(peer.heads()[0].contains("bearer hush"));
    assert!(!elsewhere.heads()[0].contains("hush"));
    assert!(elsewhere.heads()[0].contains("accept: application/activity+json"));
    assert!(!elsewhere.heads()[0].contains("referer"));
}
