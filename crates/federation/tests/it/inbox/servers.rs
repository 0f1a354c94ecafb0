//! Other servers answer our Follow and announce their streams.

use std::time::Duration;

use serde_json::{Value, json};
use store::federation::{Effects, FollowStatus, NewServer, Server, ServerProfile};

use super::stage::{ALICE, BOB, COMMON, Stage, US, person};

const HOME: &str = "https://remote.example";
const FOLLOW: &str = "https://live.example/federation/follow/1";

/// Features the server Alice speaks for.
async fn featured(stage: &Stage) {
    let new = NewServer {
        iri: HOME.into(),
        actor_iri: ALICE.into(),
        inbox: format!("{ALICE}/inbox"),
        follow_id: FOLLOW.into(),
        followed_as: "live".into(),
        profile: ServerProfile::default(),
    };
    stage
        .tables()
        .add_server(new, Effects::default(), stage.now())
        .await
        .unwrap();
}

async fn server(stage: &Stage) -> Option<Server> {
    stage.tables().server_by_iri(HOME).await.unwrap()
}

async fn status(stage: &Stage) -> FollowStatus {
    server(stage).await.unwrap().follow_status
}

fn answer(kind: &str, number: u32, object: Value) -> Value {
    let mut activity =
        json!({ "id": format!("{ALICE}#{kind}/{number}"), "type": kind, "actor": ALICE });
    activity["object"] = object;
    activity
}

fn our_follow() -> Value {
    json!({ "type": "Follow", "actor": US, "object": ALICE })
}

fn ping(actor: &str, kind: &str, number: u32, status: &str) -> Value {
    json!({
        "id": format!("{actor}#{kind}/{number}"), "type": kind, "actor": actor, "object": HOME,
        format!("{COMMON}#streamStatus"): status, format!("{COMMON}#streamTitle"): "x".repeat(5000),
        format!("{COMMON}#thumbnailUrl"): "ftp://remote.example/t.jpg", format!("{COMMON}#streamTags"): "music",
    })
}

// Case 50 of docs/federation-cases.md.
#[tokio::test]
async fn an_answer_counts_by_the_name_of_our_follow_or_with_the_follow_in_it() {
    for object in [
        json!(FOLLOW),
        our_follow(),
        json!({ "id": FOLLOW, "type": "Follow" }),
    ] {
        let stage = Stage::open().await;
        featured(&stage).await;
        let mut accept = answer("Accept", 1, object.clone());
        accept[format!("{COMMON}#streamStatus")] = json!("live");
        accept[format!("{COMMON}#streamTitle")] = json!("Tea");
        stage.send(&accept).await;
        let known = server(&stage).await.unwrap();
        assert_eq!(known.follow_status, FollowStatus::Accepted, "{object}");
        assert!(known.is_online);
        assert_eq!(known.stream_title, "Tea");
        assert_eq!(known.profile.display_name, "ALICE");
        assert_eq!(
            known.profile.logo_url.as_deref(),
            Some("https://remote.example/users/alice.png")
        );
        stage.send(&answer("Reject", 1, object)).await;
        let known = server(&stage).await.unwrap();
        assert_eq!(known.follow_status, FollowStatus::Rejected);
        assert!(!known.is_online);
    }
}

// Case 50 of docs/federation-cases.md.
#[tokio::test]
async fn an_answer_to_nothing_we_asked_changes_nothing() {
    let stage = Stage::open().await;
    featured(&stage).await;
    stage
        .send(&answer(
            "Accept",
            1,
            json!("https://live.example/federation/follow/2"),
        ))
        .await;
    stage
        .send(&answer(
            "Accept",
            2,
            json!({ "type": "Follow", "actor": BOB, "object": ALICE }),
        ))
        .await;
    stage
        .send(&answer("Accept", 3, json!({ "type": "Like", "actor": US })))
        .await;
    let mut neighbour = answer("Accept", 4, json!(FOLLOW));
    neighbour["actor"] = json!(BOB);
    neighbour["id"] = json!(format!("{BOB}#accept"));
    stage.send(&neighbour).await;
    assert_eq!(status(&stage).await, FollowStatus::Pending);
}

// Case 51 of docs/federation-cases.md.
#[tokio::test]
async fn a_ping_shows_a_server_online_with_what_it_says_cut_to_size() {
    let stage = Stage::open().await;
    featured(&stage).await;
    stage.send(&answer("Accept", 1, json!(FOLLOW))).await;
    stage.send(&ping(ALICE, "Offer", 1, "offline")).await;
    stage
        .send(
            &json!({ "id": format!("{ALICE}#o"), "type": "Offer", "actor": ALICE, "object": HOME }),
        )
        .await;
    assert!(!server(&stage).await.unwrap().is_online);
    stage.send(&ping(ALICE, "Offer", 2, "live")).await;
    let known = server(&stage).await.unwrap();
    assert!(known.is_online);
    assert_eq!(known.stream_title.len(), 300);
    assert_eq!(known.thumbnail_url, None);
    assert!(known.stream_tags.is_empty());
    assert_eq!(known.iri, HOME);
    // Another actor there does not speak for it.
    stage.clock.advance(Duration::from_secs(60));
    stage.send(&ping(BOB, "Leave", 1, "offline")).await;
    assert!(server(&stage).await.unwrap().is_online);
    // Case 52 of docs/federation-cases.md, as far as it is about what is sent.
    stage.send(&ping(ALICE, "Leave", 2, "offline")).await;
    assert!(!server(&stage).await.unwrap().is_online);
}

// Case 51 of docs/federation-cases.md, for a server that nobody featured.
#[tokio::test]
async fn a_server_nobody_asked_is_kept_for_the_operator_alone() {
    let stage = Stage::open().await;
    stage.send(&ping(ALICE, "Offer", 1, "live")).await;
    let known = server(&stage).await.unwrap();
    assert!(known.is_unsolicited && known.is_online);
    assert_eq!(known.follow_status, FollowStatus::None);
    assert!(stage.tables().servers().await.unwrap().is_empty());
    // An answer to a follow that was never sent does not create one.
    stage.send(&answer("Accept", 1, our_follow())).await;
    assert_eq!(status(&stage).await, FollowStatus::None);
    stage.send(&ping(ALICE, "Leave", 2, "offline")).await;
    assert!(!server(&stage).await.unwrap().is_online);
}

#[tokio::test]
async fn a_server_that_moves_is_noted_for_the_operator() {
    let stage = Stage::open().await;
    featured(&stage).await;
    let moved = json!({ "id": format!("{ALICE}#move"), "type": "Move", "actor": ALICE, "object": ALICE,
        "target": "https://other.example/users/alice" });
    stage.send(&moved).await;
    let known = server(&stage).await.unwrap();
    assert_eq!(
        known.moved_to.as_deref(),
        Some("https://other.example/users/alice")
    );
    stage.show(ALICE, &person(ALICE));
    assert_eq!(known.actor_iri, ALICE);
}
