//! How many requests a cause may make, and that an empty budget opens no connection.

use bytes::Bytes;
use outbound::http::HeaderMap;
use outbound::{FetchBudget, FetchError, Policy, Retry};

use crate::support::{Peer, Reply, client_for, reply, url};

#[tokio::test]
async fn an_empty_budget_makes_no_connection() {
    let peer = Peer::plain(|_| reply("hello"));
    let client = client_for(&[("peer.test", &peer)]);
    let budget = FetchBudget::new(3);
    let target = url("http://peer.test/");
    for _ in 0..3 {
        let shared = budget.clone();
        client
            .get(&target, &Policy::webhook(), HeaderMap::new(), &shared)
            .await
            .unwrap();
    }
    for _ in 0..2 {
        let error = client
            .post(
                &target,
                &Policy::webhook(),
                HeaderMap::new(),
                Bytes::new(),
                &budget,
            )
            .await
            .unwrap_err();
        assert!(
            matches!(error, FetchError::BudgetExhausted { .. }),
            "{error:?}"
        );
        assert_eq!(error.retry(), Retry::Never);
    }
    assert_eq!(peer.heads().len(), 3);
    let fresh = FetchBudget::new(1);
    assert!(
        client
            .get(&target, &Policy::webhook(), HeaderMap::new(), &fresh)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed_on_an_empty_budget() {
    let peer = Peer::plain(|_| {
        Reply::Bytes(b"HTTP/1.1 301 Moved\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n".to_vec())
    });
    let client = client_for(&[("peer.test", &peer)]);
    let error = client
        .get(
            &url("http://peer.test/a"),
            &Policy::plugin(),
            HeaderMap::new(),
            &FetchBudget::new(1),
        )
        .await
        .unwrap_err();
    assert!(
        matches!(error, FetchError::BudgetExhausted { .. }),
        "{error:?}"
    );
    assert_eq!(peer.heads().len(), 1);
}

#[tokio::test]
async fn a_refused_url_costs_nothing() {
    let client = client_for(&[]);
    let budget = FetchBudget::new(1);
    let outcome = client
        .get(
            &url("https://127.0.0.1/"),
            &Policy::federation(),
            HeaderMap::new(),
            &budget,
        )
        .await;
    assert!(outcome.is_err());
    assert_eq!(budget.left(), 1);
}
