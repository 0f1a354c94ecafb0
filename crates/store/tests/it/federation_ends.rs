//! Stories about deliveries that are cancelled, expire, or are given up.

use store::Store;
use store::federation::{
    DeliveryAudience, DeliveryFilter, DeliveryKind, DeliveryOutcome, DeliveryState, Effects,
    FollowerState, SeenActivity, ValidationResult,
};

use crate::federation::{DAY, accept, alone, inbox, iri, outgoing, sending};
use crate::federation_queue::{claim, finish, to_inbox};
use crate::support::{Home, at};

pub(crate) async fn the_end_of_a_follow_cancels_only_what_was_sent_because_of_it(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let ends: [(&str, FollowerState); 2] = [
        ("undone", FollowerState::Pending),
        ("blocked", FollowerState::Blocked),
    ];
    for (name, state) in ends {
        accept(&fediverse, alone(name, "a.example"), at(0)).await;
        for kind in DeliveryKind::ALL {
            let to = DeliveryAudience::Inbox(inbox(name, "a.example"));
            // Pings and profile updates replace each other.
            if kind != DeliveryKind::Leave {
                let one = outgoing(&format!("{name}-{}", kind.as_str()), kind, to);
                fediverse.send(sending(one), at(1)).await.unwrap();
            }
        }
        let (iri, nothing) = (iri(name, "a.example"), Effects::default());
        match state {
            FollowerState::Blocked => {
                let blocked = fediverse.set_follower_state(iri, state, nothing, at(2));
                assert!(blocked.await.unwrap());
            }
            _ => assert!(
                fediverse
                    .undo_follow(iri, None, nothing, at(2))
                    .await
                    .unwrap()
            ),
        }
        let filter = DeliveryFilter {
            state: Some(DeliveryState::Pending),
            host: None,
        };
        let (page, _) = fediverse.deliveries_page(filter, 0, 100).await.unwrap();
        let left = page.iter().filter(|one| one.activity_id.contains(name));
        let mut left: Vec<_> = left.map(|one| one.kind.as_str()).collect();
        left.sort_unstable();
        assert_eq!(left, ["direct", "follow", "quote", "undo"], "{name}");
    }
}

/// The stored body of an activity.
async fn text(store: &Store, name: &str) -> String {
    let id = format!("https://live.example/federation/{name}");
    store
        .write(move |tx| {
            Box::pin(async move {
                let text = sqlx::query_scalar("SELECT json FROM outbound_activities WHERE id = $1");
                Ok(text.bind(id).fetch_one(tx).await?)
            })
        })
        .await
        .unwrap()
}

pub(crate) async fn what_was_written_to_one_person_is_forgotten_however_it_ends(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let send = async |name: &str, second: i64| {
        let to = DeliveryAudience::Inbox(inbox("u", &format!("{name}.example")));
        let mut one = outgoing(name, DeliveryKind::Direct, to);
        one.expires_at = at(second + 600);
        fediverse.send_one(one, at(second)).await.unwrap()
    };
    let names = ["late", "later", "inbox", "host", "domain", "dropped"];
    for name in names {
        let second = if name == "later" { 100 } else { 0 };
        assert!(send(name, second).await);
        assert_ne!(text(&store, name).await, "", "{name}");
    }
    let cancelled = fediverse.cancel_inbox(inbox("u", "inbox.example"));
    assert_eq!(cancelled.await.unwrap(), 1);
    let cancelled = fediverse.cancel_host("host.example".into());
    assert_eq!(cancelled.await.unwrap(), 1);
    let blocked = fediverse.remove_domain("domain.example".into());
    blocked.await.unwrap();
    let (page, _) = fediverse
        .deliveries_page(DeliveryFilter::default(), 0, 100)
        .await
        .unwrap();
    let dropped = page.iter().find(|one| one.activity_id.ends_with("dropped"));
    let dropped = fediverse.drop_deliveries(vec![dropped.unwrap().id]);
    assert_eq!(dropped.await.unwrap(), 1);
    for name in ["inbox", "host", "domain", "dropped"] {
        assert_eq!(text(&store, name).await, "", "{name}");
    }
    assert_ne!(text(&store, "late").await, "");
    // Only one of the rest is recent enough; it is under way, so its body is still needed.
    let under_way = claim(&fediverse, 600).await;
    assert_eq!(under_way.len(), 1);
    assert_eq!(under_way[0].json.as_ref(), "{\"id\":\"later\"}");
    assert_eq!(text(&store, "late").await, "");
    fediverse.release(vec![under_way[0].id]).await.unwrap();
    assert_ne!(text(&store, "later").await, "");
    fediverse.expire_deliveries(at(700)).await.unwrap();
    assert_eq!(text(&store, "later").await, "");
    // Nothing is queued for a server that has not answered for days, so nothing is stored.
    for day in 0..7 {
        let failed = fediverse.note_failure(
            "away.example".into(),
            None,
            "down".into(),
            at(day * DAY + 1),
        );
        failed.await.unwrap();
    }
    assert!(!send("away", 6 * DAY + 60).await);
    assert_eq!(text(&store, "away").await, "");
}

pub(crate) async fn who_is_heard_of_or_takes_something_is_not_away(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let (alice, there) = (iri("alice", "a.example"), inbox("alice", "a.example"));
    accept(&fediverse, alone("alice", "a.example"), at(0)).await;
    let look = async |outcome, day: i64| {
        let noted = fediverse.note_validation(alice.clone(), outcome, at(day * DAY));
        noted.await.unwrap().map(|away| (away.since, away.days))
    };
    assert_eq!(
        look(ValidationResult::NotFound, 1).await,
        Some((at(DAY), 1))
    );
    assert_eq!(look(ValidationResult::Unclear, 2).await, None);
    assert_eq!(
        look(ValidationResult::NotFound, 3).await,
        Some((at(DAY), 2))
    );
    // Nobody has checked since, and the others are not away.
    accept(&fediverse, alone("bob", "a.example"), at(0)).await;
    let away = fediverse.followers_away(5, at(4 * DAY)).await.unwrap();
    let away: Vec<_> = away.into_iter().map(|one| one.iri).collect();
    assert_eq!(away, std::slice::from_ref(&alice));
    let away = fediverse.followers_away(5, at(3 * DAY)).await.unwrap();
    assert_eq!(away.len(), 0);
    // She sends an activity.
    let heard = Effects {
        seen: Some(SeenActivity {
            activity_id: Some("https://a.example/1".into()),
            actor: alice.clone(),
        }),
        ..Effects::default()
    };
    fediverse.send(heard, at(4 * DAY)).await.unwrap();
    let away = fediverse.followers_away(5, at(9 * DAY)).await.unwrap();
    assert_eq!(away.len(), 0);
    let days = |day| Some((at(day * DAY), 1));
    assert_eq!(look(ValidationResult::NotFound, 5).await, days(5));
    // She accepts a delivery.
    to_inbox(&fediverse, "hi", DeliveryKind::Accept, &there, 0).await;
    let sent = claim(&fediverse, 0).await.remove(0);
    let taken = DeliveryOutcome::Delivered { status: 202 };
    finish(&fediverse, &sent, taken, 6 * DAY).await;
    assert_eq!(look(ValidationResult::NotFound, 7).await, days(7));
    assert_eq!(
        look(ValidationResult::NotFound, 8).await,
        Some((at(7 * DAY), 2))
    );
}
