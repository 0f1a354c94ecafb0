//! Stories about what is cancelled, expires, or is given up for somebody.

use store::federation::{
    Audience, DeliveryFilter, DeliveryKind, DeliveryState, Effects, FollowerState,
};

use crate::federation::{accept, alone, inbox, iri, outgoing, sending};
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
