//! Temporary data is deleted in time.

use std::time::Duration;

use serde_json::json;
use store::federation::{Effects, InboundKind, NewInboundPost};
use testkit::eventually;

use crate::house::House;
use crate::peer::Peers;

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn what_strangers_wrote_is_forgotten_after_a_month() {
    let (house, peers) = (House::new(), Peers::new());
    let server = house.start(&peers).await;
    let tables = server.store.federation();
    let author = json!({ "iri": "https://a.example/u", "name": "Ada", "handle": "@ada@a.example" });
    let post = json!({ "actor": author, "content": "", "contentText": "hush", "url": "https://a.example/1",
        "visibility": "direct" });
    let new = NewInboundPost {
        iri: "https://a.example/1".into(),
        kind: InboundKind::Mention,
        post: serde_json::from_value(post).unwrap(),
    };
    let now = model::Clock::now(&server.clock);
    let kept = tables.add_inbound_post(new, Effects::default(), now).await;
    kept.unwrap();
    let count = async || tables.inbound_posts_page(0, 9).await.unwrap().1;
    assert_eq!(count().await, 1);
    server.clock.advance(31 * DAY);
    // Whatever wakes it, it then notices that time has passed.
    eventually("nothing is kept", || async {
        server.clock.advance(Duration::from_secs(1));
        (count().await == 0).then_some(())
    })
    .await;
    server.close().await;
}
