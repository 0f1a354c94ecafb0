//! Two of our servers, one of which features the other.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;

use super::network::Network;
use crate::http::{Answer, get, post, request};
use crate::stream::broadcast;

async fn admin(server: &TestServer, path: &str) -> Value {
    let answer = get(&format!("/api/admin{path}")).by_admin();
    answer.send(server).await.json()
}

async fn decide(server: &TestServer, path: &str, body: Value) -> Answer {
    let path = format!("/api/admin{path}");
    post(&path, &body).by_admin().send(server).await
}

/// What viewers see of featured servers, once `wanted` holds.
async fn shown(server: &TestServer, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    eventually(what, || async {
        let answer = get("/api/federation/servers").send(server).await.json();
        Some(answer["servers"].clone()).filter(&wanted)
    })
    .await
}

// Case 64 of docs/federation-cases.md.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_featured_approved_seen_live_seen_offline_and_unfeatured() {
    let network = Network::of(&["page.example", "studio.example"]);
    let page = network.server("page.example", &[]).await;
    let set = [
        "name=The studio",
        "summary=All day long",
        "stream_title=Rehearsal",
        "federation_username=booth",
    ];
    let studio = network.server("studio.example", &set).await;

    let body = json!({ "url": "https://studio.example/some/page" });
    let answer = decide(&page, "/federation/servers", body.clone()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let added = answer.json();
    assert_eq!(added["followStatus"], "pending");
    assert_eq!(added["iri"], "https://studio.example");
    let nobody = get("/api/federation/servers").send(&page).await.json();
    assert_eq!(nobody, json!({ "servers": [] }), "not before it agrees");
    let again = decide(&page, "/federation/servers", body).await;
    assert_eq!(
        (again.status, again.json()["code"].clone()),
        (400, json!("ALREADY_FEATURED"))
    );

    let asking = eventually("the request arrives", || async {
        let requests = admin(&studio, "/federation/feature-requests").await;
        requests["requests"].get(0).cloned()
    })
    .await;
    assert_eq!(asking["link"], "https://page.example/federation/user/live");
    assert_eq!(admin(&studio, "/followers/pending").await, json!([]));
    let decision = json!({ "actorIRI": asking["link"], "approved": true });
    let approved = decide(&studio, "/followers/approve", decision).await;
    assert_eq!(approved.status, 200, "{approved:?}");

    let servers = shown(&page, "it is accepted", |servers| servers[0]["id"].is_i64()).await;
    assert_eq!(servers[0]["name"], "booth");
    assert_eq!(servers[0]["displayName"], "The studio");
    assert_eq!(servers[0]["isOnline"], false);
    let logo = servers[0]["logoUrl"].as_str().unwrap();
    assert!(
        logo.starts_with("https://studio.example/logo/external"),
        "{logo}"
    );
    assert_eq!(
        admin(&page, "/federation/servers").await["servers"][0]["followStatus"],
        "accepted"
    );

    let mut publisher = broadcast(&studio).await;
    let servers = shown(&page, "it is live", |servers| {
        servers[0]["isOnline"] == true
    })
    .await;
    assert_eq!(servers[0]["streamTitle"], "Rehearsal");
    assert_eq!(servers[0]["streamDescription"], "All day long");
    let playlist = get("/api/federation/servers.m3u").send(&page).await;
    assert!(
        playlist
            .header("content-type")
            .starts_with("audio/x-mpegurl")
    );
    assert!(
        playlist
            .body
            .ends_with("The studio - Rehearsal\nhttps://studio.example/hls/stream.m3u8\n")
    );

    publisher.unpublish().await.unwrap();
    shown(&page, "it is over", |servers| {
        servers[0]["isOnline"] == false
    })
    .await;
    let playlist = get("/api/federation/servers.m3u").send(&page).await;
    assert_eq!(playlist.body, "#EXTM3U\n");

    let directories = admin(&studio, "/followers/directory").await;
    assert_eq!(directories[0]["link"], asking["link"]);
    let path = format!("/api/admin/federation/servers/{}", added["id"]);
    let removed = request("DELETE", &path).by_admin().send(&page).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    shown(&page, "it is gone", |servers| {
        servers.as_array().unwrap().is_empty()
    })
    .await;
    eventually("the other one forgets", || async {
        let directories = admin(&studio, "/followers/directory").await;
        (directories == json!([])).then_some(())
    })
    .await;
    let again = request("DELETE", &path).by_admin().send(&page).await;
    assert_eq!(again.status, 404);
}

// Case 50 of docs/federation-cases.md, from the side of the operator.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_refuses_or_removes_us_is_shown_as_rejected() {
    let network = Network::of(&["page.example", "studio.example"]);
    let page = network.server("page.example", &[]).await;
    let studio = network.server("studio.example", &[]).await;
    let body = json!({ "url": "studio.example" });
    let answer = decide(&page, "/federation/servers", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let ours = "https://page.example/federation/user/live";
    eventually("the request arrives", || async {
        let requests = admin(&studio, "/federation/feature-requests").await;
        (requests["requests"][0]["link"] == ours).then_some(())
    })
    .await;
    let approve = json!({ "actorIRI": ours, "approved": true });
    decide(&studio, "/followers/approve", approve).await;
    shown(&page, "it is accepted", |servers| servers[0]["id"].is_i64()).await;

    let removed = decide(&studio, "/followers/remove", json!({ "actorIRI": ours })).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(admin(&studio, "/followers/directory").await, json!([]));
    assert_eq!(admin(&studio, "/followers/blocked").await, json!([]));
    shown(&page, "it is shown no longer", |servers| {
        servers.as_array().unwrap().is_empty()
    })
    .await;
    let known = admin(&page, "/federation/servers").await;
    assert_eq!(known["servers"][0]["followStatus"], "rejected");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_that_is_blocked_takes_its_server_and_its_followers_along() {
    let network = Network::of(&["page.example", "studio.example"]);
    let page = network.server("page.example", &[]).await;
    let studio = network.server("studio.example", &[]).await;
    let body = json!({ "url": "https://studio.example" });
    decide(&page, "/federation/servers", body.clone()).await;
    let block = json!({ "value": ["example"] });
    let blocked = decide(&page, "/config/federation/blockdomains", block).await;
    assert_eq!(blocked.status, 200, "{blocked:?}");
    eventually("the server is gone", || async {
        let known = admin(&page, "/federation/servers").await;
        (known == json!({ "servers": [] })).then_some(())
    })
    .await;
    let refused = decide(&page, "/federation/servers", body).await;
    assert_eq!(
        (refused.status, refused.json()["code"].clone()),
        (400, json!("BLOCKED_DOMAIN"))
    );
    drop(studio);
}
