//! Replies and mentions.

use model::Event;
use model::fediverse::{RemotePost, Visibility};
use serde_json::{Value, json};

use super::stage::{ALICE, BOB, Stage, US};

const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";

fn note(actor: &str, number: u32) -> Value {
    json!({
        "id": format!("{actor}/notes/{number}"), "type": "Note", "attributedTo": actor,
        "content": "<p>Hello <script>alert(1)</script><a href=\"javascript:alert(1)\">you</a></p>",
        "published": "2026-08-18T12:00:00Z", "url": format!("{actor}/{number}"),
    })
}

fn create(actor: &str, number: u32, object: Value) -> Value {
    let mut activity =
        json!({ "id": format!("{actor}/notes/{number}/create"), "type": "Create", "actor": actor });
    activity["object"] = object;
    activity
}

/// Sends a note with changes, and returns the event it caused.
async fn told(stage: &Stage, number: u32, changes: Value) -> Option<(bool, RemotePost)> {
    let mut written = note(ALICE, number);
    for (name, value) in changes.as_object().unwrap() {
        written[name] = value.clone();
    }
    send(stage, create(ALICE, number, written)).await
}

async fn send(stage: &Stage, activity: Value) -> Option<(bool, RemotePost)> {
    let before = stage.events().await.len();
    stage.send(&activity).await;
    let mut events = stage.events().await;
    assert!(events.len() <= before + 1, "{events:?}");
    match events.split_off(before).pop()? {
        Event::FediverseReplied { post } => Some((true, post)),
        Event::FediverseMentioned { post } => Some((false, post)),
        other => panic!("{other:?}"),
    }
}

// Case 47 of docs/federation-cases.md.
#[tokio::test]
async fn an_answer_is_told_with_its_post_made_harmless() {
    let stage = Stage::open().await;
    let (create_iri, note_iri) = stage.publish("one").await;
    let (is_reply, post) = told(&stage, 1, json!({ "inReplyTo": note_iri, "to": [PUBLIC] }))
        .await
        .unwrap();
    assert!(is_reply);
    assert_eq!(post.visibility, Visibility::Public);
    assert_eq!(post.in_reply_to.as_deref(), Some(note_iri.as_str()));
    assert_eq!(post.actor.handle, "@alice@remote.example");
    assert_eq!(post.content_text, "Hello you");
    assert!(!post.content.contains("script"), "{}", post.content);
    assert_eq!(post.url, format!("{ALICE}/1"));
    // Also if the activity is named instead of the post, or the reply is old.
    assert!(
        told(&stage, 2, json!({ "inReplyTo": [create_iri] }))
            .await
            .unwrap()
            .0
    );
    assert!(
        told(&stage, 3, json!({ "inReplyTo": "https://other.example/1" }))
            .await
            .is_none()
    );
}

// Case 47 of docs/federation-cases.md.
#[tokio::test]
async fn a_mention_is_found_in_both_layers_and_nothing_else_is_told() {
    let stage = Stage::open().await;
    let (is_reply, post) = told(&stage, 1, json!({ "to": [US] })).await.unwrap();
    assert!(!is_reply);
    assert_eq!(post.visibility, Visibility::Direct);
    assert!(
        told(&stage, 2, json!({ "cc": US, "to": [PUBLIC] }))
            .await
            .is_some()
    );
    let mut outside = create(ALICE, 3, note(ALICE, 3));
    outside["cc"] = json!([US]);
    assert!(send(&stage, outside).await.is_some());
    assert!(told(&stage, 4, json!({ "to": [PUBLIC] })).await.is_none());
    let followers = json!({ "to": [format!("{ALICE}/followers")], "cc": [US] });
    assert_eq!(
        told(&stage, 5, followers).await.unwrap().1.visibility,
        Visibility::Followers
    );
}

// Case 47 of docs/federation-cases.md.
#[tokio::test]
async fn only_one_note_of_the_sender_itself_is_read() {
    let stage = Stage::open().await;
    let to_us = |mut written: Value| {
        written["to"] = json!([US]);
        written
    };
    let listed = to_us(note(ALICE, 1));
    assert!(
        send(&stage, create(ALICE, 1, json!([listed])))
            .await
            .is_some()
    );
    let two = json!([to_us(note(ALICE, 2)), to_us(note(ALICE, 3))]);
    assert!(send(&stage, create(ALICE, 2, two)).await.is_none());
    assert!(
        told(&stage, 4, json!({ "to": US, "type": ["Note"] }))
            .await
            .is_some()
    );
    assert!(
        told(&stage, 5, json!({ "to": US, "type": "Article" }))
            .await
            .is_none()
    );
    assert!(
        told(&stage, 6, json!({ "to": US, "attributedTo": BOB }))
            .await
            .is_none()
    );
    assert!(
        told(&stage, 7, json!({ "to": US, "attributedTo": [ALICE, BOB] }))
            .await
            .is_none()
    );
    assert!(
        told(
            &stage,
            8,
            json!({ "to": US, "attributedTo": [{ "id": ALICE }] })
        )
        .await
        .is_some()
    );
    assert!(
        told(
            &stage,
            9,
            json!({ "to": US, "id": "https://other.example/9" })
        )
        .await
        .is_none()
    );
    let languages = json!({ "to": US, "content": null, "contentMap": { "en": "<p>Hi</p>" } });
    let (_, post) = told(&stage, 10, languages).await.unwrap();
    assert_eq!(
        (post.content.as_str(), post.language.as_deref()),
        ("<p>Hi</p>", Some("en"))
    );
}

// Case 47 of docs/federation-cases.md.
#[tokio::test]
async fn a_note_that_is_only_named_is_asked_for_at_its_own_server() {
    let stage = Stage::open().await;
    let mut written = note(ALICE, 1);
    written["to"] = json!([US]);
    let iri = format!("{ALICE}/notes/1");
    stage.show(&iri, &written);
    assert!(send(&stage, create(ALICE, 1, json!(iri))).await.is_some());
    assert_eq!(stage.asked(&iri), 1);
    let elsewhere = "https://other.example/notes/1";
    stage.show(elsewhere, &written);
    assert!(
        send(&stage, create(ALICE, 2, json!(elsewhere)))
            .await
            .is_none()
    );
    assert_eq!(stage.asked(elsewhere), 0);
}

#[tokio::test]
async fn a_post_is_kept_for_the_operator_once_and_gone_when_its_author_deletes_it() {
    let stage = Stage::open().await;
    told(&stage, 1, json!({ "to": US })).await.unwrap();
    let mut again = create(ALICE, 1, note(ALICE, 1));
    again["object"]["to"] = json!(US);
    again["id"] = json!(format!("{ALICE}/again"));
    assert!(send(&stage, again).await.is_none());
    let delete = |actor: &str| {
        json!({
            "id": format!("{actor}#delete"), "type": "Delete", "actor": actor,
            "object": { "id": format!("{ALICE}/notes/1"), "type": "Tombstone" },
        })
    };
    stage.send(&delete(BOB)).await;
    assert_eq!(stage.tables().inbound_posts_page(0, 10).await.unwrap().1, 1);
    stage.send(&delete(ALICE)).await;
    assert_eq!(stage.tables().inbound_posts_page(0, 10).await.unwrap().1, 0);
}
