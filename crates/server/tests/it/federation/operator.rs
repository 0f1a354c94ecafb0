//! What the operator reads and decides, and the answers to invalid requests.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::network::Network;
use super::stage::{adjustable, change, follow};
use crate::http::{Answer, get, post, request, server_with};

async fn ask(server: &TestServer, method: &str, path: &str, body: &Value) -> Answer {
    let request = request(method, &format!("/api/admin{path}")).raw_body(&body.to_string());
    request.by_admin().send(server).await
}

#[tokio::test]
async fn lists_are_empty_before_anybody_comes_and_have_their_shapes() {
    let server = server_with(&[]).await;
    let page = json!({ "total": 0, "results": [] });
    for (path, wanted) in [
        ("/followers", page.clone()),
        ("/followers/pending", json!([])),
        ("/followers/blocked", json!([])),
        ("/followers/directory", json!([])),
        ("/federation/servers", json!({ "servers": [] })),
        ("/federation/feature-requests", json!({ "requests": [] })),
        ("/federation/actions", page.clone()),
        ("/federation/inbox", page.clone()),
        ("/federation/reports", page.clone()),
        ("/federation/quotes", page.clone()),
    ] {
        let answer = ask(&server, "GET", path, &json!({})).await;
        assert_eq!((answer.status, answer.json()), (200, wanted), "{path}");
        assert!(
            answer.header("cache-control").contains("no-store"),
            "{path}"
        );
    }
    let followers = get("/api/followers?offset=0&limit=5").send(&server).await;
    assert_eq!((followers.status, followers.json()), (200, page));
    let servers = get("/api/federation/servers").send(&server).await;
    assert_eq!(servers.json(), json!({ "servers": [] }));
    let playlist = get("/api/federation/servers.m3u").send(&server).await;
    assert_eq!(
        (playlist.status, playlist.body.as_str()),
        (200, "#EXTM3U\n")
    );
}

#[tokio::test]
async fn followers_are_listed_in_parts_and_in_private_mode_only_counted() {
    let server = adjustable().await;
    for number in 1..=7 {
        follow(&server, number).await;
    }
    let links = |page: &Value| {
        let results = page["results"].as_array().unwrap();
        let links = results.iter().map(|one| one["link"].as_str().unwrap());
        links.map(str::to_owned).collect::<Vec<_>>()
    };
    let page = get("/api/followers?offset=1&limit=2").send(&server).await;
    let page = page.json();
    assert_eq!(page["total"], 7);
    assert_eq!(
        links(&page),
        [
            "https://remote.example/users/u6",
            "https://remote.example/users/u5"
        ]
    );
    let first = &page["results"][0];
    assert_eq!(first["username"], "u6@remote.example");
    assert_eq!(
        (&first["name"], &first["image"]),
        (&json!("U 6"), &json!(""))
    );
    assert!(first["timestamp"].is_string() && first["disabledAt"].is_null());
    let all = get("/api/followers?limit=0").send(&server).await;
    assert_eq!(links(&all.json()).len(), 7, "none means the usual number");
    for query in ["limit=", "offset=", "offset=x", "offset=2147483648"] {
        let answer = get(&format!("/api/followers?{query}")).send(&server).await;
        assert_eq!(answer.status, 400, "{query}");
    }

    change(&server, "federation/private", &json!(true)).await;
    let hidden = get("/api/followers").send(&server).await;
    assert_eq!(hidden.json(), json!({ "total": 7, "results": [] }));
    let seen = ask(&server, "GET", "/followers?limit=3", &json!({})).await;
    assert_eq!(links(&seen.json()).len(), 3);
    change(&server, "federation/enable", &json!(false)).await;
    let off = get("/api/followers").send(&server).await;
    assert_eq!(off.json(), json!({ "total": 0, "results": [] }));

    let who = json!({ "actorIRI": "https://remote.example/users/u1" });
    let removed = ask(&server, "POST", "/followers/remove", &who).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    let blocking = json!({ "actorIRI": "https://remote.example/users/u2", "approved": false });
    let blocked = ask(&server, "POST", "/followers/approve", &blocking).await;
    assert_eq!(blocked.status, 200, "{blocked:?}");
    let left = ask(&server, "GET", "/followers", &json!({})).await.json();
    assert_eq!(left["total"], 5);
    let list = ask(&server, "GET", "/followers/blocked", &json!({}))
        .await
        .json();
    assert_eq!(list[0]["link"], "https://remote.example/users/u2");
    assert!(list[0]["disabledAt"].is_string());
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_words() {
    let server = server_with(&[]).await;
    let rows = [
        ("GET", "/followers?limit=many", json!({}), 400, "limit"),
        (
            "GET",
            "/federation/actions?offset=-1",
            json!({}),
            400,
            "offset",
        ),
        ("POST", "/followers/approve", json!({}), 400, "actorIRI"),
        (
            "POST",
            "/followers/approve",
            json!({ "actorIRI": "https://a.example/x" }),
            400,
            "approved",
        ),
        (
            "POST",
            "/followers/approve",
            json!({ "actorIRI": "https://a.example/x", "approved": true }),
            400,
            "no follower",
        ),
        (
            "POST",
            "/followers/remove",
            json!({ "actorIRI": "x" }),
            400,
            "no follower",
        ),
        ("POST", "/federation/servers", json!({}), 400, "url"),
        (
            "POST",
            "/federation/servers",
            json!({ "url": "https://studio.example" }),
            400,
            "switched off",
        ),
        ("DELETE", "/federation/servers/7", json!({}), 404, ""),
        ("DELETE", "/federation/servers/x", json!({}), 404, ""),
        (
            "POST",
            "/federation/servers/7/reorder",
            json!({ "direction": "left" }),
            400,
            "direction",
        ),
        (
            "POST",
            "/federation/servers/7/reorder",
            json!({ "direction": "up" }),
            404,
            "",
        ),
        ("DELETE", "/federation/inbox/7", json!({}), 404, ""),
        ("DELETE", "/federation/inbox/x", json!({}), 404, ""),
        ("DELETE", "/federation/reports/7", json!({}), 404, ""),
        ("DELETE", "/federation/quotes/7", json!({}), 404, ""),
    ];
    for (method, path, body, status, words) in rows {
        let answer = ask(&server, method, path, &body).await;
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{path}: {message}");
    }
    let follow = post(
        "/api/remotefollow",
        &json!({ "account": "alice@a.example" }),
    );
    let follow = follow.send(&server).await;
    assert_eq!(follow.status, 400);
    assert!(follow.body.contains("switched off"), "{}", follow.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_servers_that_tell_when_they_are_live_can_be_featured() {
    let mut network = Network::of(&["page.example", "social.example", "silent.example"]);
    let page = network.server("page.example", &[]).await;
    let peer = network.peer("social.example");
    for (url, code) in [
        ("https://page.example", "OWN_SERVER"),
        ("http://social.example", "UNREACHABLE"),
        ("https://127.0.0.1", "UNREACHABLE"),
        ("https://localhost", "UNREACHABLE"),
        ("https://silent.example", "UNREACHABLE"),
        ("https://social.example", "NOT_FEDERATED"),
    ] {
        let answer = ask(&page, "POST", "/federation/servers", &json!({ "url": url })).await;
        assert_eq!(
            (answer.status, answer.json()["code"].clone()),
            (400, json!(code)),
            "{url}"
        );
    }
    let known = ask(&page, "GET", "/federation/servers", &json!({})).await;
    assert_eq!(known.json(), json!({ "servers": [] }));
    assert!(peer.received().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn following_from_elsewhere_leads_to_the_accounts_own_server_only() {
    let mut network = Network::of(&["page.example", "social.example"]);
    let page = network.server("page.example", &[]).await;
    let peer = network.peer("social.example");
    let ask = |from: &str| {
        post(
            "/api/remotefollow",
            &json!({ "account": "@alice@social.example" }),
        )
        .header("x-forwarded-for", from)
    };
    let answer = ask("192.0.2.1").send(&page).await;
    assert_eq!(
        (answer.status, answer.json()),
        (
            200,
            json!({ "redirectUrl": "https://social.example/follow?uri=https%3A%2F%2Fpage.example%2Ffederation%2Fuser%2Flive" })
        )
    );
    for template in [
        "javascript:alert('{uri}')",
        "https://evil.example/?{uri}",
        "http://social.example/{uri}",
        "https://social.example/without",
    ] {
        peer.set_template(template);
        let answer = ask("192.0.2.2").send(&page).await;
        assert_eq!(answer.status, 400, "{template}: {answer:?}");
    }
    let rest = [
        ask("192.0.2.2").send(&page).await,
        ask("192.0.2.2").send(&page).await,
    ];
    assert_eq!(rest.map(|answer| answer.status), [400, 429]);
    let other = ask("192.0.2.3").send(&page).await;
    assert_eq!(other.status, 400, "others have their own share");
    for account in ["", "alice", "alice@page.example", "alice@127.0.0.1"] {
        let answer = post("/api/remotefollow", &json!({ "account": account }));
        let answer = answer
            .header("x-forwarded-for", "192.0.2.9")
            .send(&page)
            .await;
        assert_eq!(answer.status, 400, "{account}");
    }
}
