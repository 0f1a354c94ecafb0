//! Fetching documents from servers that may be hostile.

use std::time::Duration;

use federation::fetch::{Document, FetchProblem, Fetcher, MAX_REDIRECTS};
use jiff::Timestamp;
use model::Clock;
use outbound::{FetchBudget, FetchError, RefusalReason, Retry, Url};
use serde_json::{Value, json};
use testkit::ManualClock;
use testkit::https::{endless, trickle};

use crate::outlook::{Outlook, fetcher, fetcher_with, judged_by};
use crate::peer::{Peers, Reply, Request, document, redirect, reply};

const ACTIVITY: &str = "application/activity+json; charset=utf-8";
const ALICE: &str = "https://remote.example/users/alice";

fn actor(id: &str) -> Value {
    json!({ "id": id, "type": "Person" })
}

fn served(id: &str) -> Reply {
    document(ACTIVITY, &actor(id))
}

/// One host that answers by this rule.
fn remote(route: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Peers {
    Peers::new().serve("remote.example", route)
}

async fn get(fetcher: &Fetcher, address: &str) -> Result<Document, FetchProblem> {
    let url = Url::parse(address).unwrap();
    fetcher.document(&url, &FetchBudget::new(10)).await
}

async fn get_alice(peers: &Peers) -> Result<Document, FetchProblem> {
    get(&fetcher(peers, &ManualClock::default()), ALICE).await
}

fn now() -> Timestamp {
    ManualClock::default().now()
}

#[tokio::test]
async fn a_document_is_asked_for_with_a_signature_its_server_can_verify() {
    let peers = remote(|_| served(ALICE));
    let found = get_alice(&peers).await.unwrap();
    assert_eq!(found.id, ALICE);
    assert_eq!(found.object["type"], "Person");
    let requests = peers.requests();
    let [(host, request)] = &requests[..] else {
        panic!("not one request: {requests:?}")
    };
    assert_eq!(judged_by(host, request, "/users/alice", now()), Ok(()));
    let head = request.head.to_lowercase();
    assert!(
        head.contains("accept: application/activity+json, application/ld+json; profile="),
        "{head}"
    );
    assert!(head.contains("user-agent: "), "{head}");
}

#[tokio::test]
async fn without_a_key_requests_go_unsigned() {
    let peers = remote(|_| served(ALICE));
    let clock = std::sync::Arc::new(ManualClock::default());
    let mute = std::sync::Arc::new(Outlook { is_mute: true });
    let fetcher = Fetcher::new(peers.client(Duration::from_secs(20)), clock, mute);
    assert!(get(&fetcher, ALICE).await.is_ok());
    let (_, request) = peers.requests().remove(0);
    assert!(!request.head.to_lowercase().contains("signature"));
}

// Case 22 of docs/federation-cases.md.
#[tokio::test]
async fn a_refused_get_with_a_query_is_signed_once_more_without_it() {
    let peers = remote(|request| {
        let is_path_signed = judged_by("remote.example", request, "/users", now()).is_ok();
        match is_path_signed {
            true => served("https://remote.example/users?page=1"),
            false => reply(401, "", ""),
        }
    });
    let fetcher = fetcher(&peers, &ManualClock::default());
    let found = get(&fetcher, "https://remote.example/users?page=1").await;
    assert!(found.is_ok(), "{found:?}");
    let requests = peers.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests
            .iter()
            .all(|(_, request)| request.target() == "/users?page=1")
    );

    let stubborn = remote(|_| reply(401, "", ""));
    let fetcher = crate::outlook::fetcher(&stubborn, &ManualClock::default());
    let refused = get(&fetcher, "https://remote.example/users?page=1").await;
    assert!(matches!(refused, Err(FetchProblem::Status { status, .. }) if status == 401));
    assert_eq!(stubborn.requests().len(), 2, "one retry and no more");
}

// Case 23 of docs/federation-cases.md, as far as it is about fetching.
#[tokio::test]
async fn who_refuses_one_scheme_is_asked_in_the_other_but_not_who_forbids() {
    for (status, tries) in [(400, 2), (401, 2), (403, 1), (404, 1), (500, 1)] {
        let peers =
            remote(
                move |request| match request.head.to_lowercase().contains("signature-input") {
                    true => served(ALICE),
                    false => reply(status, "", ""),
                },
            );
        let found = get_alice(&peers).await;
        assert_eq!(found.is_ok(), tries == 2, "{status}");
        let requests = peers.requests();
        assert_eq!(requests.len(), tries, "{status}");
        for (host, request) in &requests {
            assert_eq!(judged_by(host, request, "/users/alice", now()), Ok(()));
        }
    }
}

#[tokio::test]
async fn every_hop_of_a_redirect_is_signed_for_its_own_host() {
    let moved = "https://other.example/u/1";
    let peers =
        remote(move |_| redirect(moved)).serve("other.example", move |request| {
            match request.target() {
                "/u/1" => redirect("/u/2"),
                _ => served("https://other.example/u/2"),
            }
        });
    let found = get_alice(&peers).await.unwrap();
    assert_eq!(found.id, "https://other.example/u/2");
    let requests = peers.requests();
    assert_eq!(requests.len(), 3);
    for (host, request) in &requests {
        assert_eq!(judged_by(host, request, request.target(), now()), Ok(()));
    }
    let fetcher = fetcher(&peers, &ManualClock::default());
    let named = fetcher.named(ALICE, &FetchBudget::new(10)).await;
    assert!(
        matches!(named, Err(FetchProblem::Id(_))),
        "it is not called that: {named:?}"
    );
}

#[tokio::test]
async fn three_redirects_are_followed_and_each_is_paid_for() {
    let peers = remote(|request| {
        let step: usize = request.target()[1..].parse().unwrap();
        match step {
            0 => served("https://remote.example/0"),
            _ => redirect(&format!("/{}", step - 1)),
        }
    });
    let fetcher = fetcher(&peers, &ManualClock::default());
    let at = |step: usize| Url::parse(&format!("https://remote.example/{step}")).unwrap();
    let budget = FetchBudget::new(10);
    assert!(fetcher.document(&at(MAX_REDIRECTS), &budget).await.is_ok());
    assert_eq!(budget.left(), 6);
    let too_far = fetcher.document(&at(MAX_REDIRECTS + 1), &budget).await;
    assert!(matches!(too_far, Err(FetchProblem::Redirect(_))));
    let poor = fetcher.document(&at(2), &FetchBudget::new(2)).await;
    assert!(poor.unwrap_err().is_out_of_budget());
}

// Case 60 of docs/federation-cases.md.
#[tokio::test]
async fn a_redirect_inside_down_or_to_a_blocked_host_is_not_followed() {
    for target in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://2130706433/",
        "https://localhost/",
        "https://inside.example/",
        "http://remote.example/",
        "ftp://remote.example/",
        "https://remote.example:22/",
        "https://user@remote.example/",
        "https://blocked.example/",
        "https://live.example/federation/user/live",
        "",
    ] {
        let to = target.to_owned();
        let peers = remote(move |_| redirect(&to))
            .serve("blocked.example", |_| served("https://blocked.example/"));
        let refused = get_alice(&peers).await.unwrap_err();
        assert_eq!(refused.retry(), Retry::Never, "{target}: {refused}");
        assert_eq!(peers.requests().len(), 1, "{target}");
    }
}

// Case 60 of docs/federation-cases.md.
#[tokio::test]
async fn addresses_inside_are_not_asked_at_all() {
    let peers = remote(|_| served(ALICE));
    let fetcher = fetcher(&peers, &ManualClock::default());
    for address in [
        "http://remote.example/users/alice",
        "https://127.0.0.1/users/alice",
        "https://[::1]/users/alice",
        "https://[::ffff:10.0.0.1]/users/alice",
        "https://169.254.169.254/users/alice",
        "https://2130706433/users/alice",
        "https://localhost/users/alice",
        "https://printer/users/alice",
        "https://nas.local/users/alice",
        "https://inside.example/users/alice",
    ] {
        let refused = get(&fetcher, address).await.unwrap_err();
        assert!(
            matches!(refused, FetchProblem::Outbound(FetchError::Refused { .. })),
            "{address}: {refused}"
        );
    }
    let inside = get(&fetcher, "https://inside.example/").await;
    let Err(FetchProblem::Outbound(FetchError::Refused { reason, .. })) = inside else {
        panic!("{inside:?}")
    };
    assert!(
        matches!(reason, RefusalReason::Address(_)),
        "a name that leads inside"
    );
    for refused in ["https://blocked.example/", "https://live.example/x"] {
        assert!(matches!(
            get(&fetcher, refused).await,
            Err(FetchProblem::Refused(_))
        ));
    }
    assert!(peers.requests().is_empty());
}

// Case 61 of docs/federation-cases.md.
#[tokio::test]
async fn only_documents_of_activitypub_are_believed() {
    let body = actor(ALICE).to_string();
    for kind in [
        "content-type: application/json\r\n",
        "content-type: text/html\r\n",
        "content-type: application/ld+json\r\n",
        "content-type: image/png\r\n",
        "content-type: application/activity+json\r\ncontent-type: text/html\r\n",
        "",
    ] {
        let body = body.clone();
        let peers = remote(move |_| reply(200, kind, &body));
        let refused = get_alice(&peers).await;
        assert!(
            matches!(refused, Err(FetchProblem::ContentType)),
            "{kind}: {refused:?}"
        );
    }
    for status in [201, 204, 206] {
        let body = body.clone();
        let kind = "content-type: application/activity+json\r\n";
        let peers = remote(move |_| reply(status, kind, &body));
        let refused = get_alice(&peers).await;
        assert!(
            matches!(refused, Err(FetchProblem::Status { .. })),
            "{status}"
        );
    }
}

// Case 61 of docs/federation-cases.md.
#[tokio::test]
async fn a_document_is_what_it_says_only_where_it_says() {
    let peers = remote(|_| served("https://victim.example/users/bob"));
    let elsewhere = get_alice(&peers).await;
    assert!(matches!(elsewhere, Err(FetchProblem::Id(_))));
    assert_eq!(peers.requests().len(), 1);

    let peers = remote(|request| match request.target() {
        "/@alice" => served(ALICE),
        _ => document(ACTIVITY, &json!({ "id": ALICE, "name": "at home" })),
    });
    let fetcher = fetcher(&peers, &ManualClock::default());
    let found = get(&fetcher, "https://remote.example/@alice").await;
    let found = found.unwrap();
    assert_eq!(found.object["name"], "at home", "what counts is at home");
    assert_eq!(peers.requests().len(), 2, "one refetch");

    let peers = remote(|request| match request.target() {
        "/a" => served("https://remote.example/b"),
        _ => served("https://remote.example/c"),
    });
    let fetcher = crate::outlook::fetcher(&peers, &ManualClock::default());
    let wandering = get(&fetcher, "https://remote.example/a").await;
    assert!(matches!(wandering, Err(FetchProblem::Id(_))));
    assert_eq!(peers.requests().len(), 2, "and no second one");
}

#[tokio::test]
async fn what_is_no_plain_object_is_refused() {
    let deep = format!(
        "{{\"id\":\"{ALICE}\",\"a\":{}{}}}",
        "[".repeat(40),
        "]".repeat(40)
    );
    let twice = format!("{{\"id\":\"{ALICE}\",\"id\":\"{ALICE}\"}}");
    for body in ["", "[]", "nonsense", &deep, &twice] {
        let text = body.to_owned();
        let kind = format!("content-type: {ACTIVITY}\r\n");
        let peers = remote(move |_| reply(200, &kind, &text));
        let refused = get_alice(&peers).await;
        assert!(
            matches!(refused, Err(FetchProblem::Unreadable(_))),
            "{body}"
        );
    }
    let peers = remote(|_| document(ACTIVITY, &json!({ "type": "Person" })));
    assert!(matches!(get_alice(&peers).await, Err(FetchProblem::Id(_))));
}

// Case 62 of docs/federation-cases.md.
#[tokio::test]
async fn what_is_too_large_compressed_or_too_slow_is_given_up() {
    let large = format!("{{\"id\":\"{ALICE}\",\"x\":\"{}\"}}", "x".repeat(2 << 20));
    let kind = format!("content-type: {ACTIVITY}\r\n");
    let peers = remote({
        let kind = kind.clone();
        move |_| reply(200, &kind, &large)
    });
    let refused = get_alice(&peers).await;
    assert!(matches!(
        refused,
        Err(FetchProblem::Outbound(FetchError::TooLarge { .. }))
    ));

    let peers = remote(|_| endless(ACTIVITY));
    let refused = get_alice(&peers).await;
    assert!(matches!(
        refused,
        Err(FetchProblem::Outbound(FetchError::TooLarge { .. }))
    ));

    let peers = remote(move |_| reply(200, &format!("{kind}content-encoding: gzip\r\n"), "bomb"));
    let refused = get_alice(&peers).await;
    assert!(matches!(
        refused,
        Err(FetchProblem::Outbound(FetchError::Compressed { .. }))
    ));

    for slow in [trickle(ACTIVITY), Reply::Silent] {
        let peers = remote(move |_| slow.clone());
        let short = Duration::from_millis(700);
        let fetcher = fetcher_with(&peers, &ManualClock::default(), short);
        let refused = get(&fetcher, ALICE).await.unwrap_err();
        assert!(
            matches!(
                refused,
                FetchProblem::Outbound(FetchError::DeadlinePassed { .. })
            ),
            "{refused}"
        );
        assert_eq!(refused.retry(), Retry::Backoff);
    }
}

#[tokio::test]
async fn what_an_answer_says_about_trying_again_is_kept() {
    for (status, headers, wanted, is_gone) in [
        (404, "", Retry::Never, false),
        (410, "", Retry::Never, true),
        (503, "", Retry::Backoff, false),
        (
            429,
            "retry-after: 120\r\n",
            Retry::After(Duration::from_secs(120)),
            false,
        ),
    ] {
        let peers = remote(move |_| reply(status, headers, ""));
        let problem = get_alice(&peers).await.unwrap_err();
        assert_eq!(problem.retry(), wanted, "{status}");
        assert_eq!(problem.is_gone(), is_gone, "{status}");
    }
}
