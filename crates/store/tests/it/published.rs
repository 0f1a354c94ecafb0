//! Stories about what we published, as the operator sees it.

use model::fediverse::{RemoteActor, RemotePost, Visibility};
use store::StoredFile;
use store::federation::{
    Effects, Engagement, EngagementKind, FederationTables, FollowerProfile, FollowerState,
    InboundKind, NewFollower, NewInboundPost, NewObject, NewQuoteAuthorization, ObjectKind,
    RecordResult,
};

use crate::support::{Home, at};

fn object(name: &str, kind: ObjectKind, second: i64) -> NewObject {
    NewObject {
        iri: address(name),
        json: format!("{{\"content\":\"{name}\"}}"),
        kind,
        note: None,
        is_public: true,
        is_live_notification: name == "live",
        at: at(second),
    }
}

fn address(name: &str) -> String {
    format!("https://live.example/federation/{name}")
}

async fn did(tables: &FederationTables, who: &str, kind: EngagementKind, what: &str) {
    let engagement = Engagement {
        object: address(what),
        actor: format!("https://peer.example/users/{who}"),
        kind,
        activity_id: None,
        at: at(100),
    };
    tables
        .record_engagement(engagement, Effects::default(), at(100))
        .await
        .unwrap();
}

fn person(who: &str) -> RemoteActor {
    RemoteActor {
        iri: format!("https://peer.example/users/{who}"),
        name: who.into(),
        handle: format!("@{who}@peer.example"),
        url: None,
        image: None,
    }
}

fn note_of(who: &str) -> String {
    format!("https://peer.example/users/{who}/notes/1")
}

async fn answered(tables: &FederationTables, who: &str, what: &str) {
    let post = RemotePost {
        actor: person(who),
        content: "<p>hi</p>".into(),
        content_text: "hi".into(),
        url: note_of(who),
        posted_at: Some(at(99)),
        in_reply_to: Some(address(what)),
        attachments: vec![],
        language: None,
        visibility: Visibility::Public,
    };
    let new = NewInboundPost {
        iri: note_of(who),
        kind: InboundKind::Reply,
        post,
    };
    let added = tables.add_inbound_post(new, Effects::default(), at(100));
    assert_eq!(added.await.unwrap(), RecordResult::New);
}

async fn quoted(tables: &FederationTables, who: &str, what: &str) {
    let new = NewQuoteAuthorization {
        iri: address("stamp"),
        quote_post: note_of(who),
        quoted_post: address(what),
        requester: person(who).iri,
        request_id: "https://peer.example/requests/1".into(),
    };
    let granted = tables.grant(new, Effects::default(), at(100));
    assert_eq!(granted.await.unwrap(), RecordResult::New);
}

pub(crate) async fn posts_are_listed_with_what_others_did_and_still_mean(home: Home) {
    let store = home.open().await;
    let tables = store.federation();
    for (name, kind, second) in [
        ("live", ObjectKind::Note, 1),
        ("create", ObjectKind::Create, 1),
        ("later", ObjectKind::Note, 2),
        ("gone", ObjectKind::Note, 3),
        ("ping", ObjectKind::Offer, 4),
    ] {
        tables.add_object(object(name, kind, second)).await.unwrap();
    }
    let gone = tables.delete_object(address("gone"), Effects::default(), at(5));
    assert!(gone.await.unwrap());
    for who in ["ada", "bob"] {
        did(&tables, who, EngagementKind::Like, "live").await;
    }
    did(&tables, "ada", EngagementKind::Repost, "live").await;
    quoted(&tables, "ada", "live").await;
    for who in ["ada", "bob"] {
        answered(&tables, who, "later").await;
    }
    let deleted = tables.delete_inbound_post(
        note_of("bob"),
        person("bob").iri,
        Effects::default(),
        at(101),
    );
    assert!(deleted.await.unwrap());
    let taken_back = tables.undo_engagement(
        address("live"),
        "https://peer.example/users/bob".into(),
        EngagementKind::Like,
        Effects::default(),
        at(101),
    );
    assert!(taken_back.await.unwrap());

    let (posts, total) = tables.published_page(0, 10).await.unwrap();
    assert_eq!(total, 2);
    let counts: Vec<_> = posts
        .iter()
        .map(|post| {
            (
                post.iri.as_str(),
                post.likes,
                post.reposts,
                post.quotes,
                post.replies,
            )
        })
        .collect();
    let (live, later) = (address("live"), address("later"));
    assert_eq!(
        counts,
        [(later.as_str(), 0, 0, 0, 1), (live.as_str(), 1, 1, 1, 0)]
    );
    assert!(posts[1].is_live_notification && !posts[0].is_live_notification);
    let (second_page, _) = tables.published_page(1, 1).await.unwrap();
    assert_eq!(second_page[0].iri, live);
}

pub(crate) async fn the_last_word_to_directories_is_known_after_a_restart(home: Home) {
    let store = home.open().await;
    let tables = store.federation();
    assert_eq!(tables.last_ping().await.unwrap(), None);
    for (name, kind, second, last) in [
        ("o1", ObjectKind::Offer, 10, (ObjectKind::Offer, 10)),
        ("l1", ObjectKind::Leave, 20, (ObjectKind::Leave, 20)),
        ("note", ObjectKind::Note, 30, (ObjectKind::Leave, 20)),
        ("o2", ObjectKind::Offer, 40, (ObjectKind::Offer, 40)),
        ("l2", ObjectKind::Leave, 40, (ObjectKind::Leave, 40)),
    ] {
        tables.add_object(object(name, kind, second)).await.unwrap();
        let (kind, second) = last;
        let expected = Some((kind, at(second)));
        assert_eq!(tables.last_ping().await.unwrap(), expected, "{name}");
    }
}

pub(crate) async fn whoever_has_a_missing_inbox_is_looked_at_first(home: Home) {
    let store = home.open().await;
    let tables = store.federation();
    for (name, second) in [("ada", 10), ("bob", 20)] {
        let iri = format!("https://peer.example/users/{name}");
        let new = NewFollower {
            profile: FollowerProfile {
                inbox: format!("{iri}/inbox"),
                shared_inbox: None,
                username: name.into(),
                handle: format!("@{name}@peer.example"),
                name: name.into(),
                url: None,
                image: None,
            },
            follow_id: format!("{iri}/follow"),
            follow_json: "{}".into(),
            is_directory: false,
            iri,
        };
        tables
            .add_follower(new, FollowerState::Accepted, Effects::default(), at(second))
            .await
            .unwrap();
    }
    let first = async || {
        let found = tables.followers_to_validate(1, at(1_000)).await.unwrap();
        found[0].profile.username.clone()
    };
    assert_eq!(first().await, "ada");
    tables
        .validate_soon("https://peer.example/users/bob/inbox".into())
        .await
        .unwrap();
    assert_eq!(first().await, "bob");
}

pub(crate) async fn the_picture_of_a_post_goes_when_it_is_told_to(home: Home) {
    let store = home.open().await;
    let tables = store.federation();
    let file = StoredFile {
        content_type: "image/png".into(),
        bytes: b"pixels".to_vec(),
    };
    let kept = tables.put_media("a.png".into(), file.clone(), at(1));
    kept.await.unwrap();
    assert_eq!(tables.media("a.png").await.unwrap(), Some(file));
    tables.delete_media("a.png".into()).await.unwrap();
    assert_eq!(tables.media("a.png").await.unwrap(), None);
}
