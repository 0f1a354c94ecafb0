//! Other servers beside the stream, and periodic maintenance.

use std::time::Duration;

use federation::featured::{self, FeatureError, SILENCE, is_silent};
use model::settings::table::federation::{BLOCKED_DOMAINS, USERNAME};
use serde_json::{Value, json};
use store::federation::{
    DeliveryKind, Direction, FollowStatus, FollowerState, Server, StreamMetadata,
};
use testkit::eventually;
use tokio_util::sync::CancellationToken;

use crate::peer::{Peers, Reply, Request, document, reply};
use crate::world::{ALICE, World};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

fn answers(
    host: &'static str,
    software: &'static str,
    featured: u32,
) -> impl Fn(&Request) -> Reply {
    move |request: &Request| {
        let actor = format!("https://{host}/federation/user/booth");
        match request.target().split('?').next().unwrap() {
            "/.well-known/nodeinfo" => {
                let rel = "http://nodeinfo.diaspora.software/ns/schema/2.0";
                let href = format!("https://{host}/nodeinfo/2.0");
                document(
                    "application/json",
                    &json!({ "links": [{ "rel": rel, "href": href }] }),
                )
            }
            "/nodeinfo/2.0" => document(
                "application/json",
                &json!({
                    "software": { "name": software },
                    "protocols": ["activitypub"],
                    "metadata": { "federation": { "username": "booth", "featured_streams": featured } },
                }),
            ),
            "/.well-known/webfinger" => document(
                "application/jrd+json",
                &json!({
                    "subject": format!("acct:booth@{host}"),
                    "links": [{ "rel": "self", "type": "application/activity+json", "href": actor }],
                }),
            ),
            "/federation/user/booth" => {
                document("application/activity+json", &actor_document(&actor))
            }
            _ => reply(404, "", ""),
        }
    }
}

fn actor_document(actor: &str) -> Value {
    json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": actor,
        "type": "Service",
        "preferredUsername": "booth",
        "name": "The booth",
        "inbox": format!("{actor}/inbox"),
        "icon": { "type": "Image", "url": "https://studio.example/logo.png" },
    })
}

fn studio() -> Peers {
    Peers::new().serve("studio.example", answers("studio.example", "owncast", 1))
}

#[tokio::test]
async fn a_server_is_asked_with_the_mark_of_a_directory_and_let_go_with_an_undo() {
    let world = World::open(studio()).await;
    let server = world
        .federation
        .feature("https://studio.example/x")
        .await
        .unwrap();
    assert_eq!(server.iri, "https://studio.example");
    assert_eq!(server.follow_status, FollowStatus::Pending);
    assert_eq!(server.profile.username, "booth");
    assert!(!server.is_online && !server.is_unsolicited);
    let mut queued = world.queued().await;
    let (claimed, follow) = queued.remove(0);
    assert_eq!(claimed.kind, DeliveryKind::Follow);
    assert_eq!(
        claimed.inbox,
        "https://studio.example/federation/user/booth/inbox"
    );
    assert_eq!(
        follow["object"],
        "https://studio.example/federation/user/booth"
    );
    assert_eq!(Some(&claimed.activity_id), server.follow_id.as_ref());
    for namespace in ["https://rillcast.example/ns#", "https://owncast.online/ns#"] {
        assert_eq!(follow[format!("{namespace}directory")], true);
        assert_eq!(follow[format!("{namespace}streamStatus")], "offline");
    }
    let again = world.federation.feature("studio.example").await;
    assert!(matches!(again, Err(FeatureError::Known)), "{again:?}");

    world.federation.unfeature(server.id).await.unwrap();
    assert_eq!(world.tables.servers().await.unwrap(), []);
    let queued = world.queued().await;
    let (_, undo) = queued.last().unwrap();
    assert_eq!(undo["type"], "Undo");
    assert_eq!(undo["object"]["id"], follow["id"]);
    let gone = world.federation.unfeature(server.id).await;
    assert!(matches!(gone, Err(FeatureError::Unknown)));
}

#[tokio::test]
async fn what_was_asked_for_under_a_former_name_is_taken_back_under_it() {
    let world = World::open(studio()).await;
    world.federation.account().settle().await.unwrap();
    let server = world
        .federation
        .feature("https://studio.example")
        .await
        .unwrap();
    world.set(&USERNAME, json!("stage")).await;
    world.federation.account().settle().await.unwrap();
    let (_, follow) = world.queued().await.remove(0);
    world.federation.unfeature(server.id).await.unwrap();
    let (claimed, undo) = world.queued().await.remove(0);
    assert_eq!(claimed.kind, DeliveryKind::Undo);
    assert_eq!(claimed.signer.as_deref(), Some("live"));
    for said in [&undo["actor"], &undo["object"]["actor"]] {
        assert_eq!(*said, follow["actor"]);
    }
    assert_eq!(undo["actor"], "https://live.example/federation/user/live");
}

#[tokio::test]
async fn a_server_that_does_not_fit_is_refused_with_its_reason() {
    let elsewhere = |request: &Request| match request.target().split('?').next().unwrap() {
        "/.well-known/webfinger" => document(
            "application/jrd+json",
            &json!({
                "subject": "acct:booth@astray.example",
                "links": [{ "rel": "self", "type": "application/activity+json", "href": "https://studio.example/federation/user/booth" }],
            }),
        ),
        _ => answers("astray.example", "rillcast", 1)(request),
    };
    let peers = studio()
        .serve("old.example", answers("old.example", "owncast", 0))
        .serve("social.example", answers("social.example", "mastodon", 1))
        .serve("astray.example", elsewhere)
        .serve("nothing.example", |_: &Request| reply(404, "", ""))
        .serve("blocked.example", answers("blocked.example", "rillcast", 1));
    let world = World::open(peers).await;
    world
        .set(&BLOCKED_DOMAINS, json!(["blocked.example"]))
        .await;
    let rows = [
        ("https://live.example", "OWN_SERVER"),
        ("https://blocked.example", "BLOCKED_DOMAIN"),
        ("https://nothing.example", "NOT_FEDERATED"),
        ("https://social.example", "UNSUPPORTED_SOFTWARE"),
        ("https://old.example", "UNSUPPORTED_FEATURED_STREAMS"),
        ("https://unknown.example", "UNREACHABLE"),
        ("https://10.0.0.1", "UNREACHABLE"),
    ];
    for (url, code) in rows {
        let refused = world.federation.feature(url).await.unwrap_err();
        assert_eq!(refused.code(), code, "{url}: {refused}");
    }
    let astray = world.federation.feature("https://astray.example").await;
    assert!(astray.is_err(), "{astray:?}");
    assert_eq!(world.tables.servers().await.unwrap(), []);
    assert_eq!(world.queued().await, []);
    let asked = world.peers.requests();
    assert!(asked.iter().all(|(host, _)| host != "blocked.example"));
}

/// A server that accepted and is live.
async fn live_server(world: &World) -> Server {
    let server = world
        .federation
        .feature("https://studio.example")
        .await
        .unwrap();
    let (nothing, now) = (Default::default(), world.now());
    let accepted =
        world
            .tables
            .set_server_status(server.id, FollowStatus::Accepted, None, nothing, now);
    assert!(accepted.await.unwrap());
    offer(world, &server).await;
    server
}

async fn offer(world: &World, server: &Server) {
    let (iri, actor) = (server.iri.clone(), server.actor_iri.clone());
    let (news, nothing) = (StreamMetadata::default(), Default::default());
    let offered = world
        .tables
        .note_offer(iri, actor, news, nothing, world.now());
    offered.await.unwrap();
}

async fn is_online(world: &World, id: i64) -> bool {
    world.tables.server(id).await.unwrap().unwrap().is_online
}

// Case 52 of docs/federation-cases.md.
#[tokio::test]
async fn a_live_server_that_falls_silent_is_over_after_eleven_minutes_and_not_before() {
    let world = World::open(studio()).await;
    let server = live_server(&world).await;
    assert!(is_online(&world, server.id).await);
    world.clock.advance(SILENCE - SECOND);
    world.federation.sweep().await.unwrap();
    assert!(is_online(&world, server.id).await, "10:59");
    world.clock.advance(2 * SECOND);
    world.federation.sweep().await.unwrap();
    assert!(!is_online(&world, server.id).await, "11:01");
}

// Case 52 of docs/federation-cases.md, after a start.
#[tokio::test]
async fn after_a_start_a_whole_window_passes_before_anybody_is_taken_for_silent() {
    let world = World::open(studio()).await;
    let server = live_server(&world).await;
    world.clock.advance(10 * SILENCE);
    let stop = CancellationToken::new();
    let running = tokio::spawn(featured::run(world.federation.clone(), stop.clone()));
    // The task must be asleep before time passes; it shows that by having read the blocked domains.
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(is_online(&world, server.id).await);
    world.clock.advance(SILENCE - SECOND);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(is_online(&world, server.id).await);
    world.clock.advance(SECOND);
    eventually("it is swept", || async {
        (!is_online(&world, server.id).await).then_some(())
    })
    .await;
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn a_server_that_does_not_answer_for_a_week_is_shown_as_silent() {
    let world = World::open(studio()).await;
    let server = world
        .federation
        .feature("https://studio.example")
        .await
        .unwrap();
    let week = 7 * 24 * HOUR;
    assert!(!is_silent(&server, world.now() + week - SECOND));
    assert!(is_silent(&server, world.now() + week));
}

#[tokio::test]
async fn servers_are_put_in_order_one_place_at_a_time() {
    let peers = studio().serve("other.example", answers("other.example", "rillcast", 1));
    let world = World::open(peers).await;
    let one = world
        .federation
        .feature("https://studio.example")
        .await
        .unwrap();
    let two = world
        .federation
        .feature("https://other.example")
        .await
        .unwrap();
    let order = async || {
        let servers = world.tables.servers().await.unwrap();
        servers.iter().map(|server| server.id).collect::<Vec<_>>()
    };
    assert_eq!(order().await, [one.id, two.id]);
    world
        .federation
        .move_featured(two.id, Direction::Up)
        .await
        .unwrap();
    assert_eq!(order().await, [two.id, one.id]);
    world
        .federation
        .move_featured(two.id, Direction::Up)
        .await
        .unwrap();
    assert_eq!(order().await, [two.id, one.id]);
    let unknown = world.federation.move_featured(99, Direction::Down).await;
    assert!(matches!(unknown, Err(FeatureError::Unknown)));
}

// Cases 54 and 63 of docs/federation-cases.md, from the side of the settings.
#[tokio::test]
async fn a_domain_that_is_blocked_takes_followers_deliveries_and_servers_along() {
    let world = World::open(studio()).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(featured::run(world.federation.clone(), stop.clone()));
    world
        .federation
        .feature("https://studio.example")
        .await
        .unwrap();
    let below = "https://sub.remote.example/users/bob";
    let beside = "https://notremote.example/users/carl";
    for iri in [ALICE, below, beside] {
        world.follower(iri, FollowerState::Pending, false).await;
        world.federation.approve_follower(iri).await.unwrap();
    }
    let domains = json!(["remote.example", "studio.example"]);
    world.set(&BLOCKED_DOMAINS, domains).await;
    eventually("they are gone", || async {
        let is_gone = world.state(ALICE).await.is_none() && world.state(below).await.is_none();
        is_gone.then_some(())
    })
    .await;
    eventually("the server is gone", || async {
        world
            .tables
            .servers()
            .await
            .unwrap()
            .is_empty()
            .then_some(())
    })
    .await;
    assert_eq!(world.state(beside).await, Some(FollowerState::Accepted));
    let waiting = world.queued().await;
    let inboxes: Vec<_> = waiting.iter().map(|(one, _)| one.host.as_str()).collect();
    assert_eq!(inboxes, ["notremote.example"]);
    stop.cancel();
    running.await.unwrap();
}

/// Alice's server, which serves `answer` as her document.
fn remote(answer: impl Fn() -> Reply + Send + Sync + 'static) -> Peers {
    Peers::new().serve("remote.example", move |_: &Request| answer())
}

fn alice_called(name: &str) -> Reply {
    let actor = json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": ALICE,
        "type": "Person",
        "preferredUsername": "alice",
        "name": name,
        "inbox": format!("{ALICE}/new-inbox"),
    });
    document("application/activity+json", &actor)
}

#[tokio::test]
async fn a_follower_is_looked_at_once_an_hour_and_kept_up_to_date() {
    let peers = remote(|| alice_called("Alice the second"));
    let world = World::open(peers).await;
    world.follower(ALICE, FollowerState::Accepted, false).await;
    world.clock.advance(2 * HOUR);
    world.federation.validate_followers().await.unwrap();
    let alice = world.tables.follower(ALICE).await.unwrap().unwrap();
    assert_eq!(alice.profile.name, "Alice the second");
    assert_eq!(alice.profile.inbox, format!("{ALICE}/new-inbox"));
    assert_eq!(alice.validated_at, world.now());
    world.federation.validate_followers().await.unwrap();
    assert_eq!(world.peers.requests().len(), 1, "not twice in an hour");
}

#[tokio::test]
async fn a_follower_who_is_gone_is_removed_and_one_who_is_away_only_after_a_week() {
    let gone = World::open(remote(|| reply(410, "", ""))).await;
    gone.follower(ALICE, FollowerState::Accepted, false).await;
    gone.clock.advance(2 * HOUR);
    gone.federation.validate_followers().await.unwrap();
    assert_eq!(gone.state(ALICE).await, None);

    let peers = remote(|| reply(404, "", ""));
    let away = World::open(peers).await;
    away.follower(ALICE, FollowerState::Accepted, false).await;
    for _ in 0..7 {
        away.clock.advance(24 * HOUR);
        away.federation.validate_followers().await.unwrap();
        assert_eq!(away.state(ALICE).await, Some(FollowerState::Accepted));
    }
    away.clock.advance(24 * HOUR);
    away.federation.validate_followers().await.unwrap();
    assert_eq!(away.state(ALICE).await, None);
    assert_eq!(away.queued().await, [], "nobody is told");
}

#[tokio::test]
async fn two_looks_in_vain_or_a_wall_before_the_account_remove_nobody() {
    let away = World::open(remote(|| reply(404, "", ""))).await;
    away.follower(ALICE, FollowerState::Accepted, false).await;
    for _ in 0..2 {
        away.clock.advance(10 * 24 * HOUR);
        away.federation.validate_followers().await.unwrap();
    }
    assert_eq!(away.state(ALICE).await, Some(FollowerState::Accepted));

    let walled = World::open(remote(|| reply(403, "", ""))).await;
    walled.follower(ALICE, FollowerState::Accepted, false).await;
    for _ in 0..10 {
        walled.clock.advance(24 * HOUR);
        walled.federation.validate_followers().await.unwrap();
    }
    assert_eq!(walled.state(ALICE).await, Some(FollowerState::Accepted));
    assert_eq!(walled.peers.requests().len(), 10);
}
