//! Accounts and servers found by their names, at loopback hosts that may be hostile.

use std::sync::Arc;
use std::time::Duration;

use federation::lookup::{Account, FETCHES, Lookup, LookupError};
use outbound::{FetchError, TOTAL_DEADLINE, Url};
use serde_json::{Value, json};
use testkit::https::{endless, trickle};

use crate::outlook::Outlook;
use crate::peer::{Peers, Reply, Request, document, redirect, reply};

const JRD: &str = "application/jrd+json; charset=utf-8";

fn alice() -> Account {
    Account::parse("@alice@remote.example").unwrap()
}

fn jrd(actor: &str) -> Value {
    json!({
        "subject": "acct:alice@remote.example",
        "links": [
            { "rel": "self", "type": "application/activity+json", "href": actor },
            { "rel": "http://ostatus.org/schema/1.0/subscribe", "template": "https://remote.example/follow?uri={uri}" },
        ],
    })
}

/// One host that gives the same answer to everything.
fn says(answer: Reply) -> Peers {
    Peers::new().serve("remote.example", move |_: &Request| answer.clone())
}

fn lookup_of(peers: &Peers, deadline: Duration) -> Lookup {
    Lookup::new(peers.client(deadline), Arc::<Outlook>::default())
}

async fn locate(peers: &Peers) -> Result<String, LookupError> {
    let lookup = lookup_of(peers, TOTAL_DEADLINE);
    let located = lookup.account(&alice()).await?;
    Ok(located.actor.to_string())
}

#[tokio::test]
async fn an_account_leads_to_its_actor_and_to_where_its_owner_follows() {
    let peers = says(document(JRD, &jrd("https://remote.example/users/alice")));
    let lookup = lookup_of(&peers, TOTAL_DEADLINE);
    let located = lookup.account(&alice()).await.unwrap();
    assert_eq!(located.actor.as_str(), "https://remote.example/users/alice");
    let address = located.follow_address("https://live.example/federation/user/live");
    assert_eq!(
        address.unwrap().as_str(),
        "https://remote.example/follow?uri=https%3A%2F%2Flive.example%2Ffederation%2Fuser%2Flive"
    );
    let (_, request) = peers.requests().remove(0);
    assert_eq!(
        (request.method(), request.target()),
        (
            "GET",
            "/.well-known/webfinger?resource=acct%3Aalice%40remote.example"
        )
    );
    assert!(
        request
            .head
            .to_lowercase()
            .contains("accept: application/jrd+json")
    );
}

#[tokio::test]
async fn a_host_that_does_not_know_the_account_says_so() {
    for status in [404, 410] {
        let outcome = locate(&says(reply(status, "", ""))).await;
        assert!(matches!(outcome, Err(LookupError::Unknown)), "{status}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_a_small_json_document_is_not_looked_at() {
    let good = jrd("https://remote.example/users/alice").to_string();
    let page = |kind: &str| reply(200, &format!("content-type: {kind}\r\n"), &good);
    let rows = [
        ("html", page("text/html")),
        ("a user's upload", page("text/plain")),
        ("no type", reply(200, "", &good)),
        ("xml", page("application/xrd+xml")),
        (
            "not json",
            reply(200, "content-type: application/jrd+json\r\n", "<html>"),
        ),
        ("a list", document(JRD, &json!([]))),
        (
            "deep",
            reply(200, "content-type: application/json\r\n", &"[".repeat(5000)),
        ),
        (
            "an error",
            reply(500, "content-type: application/jrd+json\r\n", &good),
        ),
        ("501", reply(501, "", "")),
    ];
    for (what, answer) in rows {
        let outcome = locate(&says(answer)).await;
        assert!(
            matches!(outcome, Err(LookupError::Answer(_))),
            "{what}: {outcome:?}"
        );
    }
    let padded = format!("{{\"x\":\"{}\"}}", "a".repeat(70_000));
    for answer in [
        reply(200, "content-type: application/jrd+json\r\n", &padded),
        endless("application/jrd+json"),
    ] {
        let outcome = locate(&says(answer)).await;
        let Err(LookupError::Unreachable(error)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_slow_host_is_given_up() {
    for answer in [Reply::Silent, trickle("application/jrd+json")] {
        let peers = says(answer);
        let lookup = lookup_of(&peers, Duration::from_millis(300));
        let outcome = lookup.account(&alice()).await;
        let Err(LookupError::Unreachable(error)) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(
            matches!(error, FetchError::DeadlinePassed { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn one_redirect_is_followed_as_long_as_it_stays_in_the_house() {
    let at_social = |_: &Request| {
        let mut answer = jrd("https://social.remote.example/users/alice");
        answer["subject"] = "acct:alice@social.remote.example".into();
        document(JRD, &answer)
    };
    let peers = says(redirect(
        "https://social.remote.example/.well-known/webfinger?resource=acct:alice@remote.example",
    ))
    .serve("social.remote.example", at_social);
    let actor = locate(&peers).await.unwrap();
    assert_eq!(actor, "https://social.remote.example/users/alice");

    let rows = [
        "https://evil.example/",
        "https://remote.example.evil.example/",
        "http://remote.example/",
        "https://remote.example:8443/",
        "https://127.0.0.1/",
        "//169.254.169.254/latest/meta-data",
        "javascript:alert(1)",
        "https://",
        "",
    ];
    for target in rows {
        let peers = says(redirect(target)).serve("evil.example", |_: &Request| {
            document(JRD, &jrd("https://evil.example/1"))
        });
        let outcome = locate(&peers).await;
        assert!(outcome.is_err(), "{target}");
        assert!(
            peers
                .requests()
                .iter()
                .all(|(host, _)| host == "remote.example"),
            "{target}"
        );
    }
    let circle = says(redirect("/.well-known/webfinger"));
    assert!(matches!(locate(&circle).await, Err(LookupError::Answer(_))));
    assert_eq!(circle.requests().len(), 2);
}

#[tokio::test]
async fn an_actor_of_another_server_counts_only_if_that_server_agrees() {
    let claim = "https://victim.example/users/bob";
    let victim_says = |actor: &'static str| {
        says(document(JRD, &jrd(claim))).serve("victim.example", move |_: &Request| {
            document(JRD, &jrd(actor))
        })
    };
    assert_eq!(locate(&victim_says(claim)).await.unwrap(), claim);
    let denied = locate(&victim_says("https://victim.example/users/alice")).await;
    assert!(matches!(denied, Err(LookupError::Answer(_))), "{denied:?}");
    let silent =
        says(document(JRD, &jrd(claim))).serve("victim.example", |_: &Request| reply(404, "", ""));
    assert!(matches!(locate(&silent).await, Err(LookupError::Unknown)));
    for inside in [
        "https://10.0.0.1/a",
        "https://localhost/a",
        "https://printer/a",
    ] {
        let outcome = locate(&says(document(JRD, &jrd(inside)))).await;
        assert!(matches!(outcome, Err(LookupError::Answer(_))), "{inside}");
    }
}

#[tokio::test]
async fn hosts_the_operator_refuses_are_not_asked_whoever_leads_there() {
    let evil = "https://blocked.example/users/bob";
    let peers = says(document(JRD, &jrd(evil))).serve("blocked.example", move |_: &Request| {
        document(JRD, &jrd(evil))
    });
    assert!(matches!(locate(&peers).await, Err(LookupError::Refused)));
    let lookup = lookup_of(&peers, TOTAL_DEADLINE);
    for host in ["blocked.example", "sub.blocked.example", "live.example"] {
        let account = Account::parse(&format!("bob@{host}")).unwrap();
        let outcome = lookup.account(&account).await;
        assert!(matches!(outcome, Err(LookupError::Refused)), "{host}");
        let base = Url::parse(&format!("https://{host}/")).unwrap();
        let outcome = lookup.server(&base).await;
        assert!(matches!(outcome, Err(LookupError::Refused)), "{host}");
    }
    let asked = peers.requests();
    assert!(asked.iter().all(|(host, _)| host == "remote.example"));
}

// Case 60 of docs/federation-cases.md.
#[tokio::test]
async fn hosts_on_the_operators_own_network_are_not_asked() {
    let peers = Peers::new();
    let lookup = lookup_of(&peers, TOTAL_DEADLINE);
    for host in ["localhost", "printer", "nas.local", "a.internal", "x.onion"] {
        let account = Account::parse(&format!("alice@{host}")).unwrap();
        let outcome = lookup.account(&account).await;
        assert!(
            matches!(outcome, Err(LookupError::Account)),
            "{host}: {outcome:?}"
        );
        assert!(
            lookup.address(&format!("https://{host}")).is_err(),
            "{host}"
        );
    }
    for typed in [
        "",
        "http://server.example",
        "https://127.0.0.1",
        "https://[::1]/",
        "https://user:pass@server.example",
        "https://server.example:22",
        "ftp://server.example",
        "javascript:alert(1)",
    ] {
        assert!(lookup.address(typed).is_err(), "{typed}");
    }
    // A name that resolves to an internal address is stopped by the resolver.
    let outcome = lookup.account(&alice()).await;
    let Err(LookupError::Unreachable(FetchError::Refused { .. })) = outcome else {
        panic!("{outcome:?}")
    };
    let page = lookup.address(" Server.example/@live?x=1#y ").unwrap();
    assert_eq!(page.as_str(), "https://server.example/");
}

const INDEX: &str = "/.well-known/nodeinfo";

fn index(href: &str) -> Reply {
    let rel = "http://nodeinfo.diaspora.software/ns/schema/2.0";
    document(
        "application/json",
        &json!({ "links": [{ "rel": rel, "href": href }] }),
    )
}

fn info() -> Reply {
    let info = json!({
        "version": "2.0",
        "software": { "name": "owncast", "version": "0.3.0" },
        "protocols": ["activitypub"],
        "metadata": { "federation": { "username": "streamer", "featured_streams": 1 } },
    });
    let profile = "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.0#\"";
    document(profile, &info)
}

/// A server with these two answers.
fn server(first: Reply, second: Reply) -> Peers {
    Peers::new().serve("remote.example", move |request: &Request| {
        match request.target() {
            INDEX => first.clone(),
            _ => second.clone(),
        }
    })
}

async fn describe(peers: &Peers) -> Result<federation::lookup::NodeInfo, LookupError> {
    let lookup = lookup_of(peers, Duration::from_secs(2));
    let base = Url::parse("https://remote.example/").unwrap();
    lookup.server(&base).await
}

#[tokio::test]
async fn a_server_is_described_by_itself() {
    let peers = server(index("https://remote.example/nodeinfo/2.0"), info());
    let described = describe(&peers).await.unwrap();
    assert_eq!(described.software, "owncast");
    assert_eq!(described.username.as_deref(), Some("streamer"));
    assert_eq!(described.featured_streams, 1);
    assert!(described.speaks_activitypub);
}

#[tokio::test]
async fn a_description_elsewhere_is_not_read() {
    let rows = [
        "https://evil.example/nodeinfo/2.0",
        "http://remote.example/nodeinfo/2.0",
        "https://sub.remote.example/nodeinfo/2.0",
        "https://127.0.0.1/nodeinfo/2.0",
        "/nodeinfo/2.0",
    ];
    for href in rows {
        let peers = server(index(href), info());
        let outcome = describe(&peers).await;
        assert!(
            matches!(outcome, Err(LookupError::Answer(_))),
            "{href}: {outcome:?}"
        );
        assert_eq!(peers.requests().len(), 1, "{href}");
    }
    let away = server(
        index("https://remote.example/nodeinfo/2.0"),
        redirect("https://evil.example/2.0"),
    );
    assert!(matches!(describe(&away).await, Err(LookupError::Answer(_))));
    let html = server(
        reply(200, "content-type: text/html\r\n", "<p>hello"),
        info(),
    );
    assert!(matches!(describe(&html).await, Err(LookupError::Answer(_))));
    let huge = server(
        index("https://remote.example/nodeinfo/2.0"),
        endless("application/jrd+json"),
    );
    assert!(matches!(
        describe(&huge).await,
        Err(LookupError::Unreachable(_))
    ));
}

#[tokio::test]
async fn no_lookup_asks_more_often_than_its_budget() {
    let peers = says(redirect("https://remote.example/again"))
        .serve("social.remote.example", |_: &Request| reply(404, "", ""));
    drop(locate(&peers).await);
    drop(describe(&peers).await);
    assert!(peers.requests().len() <= 2 * FETCHES as usize);
}
