//! The operator's decisions, and what other servers are sent because of them.

use federation::followers::FollowerError;
use federation::quotes::QuoteError;
use model::StreamStatus;
use model::settings::table::federation::{PRIVATE, USERNAME};
use serde_json::{Value, json};
use store::federation::{
    DeliveryKind, Effects, FollowerFilter, FollowerState, NewObject, NewQuoteAuthorization,
    ObjectKind,
};

use crate::peer::{Peers, Request, document};
use crate::world::{ALICE, World};

const NAMESPACES: [&str; 2] = ["https://rillcast.example/ns#", "https://owncast.online/ns#"];

/// The only waiting delivery.
async fn only(world: &World) -> (store::federation::ClaimedDelivery, Value) {
    let mut queued = world.queued().await;
    assert_eq!(queued.len(), 1, "{queued:?}");
    queued.remove(0)
}

// Case 42 of docs/federation-cases.md, from the side of the operator.
#[tokio::test]
async fn whoever_waits_is_approved_with_an_accept_or_refused_with_a_reject() {
    let world = World::open(Peers::new()).await;
    world.set(&PRIVATE, json!(true)).await;
    world.follower(ALICE, FollowerState::Pending, false).await;
    let bob = "https://remote.example/users/bob";
    world.follower(bob, FollowerState::Pending, false).await;

    world.federation.approve_follower(ALICE).await.unwrap();
    assert_eq!(world.state(ALICE).await, Some(FollowerState::Accepted));
    let (claimed, accept) = only(&world).await;
    assert_eq!(claimed.inbox, format!("{ALICE}/inbox"));
    assert_eq!(claimed.kind, DeliveryKind::Accept);
    assert_eq!(accept["type"], "Accept");
    assert_eq!(accept["actor"], "https://live.example/federation/user/live");
    assert_eq!(accept["to"], json!([ALICE]));
    let follow = json!({
        "id": format!("{ALICE}#follows/1"),
        "type": "Follow",
        "actor": ALICE,
        "object": "https://live.example/federation/user/live",
    });
    assert_eq!(accept["object"], follow);
    let said = accept.as_object().unwrap();
    assert!(!said.keys().any(|key| key.contains("streamStatus")));

    world.federation.block_follower(bob).await.unwrap();
    assert_eq!(world.state(bob).await, Some(FollowerState::Blocked));
    let (claimed, reject) = only(&world).await;
    assert_eq!(claimed.kind, DeliveryKind::Reject);
    assert_eq!(
        (&reject["type"], &reject["to"]),
        (&json!("Reject"), &json!([bob]))
    );

    // Repeated, it sends nothing more.
    world.federation.approve_follower(ALICE).await.unwrap();
    world.federation.block_follower(bob).await.unwrap();
    assert_eq!(world.queued().await, []);
}

// Case 43 of docs/federation-cases.md, from the side of the operator.
#[tokio::test]
async fn a_directory_that_is_approved_learns_at_once_how_the_stream_is() {
    let world = World::open(Peers::new()).await;
    let list = "https://directory.example/federation/user/list";
    world.follower(list, FollowerState::Pending, true).await;
    let asking = world
        .tables
        .followers_page(FollowerFilter::FeatureRequests, 0, 10);
    assert_eq!(asking.await.unwrap().1, 1);
    world.stream.send_replace(StreamStatus {
        is_online: true,
        ..StreamStatus::default()
    });
    world.federation.approve_follower(list).await.unwrap();
    let (_, accept) = only(&world).await;
    for namespace in NAMESPACES {
        assert_eq!(
            accept[format!("{namespace}streamStatus")],
            "live",
            "{accept}"
        );
        assert!(accept[format!("{namespace}serverName")].is_string());
    }
    world.stream.send_replace(StreamStatus::default());
    world.federation.remove_follower(list).await.unwrap();
    assert_eq!(world.state(list).await, None);
    let queued = world.queued().await;
    let reject = &queued.last().unwrap().1;
    assert_eq!(reject["type"], "Reject");
    assert_eq!(reject[format!("{}streamStatus", NAMESPACES[1])], "offline");
}

#[tokio::test]
async fn whoever_follows_can_be_removed_or_blocked_and_let_in_again() {
    let world = World::open(Peers::new()).await;
    world.follower(ALICE, FollowerState::Accepted, false).await;
    world.federation.remove_follower(ALICE).await.unwrap();
    assert_eq!(world.state(ALICE).await, None);
    assert_eq!(only(&world).await.1["type"], "Reject");
    let gone = world.federation.remove_follower(ALICE).await;
    assert!(matches!(gone, Err(FollowerError::Unknown)));
    let gone = world.federation.approve_follower(ALICE).await;
    assert!(matches!(gone, Err(FollowerError::Unknown)));

    let bob = "https://other.example/users/bob";
    world.follower(bob, FollowerState::Accepted, false).await;
    world.federation.block_follower(bob).await.unwrap();
    assert_eq!(only(&world).await.1["type"], "Reject");
    world.federation.approve_follower(bob).await.unwrap();
    assert_eq!(world.state(bob).await, Some(FollowerState::Accepted));
    world.federation.block_follower(bob).await.unwrap();
    // Followers are not told that they may ask again.
    let before = world.queued().await.len();
    world.federation.remove_follower(bob).await.unwrap();
    assert_eq!(world.state(bob).await, None);
    assert!(world.queued().await.len() <= before);
}

#[tokio::test]
async fn a_follower_of_a_former_name_is_answered_by_that_name() {
    let world = World::open(Peers::new()).await;
    world.federation.account().settle().await.unwrap();
    world.follower(ALICE, FollowerState::Accepted, false).await;
    world.set(&USERNAME, json!("stage")).await;
    world.federation.account().settle().await.unwrap();
    drop(world.queued().await);
    let bob = "https://other.example/users/bob";
    world.follower(bob, FollowerState::Accepted, false).await;
    world.federation.remove_follower(bob).await.unwrap();
    let (claimed, reject) = only(&world).await;
    assert_eq!(reject["actor"], "https://live.example/federation/user/live");
    assert_eq!(claimed.signer.as_deref(), Some("live"));
}

// Case 53 of docs/federation-cases.md, from the side of the operator.
#[tokio::test]
async fn a_quote_that_is_taken_back_is_gone_and_its_owner_is_told() {
    let actor = json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": ALICE,
        "type": "Person",
        "preferredUsername": "alice",
        "inbox": format!("{ALICE}/inbox"),
    });
    let peers = Peers::new().serve("remote.example", move |_: &Request| {
        document("application/activity+json", &actor)
    });
    let world = World::open(peers).await;
    let stamp = "https://live.example/federation/stamp1";
    let grant = NewQuoteAuthorization {
        iri: stamp.into(),
        quote_post: format!("{ALICE}/1"),
        quoted_post: "https://live.example/federation/note1".into(),
        requester: ALICE.into(),
        request_id: format!("{ALICE}/requests/1"),
    };
    let effects = Effects {
        objects: vec![NewObject {
            iri: stamp.into(),
            json: json!({ "attributedTo": "https://live.example/federation/user/live" })
                .to_string(),
            kind: ObjectKind::QuoteAuthorization,
            note: None,
            is_public: true,
            is_live_notification: false,
            at: world.now(),
        }],
        ..Effects::default()
    };
    world
        .tables
        .grant(grant, effects, world.now())
        .await
        .unwrap();

    // It was given under the first name, and is revoked under that name.
    world.federation.account().settle().await.unwrap();
    world.set(&USERNAME, json!("stage")).await;
    world.federation.account().settle().await.unwrap();
    world.federation.revoke_quote("stamp1").await.unwrap();
    let (claimed, delete) = only(&world).await;
    assert_eq!(claimed.inbox, format!("{ALICE}/inbox"));
    assert_eq!(delete["actor"], "https://live.example/federation/user/live");
    assert_eq!(claimed.signer.as_deref(), Some("live"));
    assert_eq!(
        (&delete["type"], &delete["object"]),
        (&json!("Delete"), &json!(stamp))
    );
    assert_eq!(delete["to"], json!([ALICE]));
    let kept = world.tables.object(stamp).await.unwrap().unwrap();
    assert!(
        kept.deleted_at.is_some(),
        "whoever asks is told that it is gone"
    );
    for id in ["stamp1", "stamp2"] {
        let again = world.federation.revoke_quote(id).await;
        assert!(matches!(again, Err(QuoteError::Unknown)), "{id}");
    }
}
