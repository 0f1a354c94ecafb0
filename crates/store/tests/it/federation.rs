//! What the federation stories share, and the stories about followers and the effects of a change.

use jiff::Timestamp;
use model::Event;
use model::fediverse::{MAX_LOGGED_ACTIVITY_BYTES, RemoteActor};
use store::federation::{
    DeliveryAudience, DeliveryFilter, DeliveryKind, DeliveryState, Effects, Engagement,
    EngagementKind, FederationTables, FollowResult, FollowerAbsence, FollowerFilter,
    FollowerProfile, FollowerState, MAX_RAW_ACTIVITIES, NewFollower, OutgoingActivity,
    SeenActivity, UndoResult, ValidationResult,
};
use store::{Store, StoreError};

use crate::support::{Home, at};

pub(crate) const DAY: i64 = 24 * 3600;

pub(crate) fn iri(name: &str, host: &str) -> String {
    format!("https://{host}/users/{name}")
}

pub(crate) fn inbox(name: &str, host: &str) -> String {
    format!("https://{host}/users/{name}/inbox")
}

pub(crate) fn shared_inbox(host: &str) -> String {
    format!("https://{host}/inbox")
}

/// An actor on a server without a shared inbox.
pub(crate) fn alone(name: &str, host: &str) -> NewFollower {
    NewFollower {
        iri: iri(name, host),
        profile: FollowerProfile {
            inbox: inbox(name, host),
            shared_inbox: None,
            username: name.into(),
            handle: format!("@{name}@{host}"),
            name: name.to_uppercase(),
            url: Some(format!("https://{host}/@{name}")),
            image: None,
        },
        follow_id: format!("https://{host}/follows/{name}"),
        follow_json: "{}".into(),
        is_directory: false,
    }
}

/// An actor on a server with a shared inbox.
pub(crate) fn together(name: &str, host: &str) -> NewFollower {
    let mut new = alone(name, host);
    new.profile.shared_inbox = Some(shared_inbox(host));
    new
}

pub(crate) async fn accept(fediverse: &FederationTables, new: NewFollower, at: Timestamp) {
    let added = fediverse
        .add_follower(new, FollowerState::Accepted, Effects::default(), at)
        .await
        .unwrap();
    assert_eq!(added, FollowResult::New);
}

/// An activity that can be sent for a day.
pub(crate) fn outgoing(
    id: &str,
    kind: DeliveryKind,
    audience: DeliveryAudience,
) -> OutgoingActivity {
    OutgoingActivity {
        id: format!("https://live.example/federation/{id}"),
        json: format!("{{\"id\":\"{id}\"}}"),
        kind,
        audience,
        signer: None,
        expires_at: at(DAY),
    }
}

pub(crate) fn sending(outgoing: OutgoingActivity) -> Effects {
    Effects {
        outgoing: vec![outgoing],
        ..Effects::default()
    }
}

fn seen(id: &str, actor: &str) -> Option<SeenActivity> {
    Some(SeenActivity {
        activity_id: Some(id.into()),
        actor: actor.into(),
    })
}

/// The inboxes of waiting deliveries, in the order they were queued.
pub(crate) async fn waiting(fediverse: &FederationTables) -> Vec<String> {
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Pending),
        host: None,
    };
    let (mut page, _) = fediverse.deliveries_page(filter, 0, 100_000).await.unwrap();
    page.reverse();
    page.into_iter().map(|one| one.inbox).collect()
}

pub(crate) async fn kinds(store: &Store) -> Vec<&'static str> {
    let events = store.events_after(0).await.unwrap();
    events.iter().map(|event| event.event.kind()).collect()
}

fn followed(name: &str) -> Event {
    Event::FediverseFollowed {
        actor: RemoteActor {
            iri: iri(name, "a.example"),
            name: name.into(),
            handle: format!("@{name}@a.example"),
            url: None,
            image: None,
        },
        is_pending: false,
    }
}

fn follow_engagement(name: &str, at: Timestamp) -> Engagement {
    Engagement {
        object: "https://live.example/federation/user/live".into(),
        actor: iri(name, "a.example"),
        kind: EngagementKind::Follow,
        activity_id: None,
        at,
    }
}

// Case 41 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_follow_its_answer_and_its_event_are_committed_together_and_told_once(
    home: Home,
) {
    let store = home.open().await;
    let fediverse = store.federation();
    let bob = alone("bob", "a.example");
    let effects = |id: &str, answer: &str| Effects {
        seen: seen(id, &bob.iri),
        engagement: Some(follow_engagement("bob", at(1))),
        events: vec![followed("bob")],
        ..sending(outgoing(
            answer,
            DeliveryKind::Accept,
            DeliveryAudience::Inbox(bob.profile.inbox.clone()),
        ))
    };
    let add = async |id: &str, answer: &str| {
        fediverse
            .add_follower(
                bob.clone(),
                FollowerState::Accepted,
                effects(id, answer),
                at(1),
            )
            .await
    };
    let mut wakeups = fediverse.delivery_wakeups();
    assert_eq!(add("f1", "accept1").await.unwrap(), FollowResult::New);
    assert!(wakeups.has_changed().unwrap());
    wakeups.mark_unchanged();
    // The same activity again: nothing happens.
    assert!(matches!(
        add("f1", "accept2").await,
        Err(StoreError::Conflict)
    ));
    assert!(fediverse.is_seen("f1", &bob.iri).await.unwrap());
    assert!(
        !fediverse
            .is_seen("f1", "https://b.example/u")
            .await
            .unwrap()
    );
    assert_eq!(waiting(&fediverse).await.len(), 1);
    // Another Follow of the same actor: answered, not logged.
    let mut again = bob.clone();
    again.follow_id = "https://a.example/follows/2".into();
    let known = fediverse
        .add_follower(
            again,
            FollowerState::Accepted,
            effects("f2", "accept2"),
            at(2),
        )
        .await
        .unwrap();
    assert_eq!(known, FollowResult::Known(FollowerState::Accepted));
    let stored = fediverse.follower(&bob.iri).await.unwrap().unwrap();
    assert_eq!(stored.follow_id, "https://a.example/follows/2");
    assert_eq!(stored.created_at, at(1));
    assert_eq!(stored.profile, bob.profile);
    assert_eq!(waiting(&fediverse).await.len(), 2);
    assert_eq!(kinds(&store).await, ["FediverseFollowed"]);
    // Gone and back again: still logged only once.
    assert!(
        fediverse
            .remove_follower(bob.iri.clone(), Effects::default(), at(3))
            .await
            .unwrap()
    );
    assert_eq!(add("f3", "accept3").await.unwrap(), FollowResult::New);
    assert_eq!(kinds(&store).await, ["FediverseFollowed"]);
}

// Case 42 of docs/federation-cases.md.
pub(crate) async fn a_held_follow_is_decided_once_and_a_block_stays(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let eve = alone("eve", "a.example");
    let to_eve = |id: &str, kind| {
        sending(outgoing(
            id,
            kind,
            DeliveryAudience::Inbox(eve.profile.inbox.clone()),
        ))
    };
    let added = fediverse
        .add_follower(
            eve.clone(),
            FollowerState::Pending,
            Effects::default(),
            at(1),
        )
        .await
        .unwrap();
    assert_eq!(added, FollowResult::New);
    assert_eq!(fediverse.count_followers().await.unwrap(), 0);
    let decide = async |state, id: &str, kind| {
        fediverse
            .set_follower_state(eve.iri.clone(), state, to_eve(id, kind), at(2))
            .await
            .unwrap()
    };
    assert!(decide(FollowerState::Accepted, "yes", DeliveryKind::Accept).await);
    assert!(!decide(FollowerState::Accepted, "yes2", DeliveryKind::Accept).await);
    assert_eq!(waiting(&fediverse).await.len(), 1, "answered once");
    let stored = fediverse.follower(&eve.iri).await.unwrap().unwrap();
    assert_eq!(
        (stored.approved_at, stored.disabled_at),
        (Some(at(2)), None)
    );
    assert!(decide(FollowerState::Blocked, "no", DeliveryKind::Reject).await);
    let left = fediverse
        .deliveries_page(DeliveryFilter::default(), 0, 10)
        .await
        .unwrap();
    assert_eq!(left.0.len(), 1, "what waited for them is cancelled");
    assert_eq!(left.0[0].kind, DeliveryKind::Reject);
    let stored = fediverse.follower(&eve.iri).await.unwrap().unwrap();
    assert_eq!(
        (stored.approved_at, stored.disabled_at),
        (None, Some(at(2)))
    );
    // Case 44 of docs/federation-cases.md: whoever is blocked cannot follow, nor free themselves by leaving.
    let again = fediverse
        .add_follower(
            eve.clone(),
            FollowerState::Accepted,
            to_eve("x", DeliveryKind::Accept),
            at(3),
        )
        .await
        .unwrap();
    assert_eq!(again, FollowResult::Blocked);
    let undo = fediverse.undo_follow(eve.iri.clone(), None, Effects::default(), at(3));
    assert!(!undo.await.unwrap());
    let forget = fediverse.forget_actor(eve.iri.clone(), Effects::default(), at(3));
    forget.await.unwrap();
    assert_eq!(
        waiting(&fediverse).await.len(),
        0,
        "who is gone needs no answer"
    );
    let (blocked, total) = fediverse
        .followers_page(FollowerFilter::Blocked, 0, 10)
        .await
        .unwrap();
    assert_eq!((blocked[0].iri.as_str(), total), (eve.iri.as_str(), 1));
    let unblock = async || {
        fediverse
            .unblock_follower(eve.iri.clone(), Effects::default(), at(4))
            .await
            .unwrap()
    };
    assert!(unblock().await);
    assert!(!unblock().await);
    assert!(fediverse.follower(&eve.iri).await.unwrap().is_none());
}

// Case 45 of docs/federation-cases.md.
pub(crate) async fn a_follow_is_undone_by_its_own_author_even_before_it_comes(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let bob = alone("bob", "a.example");
    accept(&fediverse, bob.clone(), at(0)).await;
    let undo = async |actor: &str, id: &str, second| {
        fediverse
            .undo_activity(actor.into(), id.into(), Effects::default(), at(second))
            .await
            .unwrap()
    };
    let mallory = iri("mallory", "a.example");
    assert_eq!(undo(&mallory, &bob.follow_id, 1).await, UndoResult::Nothing);
    assert!(fediverse.follower(&bob.iri).await.unwrap().is_some());
    assert_eq!(undo(&bob.iri, &bob.follow_id, 2).await, UndoResult::Follow);
    assert!(fediverse.follower(&bob.iri).await.unwrap().is_none());
    // The other way round: first the Undo, then the Follow.
    let ann = alone("ann", "a.example");
    let early = fediverse.undo_follow(
        ann.iri.clone(),
        Some(ann.follow_id.clone()),
        Effects::default(),
        at(3),
    );
    assert!(!early.await.unwrap());
    let add = async |new: &NewFollower, second| {
        fediverse
            .add_follower(
                new.clone(),
                FollowerState::Accepted,
                Effects::default(),
                at(second),
            )
            .await
            .unwrap()
    };
    assert_eq!(add(&ann, 4).await, FollowResult::Undone);
    let mut later = ann.clone();
    later.follow_id.push_str("-2");
    assert_eq!(add(&later, 5).await, FollowResult::New);
    // After six hours the Undo is forgotten.
    assert_eq!(
        undo(&mallory, "https://a.example/late", 6).await,
        UndoResult::Nothing
    );
    let mut late = alone("mallory", "a.example");
    late.follow_id = "https://a.example/late".into();
    assert_eq!(add(&late, 7 + 6 * 3600).await, FollowResult::New);
    assert_eq!(fediverse.prune_seen(at(0), at(DAY)).await.unwrap(), 3);
}

// Case 14 of docs/federation-cases.md.
pub(crate) async fn followers_are_listed_newest_first_without_directories(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for number in 0..101 {
        accept(
            &fediverse,
            alone(&format!("u{number}"), "a.example"),
            at(number),
        )
        .await;
    }
    let mut directory = alone("dir", "d.example");
    directory.is_directory = true;
    let asked = fediverse
        .add_follower(
            directory.clone(),
            FollowerState::Pending,
            Effects::default(),
            at(5),
        )
        .await;
    asked.unwrap();
    let pending = fediverse
        .add_follower(
            alone("p", "p.example"),
            FollowerState::Pending,
            Effects::default(),
            at(6),
        )
        .await;
    pending.unwrap();
    let (first, total) = fediverse.follower_iris_page(1).await.unwrap();
    assert_eq!((first.len(), total), (50, 101));
    assert_eq!(first[0], iri("u100", "a.example"));
    let (last, _) = fediverse.follower_iris_page(3).await.unwrap();
    assert_eq!(last, [iri("u0", "a.example")]);
    assert!(fediverse.follower_iris_page(4).await.unwrap().0.is_empty());
    let count = async |filter| fediverse.followers_page(filter, 0, 10).await.unwrap().1;
    assert_eq!(count(FollowerFilter::FeatureRequests).await, 1);
    assert_eq!(count(FollowerFilter::Pending).await, 1);
    assert_eq!(count(FollowerFilter::Directories).await, 0);
    fediverse
        .set_follower_state(
            directory.iri,
            FollowerState::Accepted,
            Effects::default(),
            at(7),
        )
        .await
        .unwrap();
    assert_eq!(count(FollowerFilter::Directories).await, 1);
    assert_eq!(fediverse.count_followers().await.unwrap(), 101);
}

pub(crate) async fn followers_are_looked_after_in_turn(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for (name, second) in [("a", 1), ("b", 2), ("c", 3)] {
        accept(&fediverse, alone(name, "a.example"), at(second)).await;
    }
    let due = fediverse.followers_to_validate(2, at(100)).await.unwrap();
    let names: Vec<_> = due
        .iter()
        .map(|one| one.profile.username.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    let look = async |name: &str, outcome, second| {
        fediverse
            .note_validation(iri(name, "a.example"), outcome, at(second))
            .await
            .unwrap()
    };
    let away = |since, days| {
        Some(FollowerAbsence {
            since: at(since),
            days,
        })
    };
    assert_eq!(
        look("a", ValidationResult::NotFound, 100).await,
        away(100, 1)
    );
    assert_eq!(
        look("a", ValidationResult::NotFound, 200).await,
        away(100, 1)
    );
    assert_eq!(look("a", ValidationResult::Found, 300).await, None);
    assert_eq!(look("nobody", ValidationResult::NotFound, 300).await, None);
    let due = fediverse.followers_to_validate(5, at(300)).await.unwrap();
    let names: Vec<_> = due
        .iter()
        .map(|one| one.profile.username.as_str())
        .collect();
    assert_eq!(names, ["b", "c"]);
    // Case 48 of docs/federation-cases.md: what is not said any longer is cleared.
    let mut profile = alone("b", "a.example").profile;
    profile.url = None;
    let known = fediverse
        .update_follower(
            iri("b", "a.example"),
            profile.clone(),
            Effects::default(),
            at(301),
        )
        .await
        .unwrap();
    assert!(known);
    let stored = fediverse.follower(&iri("b", "a.example")).await.unwrap();
    assert_eq!(stored.unwrap().profile, profile);
}

// Cases 54 and 63 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_blocked_domain_takes_its_followers_and_deliveries_with_it(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for host in ["example.com", "a.example.com", "notexample.com"] {
        accept(&fediverse, alone("u", host), at(0)).await;
    }
    let post = outgoing("post", DeliveryKind::Post, DeliveryAudience::Followers);
    fediverse.send(sending(post), at(1)).await.unwrap();
    assert_eq!(waiting(&fediverse).await.len(), 3);
    let removed = fediverse.remove_domain("Example.com".into()).await.unwrap();
    assert_eq!(removed, 2);
    assert_eq!(waiting(&fediverse).await, [inbox("u", "notexample.com")]);
    // An actor who blocks us no longer follows and gets nothing.
    let actor = iri("u", "notexample.com");
    let blocked = fediverse.note_blocked_by(actor.clone(), Effects::default(), at(2));
    blocked.await.unwrap();
    assert!(fediverse.is_blocked_by(&actor).await.unwrap());
    assert!(fediverse.follower(&actor).await.unwrap().is_none());
    assert!(waiting(&fediverse).await.is_empty());
    let clear = fediverse.clear_blocked_by(actor.clone(), Effects::default(), at(3));
    assert!(clear.await.unwrap());
    assert!(!fediverse.is_blocked_by(&actor).await.unwrap());
}

pub(crate) async fn raw_activities_are_logged_but_neither_all_nor_the_long_ones(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let receive = async |id: i64, raw: String| {
        let effects = Effects {
            seen: seen(&id.to_string(), "a"),
            raw: Some(raw),
            ..Effects::default()
        };
        fediverse.send(effects, at(id)).await.unwrap();
    };
    receive(-1, "x".repeat(MAX_LOGGED_ACTIVITY_BYTES + 1)).await;
    assert!(kinds(&store).await.is_empty());
    for id in 0..MAX_RAW_ACTIVITIES + 5 {
        receive(id, format!("{{\"id\":{id}}}")).await;
    }
    let events = store.some_events_after(0, 5_000).await.unwrap();
    assert_eq!(events.len() as i64, MAX_RAW_ACTIVITIES);
    let oldest = Event::FediverseActivityReceived {
        json: "{\"id\":5}".into(),
    };
    assert_eq!(events[0].event, oldest);
    assert_eq!(
        store.event_bounds().await.unwrap().0,
        0,
        "no gap for others"
    );
    // Posts of remote actors are kept no longer than chat lines.
    let pruned = store.prune_events(at(2 * DAY)).await.unwrap();
    assert_eq!(pruned as i64, MAX_RAW_ACTIVITIES);
}
