//! The operator's posts: written and deleted.

use federation::publishing::{NewPost, PostError, PostImage};
use model::settings::table::federation::USERNAME;
use serde_json::json;
use store::federation::DeliveryState;

use crate::house::{ACTOR, House, activity, header, until_received};
use crate::peer::{Peers, reply};

const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;";

fn friendly() -> Peers {
    Peers::new().serve("peer.example", |_| reply(202, "", ""))
}

fn text(text: &str) -> NewPost {
    NewPost {
        text: text.into(),
        picture: None,
    }
}

#[tokio::test]
async fn a_post_with_a_picture_is_sent_and_kept() {
    let (house, peers) = (House::new(), friendly());
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    let picture = PostImage::read(GIF).unwrap();
    let new = NewPost {
        text: "Look at **this** #Music".into(),
        picture: Some((picture, "a single pixel".into())),
    };
    let iri = server.outbox.post(new).await.unwrap();
    let create = activity(&until_received(&peers, 1).await[0].1);
    let note = &create["object"];
    assert_eq!(note["id"], iri.as_str());
    let content = note["content"].as_str().unwrap();
    assert!(content.contains("<strong>this</strong>"), "{content}");
    assert_eq!(note["tag"][0]["name"], "#Music");
    let image = &note["attachment"][0];
    assert_eq!(
        (&image["mediaType"], &image["name"]),
        (&json!("image/gif"), &json!("a single pixel"))
    );
    let name = image["url"].as_str().unwrap();
    let name = name
        .strip_prefix("https://live.example/federation/media/")
        .unwrap();
    let tables = server.store.federation();
    assert_eq!(tables.media(name).await.unwrap().unwrap().bytes, GIF);
    let (posts, total) = tables.published_page(0, 10).await.unwrap();
    assert_eq!((posts.len(), total), (1, 1));
    assert_eq!(posts[0].iri, iri);
    server.outbox.delete_post(&iri).await.unwrap();
    assert_eq!(tables.media(name).await.unwrap(), None);
    server.close().await;
}

#[tokio::test]
async fn a_post_that_is_deleted_is_gone_here_and_elsewhere() {
    let (house, peers) = (House::new(), friendly());
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    let iri = server.say("to be regretted").await;
    server.until(DeliveryState::Delivered, 1).await;
    let last_part = iri.rsplit('/').next().unwrap();
    server.outbox.delete_post(last_part).await.unwrap();
    let delete = activity(&until_received(&peers, 2).await[1].1);
    assert_eq!(
        (&delete["type"], &delete["actor"]),
        (&json!("Delete"), &json!(ACTOR))
    );
    assert_eq!(delete["object"], json!({"id": iri, "type": "Tombstone"}));
    let tables = server.store.federation();
    let stored = tables.object(&iri).await.unwrap().unwrap();
    assert!(stored.deleted_at.is_some() && stored.json.is_empty());
    assert_eq!(tables.published_page(0, 10).await.unwrap().1, 0);
    let again = server.outbox.delete_post(&iri).await;
    assert!(matches!(again, Err(PostError::Unknown)), "{again:?}");
    server.close().await;
}

#[tokio::test]
async fn a_delete_in_private_mode_is_for_followers_only() {
    let (house, peers) = (House::new(), friendly());
    let mut server = house.open(&peers).await;
    server.be_private().await;
    server.follower("peer.example", "a", None).await;
    server.start();
    let iri = server.say("for friends").await;
    server.until(DeliveryState::Delivered, 1).await;
    server.outbox.delete_post(&iri).await.unwrap();
    let delete = activity(&until_received(&peers, 2).await[1].1);
    assert_eq!(delete["to"], json!([format!("{ACTOR}/followers")]));
    assert_eq!(delete["cc"], json!(null));
    server.close().await;
}

#[tokio::test]
async fn what_is_empty_too_long_or_unknown_is_refused() {
    let house = House::new();
    let server = house.open(&Peers::new()).await;
    let empty = server.outbox.post(text(" \n")).await;
    assert!(matches!(empty, Err(PostError::Empty)), "{empty:?}");
    let long = server.outbox.post(text(&"x".repeat(5_001))).await;
    assert!(matches!(long, Err(PostError::TooLong)), "{long:?}");
    let new = NewPost {
        text: String::new(),
        picture: Some((PostImage::read(GIF).unwrap(), "x".repeat(1_501))),
    };
    let described = server.outbox.post(new).await;
    assert!(
        matches!(described, Err(PostError::Description)),
        "{described:?}"
    );
    for iri in ["", "https://live.example/federation/x", ACTOR] {
        let unknown = server.outbox.delete_post(iri).await;
        assert!(matches!(unknown, Err(PostError::Unknown)), "{unknown:?}");
    }
    assert!(server.deliveries().await.is_empty());
    server.close().await;
}

#[tokio::test]
async fn a_post_of_a_former_name_is_deleted_by_that_name() {
    let (house, peers) = (House::new(), friendly());
    let mut server = house.open(&peers).await;
    server.account.settle().await.unwrap();
    let post = server.say("hello").await;
    server.set(&USERNAME, json!("stage")).await;
    server.account.settle().await.unwrap();
    server.follower("peer.example", "a", None).await;
    server.start();
    server.outbox.delete_post(&post).await.unwrap();
    let (_, request) = until_received(&peers, 1).await.remove(0);
    let delete = activity(&request);
    assert_eq!(
        (&delete["type"], &delete["actor"]),
        (&json!("Delete"), &json!(ACTOR))
    );
    assert_eq!(delete["cc"], json!([format!("{ACTOR}/followers")]));
    let signature = header(&request, "signature").unwrap();
    let key_id = format!("keyId=\"{ACTOR}#main-key\"");
    assert!(signature.contains(&key_id), "{signature}");
    server.close().await;
}
