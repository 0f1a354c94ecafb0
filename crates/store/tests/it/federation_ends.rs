//! Stories about what is cancelled, expires, or is given up for somebody.

use store::Store;
use store::federation::{
    Audience, DeliveryFilter, DeliveryKind, DeliveryState, Effects, FollowerState,
};

use crate::federation::{DAY, accept, alone, inbox, iri, outgoing, sending};
use crate::federation_queue::claim;
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
            let to = Audience::Inbox(inbox(name, "a.example"));
            // Pings and profiles take each other's place.
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

/// What is kept of an activity.
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
        let to = Audience::Inbox(inbox("u", &format!("{name}.example")));
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
    // Of what is left only one is young enough; it is under way, and so its text is still needed.
    let under_way = claim(&fediverse, 600).await;
    assert_eq!(under_way.len(), 1);
    assert_eq!(under_way[0].json.as_ref(), "{\"id\":\"later\"}");
    assert_eq!(text(&store, "late").await, "");
    fediverse.release(vec![under_way[0].id]).await.unwrap();
    assert_ne!(text(&store, "later").await, "");
    fediverse.expire_deliveries(at(700)).await.unwrap();
    assert_eq!(text(&store, "later").await, "");
    // Nothing is queued for a server that does not answer for days, and so nothing is kept.
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
