//! Chat codes, sent to a Fediverse account.

use std::time::Duration;

use federation::codes::{CodeProblem, MAX_PER_ACCOUNT};
use model::UserId;
use serde_json::json;
use store::federation::DeliveryKind;

use crate::peer::{Peers, document};
use crate::world::{ALICE, World};

const HOUR: Duration = Duration::from_secs(3600);

fn remote() -> Peers {
    Peers::new().serve("remote.example", |request| {
        if request.target().starts_with("/.well-known/webfinger") {
            let links =
                json!([{ "rel": "self", "type": "application/activity+json", "href": ALICE }]);
            let found = json!({ "subject": "acct:alice@remote.example", "links": links });
            return document("application/jrd+json", &found);
        }
        let actor = json!({
            "@context": "https://www.w3.org/ns/activitystreams",
            "id": ALICE,
            "type": "Person",
            "preferredUsername": "alice",
            "inbox": format!("{ALICE}/inbox"),
        });
        document("application/activity+json", &actor)
    })
}

#[tokio::test]
async fn a_code_that_cannot_be_sent_is_not_said_to_be_and_does_not_count() {
    let world = World::open(remote()).await;
    let user = UserId::parse("ada").unwrap();
    let ask = async || {
        world
            .federation
            .send_code("@alice@remote.example", &user)
            .await
    };
    for day in 0..7 {
        if day > 0 {
            world.clock.advance(24 * HOUR);
        }
        let (host, now) = ("remote.example".into(), world.now());
        let failed = world.tables.note_failure(host, None, "down".into(), now);
        failed.await.unwrap();
    }
    for _ in 0..=MAX_PER_ACCOUNT {
        let refused = ask().await;
        assert!(
            matches!(refused, Err(CodeProblem::Unreached)),
            "{refused:?}"
        );
    }
    assert_eq!(world.queued().await, []);
    let back = world.tables.note_success("remote.example", world.now());
    back.await.unwrap();
    assert_eq!(ask().await.unwrap(), "@alice@remote.example");
    let queued = world.queued().await;
    assert_eq!(queued.len(), 1);
    assert_eq!(queued[0].0.kind, DeliveryKind::Direct);
}
