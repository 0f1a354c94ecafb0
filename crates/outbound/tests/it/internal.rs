//! The operator's opt-in applies to one call, not to the client.

use outbound::{FetchError, Policy, RefusalReason, Response};

use crate::support::{Peer, Scripted, builder, client_for, counter, get, reply};

fn reason(outcome: Result<Response, FetchError>) -> RefusalReason {
    match outcome {
        Err(FetchError::Refused { reason, .. }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_webhook_reaches_an_internal_address_only_with_the_opt_in() {
    let peer = Peer::plain(|_| reply("hello"));
    let port = peer.address().port();
    let client = builder()
        .resolver(Scripted::new(&[&["127.0.0.1"]], counter()))
        .build()
        .unwrap();
    let open = Policy::webhook().reaching_internal_addresses();
    for host in [
        "127.0.0.1",
        "hooks.example",
        "bot",
        "nas.local",
        "localhost",
    ] {
        let text = format!("http://{host}:{port}/");
        assert!(
            matches!(
                get(&client, &text, &Policy::webhook()).await,
                Err(FetchError::Refused { .. })
            ),
            "{host}"
        );
        assert!(get(&client, &text, &open).await.is_ok(), "{host}");
    }
    assert_eq!(peer.heads().len(), 5);
}

#[tokio::test]
async fn a_connection_opened_with_the_opt_in_is_not_reused_without_it() {
    // Both calls name the same host and port, so a shared pool would reuse the connection.
    let peer = Peer::plain(|_| reply("hello"));
    let text = format!("http://hooks.example:{}/", peer.address().port());
    let client = builder()
        .resolver(Scripted::new(&[&["127.0.0.1"]], counter()))
        .build()
        .unwrap();
    let open = Policy::webhook().reaching_internal_addresses();
    for _ in 0..3 {
        assert!(get(&client, &text, &open).await.is_ok());
        let loopback = "127.0.0.1".parse().unwrap();
        assert_eq!(
            reason(get(&client, &text, &Policy::webhook()).await),
            RefusalReason::Address(loopback)
        );
    }
    assert_eq!(peer.connections(), 1, "the opted-in calls did share one");
}

#[tokio::test]
async fn metadata_services_stay_closed_with_the_opt_in() {
    let client = builder()
        .resolver(Scripted::new(&[&["169.254.169.254"]], counter()))
        .build()
        .unwrap();
    let open = Policy::webhook().reaching_internal_addresses();
    for text in [
        "http://169.254.169.254/",
        "http://metadata.google.internal/",
        "http://[fd00:ec2::254]/",
    ] {
        assert!(
            matches!(
                reason(get(&client, text, &open).await),
                RefusalReason::Address(_)
            ),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_mapped_host_is_exempt_only_on_its_own_port() {
    let peer = Peer::plain(|_| reply("hello"));
    let other = Peer::plain(|_| reply("secret"));
    let client = client_for(&[("peer.test", &peer)]);
    assert!(
        get(&client, "http://peer.test/", &Policy::webhook())
            .await
            .is_ok()
    );
    let same = format!("http://PEER.test:{}/", peer.address().port());
    assert!(get(&client, &same, &Policy::webhook()).await.is_ok());
    let port = other.address().port();
    let outcome = get(
        &client,
        &format!("http://peer.test:{port}/"),
        &Policy::webhook(),
    )
    .await;
    assert_eq!(reason(outcome), RefusalReason::MappedPort(port));
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_mapped_host_keeps_the_rules_of_the_policy() {
    let peer = Peer::plain(|_| reply("hello"));
    let client = client_for(&[("peer.test", &peer)]);
    assert_eq!(
        reason(get(&client, "http://peer.test/", &Policy::federation()).await),
        RefusalReason::Scheme
    );
    assert_eq!(
        reason(get(&client, "http://a@peer.test/", &Policy::webhook()).await),
        RefusalReason::Userinfo
    );
    assert_eq!(peer.connections(), 0);
}
