//! Stories about incoming data: the queue, reactions, posts, quote requests, and keys.

use model::Event;
use model::fediverse::{RemoteActor, RemotePost, Visibility};
use store::StoreError;
use store::federation::{
    DeliveryAudience, DeliveryKind, Effects, Engagement, EngagementKind, EnqueueResult,
    FederationTables, InboundKind, InboxCapacity, KeyAbsence, KeyRecord, MAX_INBOX_ATTEMPTS,
    MAX_INBOX_BYTES, MAX_UNPROVEN_BYTES, MAX_UNPROVEN_BYTES_PER_HOST, MAX_UNPROVEN_PER_HOST,
    MAX_UNPROVEN_PER_KEY, NewAbuseReport, NewInboundPost, NewInboxEntry, NewObject,
    NewQuoteAuthorization, ObjectKind, RecordResult, SeenActivity, StoredKey, UndoResult,
};

use crate::federation::{DAY, inbox, iri, kinds, outgoing, sending, waiting};
use crate::support::{Home, at};

fn request(key: &str, body: &str, owner: Option<&str>) -> NewInboxEntry {
    NewInboxEntry {
        key_id: key.into(),
        key_host: "a.example".into(),
        verified_owner: owner.map(str::to_owned),
        target: "/federation/user/live/inbox".into(),
        headers: "{}".into(),
        body: body.as_bytes().to_vec(),
    }
}

const ROOM: InboxCapacity = InboxCapacity {
    verified: 10,
    unproven: 10,
};

async fn bodies(fediverse: &FederationTables, now: i64) -> Vec<(i64, String)> {
    let claimed = fediverse.claim_inbox(ROOM, at(now)).await.unwrap();
    claimed
        .into_iter()
        .map(|entry| (entry.id, String::from_utf8(entry.request.body).unwrap()))
        .collect()
}

pub(crate) async fn requests_of_one_key_are_handled_in_order_and_survive_a_crash(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let mut wakeups = fediverse.inbox_wakeups();
    for (key, body, owner) in [
        ("a", "a1", None),
        ("a", "a2", None),
        ("b", "b1", None),
        ("a", "a3, verified", Some("alice")),
    ] {
        let queued = fediverse.enqueue_inbox(request(key, body, owner), at(0));
        assert_eq!(queued.await.unwrap(), EnqueueResult::Stored);
    }
    assert!(wakeups.has_changed().unwrap());
    assert_eq!(*wakeups.borrow_and_update(), 4);
    fediverse.note_arrival_elsewhere();
    assert!(wakeups.has_changed().unwrap());
    assert_eq!(*wakeups.borrow_and_update(), 4, "it was not here");
    let first = bodies(&fediverse, 0).await;
    let names: Vec<_> = first.iter().map(|one| one.1.as_str()).collect();
    assert_eq!(names, ["a3, verified", "a1", "b1"]);
    assert!(bodies(&fediverse, 0).await.is_empty());
    // Killed here.
    drop((fediverse, store));
    let store = home.open().await;
    let fediverse = store.federation();
    assert_eq!(fediverse.release_inbox(Vec::new()).await.unwrap(), 3);
    let again = bodies(&fediverse, 1).await;
    assert_eq!(again, first);
    fediverse.retry_inbox(again[1].0, at(60)).await.unwrap();
    fediverse
        .finish_inbox(vec![again[0].0, again[2].0])
        .await
        .unwrap();
    assert!(bodies(&fediverse, 59).await.is_empty(), "a2 waits for a1");
    assert_eq!(fediverse.next_inbox_at().await.unwrap(), Some(at(0)));
    let retried = fediverse.claim_inbox(ROOM, at(60)).await.unwrap();
    assert_eq!((retried[0].id, retried[0].attempts), (first[1].0, 1));
    assert_eq!(retried[0].created_at, at(0));
    // A handled request leaves the queue together with its effects, or not at all.
    let effects = || Effects {
        settles: Some(first[1].0),
        seen: Some(SeenActivity {
            activity_id: Some("https://a.example/1".into()),
            actor: "alice".into(),
        }),
        ..Effects::default()
    };
    fediverse.send(effects(), at(61)).await.unwrap();
    assert_eq!(fediverse.inbox_depth().await.unwrap(), 1);
    let second = bodies(&fediverse, 61).await;
    let mut double = effects();
    double.settles = Some(second[0].0);
    let refused = fediverse.send(double, at(62)).await;
    assert!(matches!(refused, Err(StoreError::Conflict)));
    assert_eq!(fediverse.inbox_depth().await.unwrap(), 1);
}

// Case 40 of docs/federation-cases.md: queue full.
pub(crate) async fn a_full_inbox_refuses_and_loses_nothing(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let big = "x".repeat(1024 * 1024);
    let fits = MAX_INBOX_BYTES / big.len() as i64;
    // Only the size of waiting requests matters; the bodies themselves need not be that long here.
    store
        .write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO ap_inbox (key_id, key_host, is_verified, target, headers, body, size, is_claimed, \
                     attempts, created_at, next_at) VALUES ('k', 'a.example', 1, '/', '{}', $1, $2, 0, 0, 0, 0)",
                )
                .bind(Vec::<u8>::new())
                .bind((fits - 1) * 1024 * 1024)
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
        .unwrap();
    let enqueue = async |body: &str| {
        fediverse
            .enqueue_inbox(request("k", body, Some("alice")), at(0))
            .await
            .unwrap()
    };
    assert_eq!(enqueue(&big).await, EnqueueResult::Stored);
    assert_eq!(enqueue("x").await, EnqueueResult::Full);
    assert_eq!(fediverse.inbox_depth().await.unwrap(), 2);
}

pub(crate) async fn what_nobody_is_proven_to_have_sent_has_a_small_share_of_the_inbox(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let enqueue = async |host: &str, key: &str, body: &str, owner: Option<&str>| {
        let entry = NewInboxEntry {
            key_host: host.into(),
            ..request(key, body, owner)
        };
        fediverse.enqueue_inbox(entry, at(0)).await.unwrap()
    };
    // One key, then one host.
    for number in 0..MAX_UNPROVEN_PER_HOST {
        let key = format!("key {}", number / MAX_UNPROVEN_PER_KEY);
        assert_eq!(enqueue("a", &key, "x", None).await, EnqueueResult::Stored);
        if number == MAX_UNPROVEN_PER_KEY - 1 {
            assert_eq!(enqueue("a", &key, "x", None).await, EnqueueResult::Full);
        }
    }
    assert_eq!(
        enqueue("a", "another", "x", None).await,
        EnqueueResult::Full
    );
    // Then all together, by size.
    let big = "x".repeat(usize::try_from(MAX_UNPROVEN_BYTES_PER_HOST).unwrap());
    for number in 1..MAX_UNPROVEN_BYTES / MAX_UNPROVEN_BYTES_PER_HOST {
        let host = format!("host {number}");
        assert_eq!(
            enqueue(&host, &host, &big, None).await,
            EnqueueResult::Stored
        );
        assert_eq!(enqueue(&host, &host, "x", None).await, EnqueueResult::Full);
    }
    assert_eq!(
        enqueue("last", "last", &big, None).await,
        EnqueueResult::Full
    );
    // Known senders are accepted all the same, and come first.
    let key = "key 0";
    assert_eq!(
        enqueue("a", key, "mine", Some("a")).await,
        EnqueueResult::Stored
    );
    let room = InboxCapacity {
        verified: 1,
        unproven: 0,
    };
    let claimed = fediverse.claim_inbox(room, at(0)).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].request.body, b"mine");
}

pub(crate) async fn what_nobody_holds_is_put_back_and_what_is_held_stays(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for key in ["a", "b"] {
        let queued = fediverse.enqueue_inbox(request(key, key, None), at(0));
        queued.await.unwrap();
    }
    let taken = bodies(&fediverse, 0).await;
    assert_eq!(taken.len(), 2);
    let held = vec![taken[0].0];
    assert_eq!(fediverse.release_inbox(held).await.unwrap(), 1);
    assert_eq!(bodies(&fediverse, 0).await, [taken[1].clone()]);
}

pub(crate) async fn a_request_that_never_works_is_dropped_and_those_behind_it_go_on(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for body in ["poison", "good"] {
        let queued = fediverse.enqueue_inbox(request("k", body, None), at(0));
        queued.await.unwrap();
    }
    for attempt in 1..=MAX_INBOX_ATTEMPTS {
        let claimed = bodies(&fediverse, 0).await;
        assert_eq!(claimed[0].1, "poison");
        let is_kept = fediverse.retry_inbox(claimed[0].0, at(0)).await.unwrap();
        assert_eq!(is_kept, attempt < MAX_INBOX_ATTEMPTS);
    }
    assert_eq!(bodies(&fediverse, 0).await[0].1, "good");
}

fn alice() -> RemoteActor {
    RemoteActor {
        iri: iri("alice", "a.example"),
        name: "Alice".into(),
        handle: "@alice@a.example".into(),
        url: None,
        image: None,
    }
}

// Case 46 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_like_is_told_once_however_often_it_is_taken_back(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let note = "https://live.example/federation/n1";
    let like = async |id: &str, second| {
        let engagement = Engagement {
            object: note.into(),
            actor: alice().iri,
            kind: EngagementKind::Like,
            activity_id: Some(id.into()),
            at: at(second),
        };
        let effects = Effects {
            events: vec![Event::FediverseLiked {
                actor: alice(),
                target: note.into(),
                is_live_notification: true,
            }],
            ..Effects::default()
        };
        fediverse
            .record_engagement(engagement, effects, at(second))
            .await
            .unwrap()
    };
    assert_eq!(like("l1", 1).await, RecordResult::New);
    assert_eq!(like("l1", 2).await, RecordResult::Known);
    let undo = fediverse.undo_engagement(
        note.into(),
        alice().iri,
        EngagementKind::Like,
        Effects::default(),
        at(3),
    );
    assert!(undo.await.unwrap());
    let (page, total) = fediverse.actions_page(0, 10).await.unwrap();
    assert_eq!((page[0].undone_at, total), (Some(at(3)), 1));
    assert_eq!(like("l2", 4).await, RecordResult::Known);
    let (page, _) = fediverse.actions_page(0, 10).await.unwrap();
    assert_eq!(page[0].undone_at, None);
    assert_eq!(page[0].engagement.activity_id.as_deref(), Some("l2"));
    assert_eq!(page[0].engagement.at, at(1));
    // By its id alone, and only by its author.
    let undo = async |actor: String, id: &str| {
        fediverse
            .undo_activity(actor, id.into(), Effects::default(), at(5))
            .await
            .unwrap()
    };
    assert_eq!(
        undo(iri("eve", "a.example"), "l2").await,
        UndoResult::Nothing
    );
    assert_eq!(undo(alice().iri, "l2").await, UndoResult::Engagement);
    assert_eq!(kinds(&store).await, ["FediverseLiked"]);
    assert_eq!(fediverse.prune_engagements().await.unwrap(), 0);
}

// Cases 47 and 54 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn posts_and_complaints_are_kept_once_for_a_month(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let post = RemotePost {
        actor: alice(),
        content: "<p>hi</p>".into(),
        content_text: "hi".into(),
        url: "https://a.example/1".into(),
        posted_at: Some(at(0)),
        in_reply_to: None,
        attachments: vec![],
        language: None,
        visibility: Visibility::Direct,
    };
    let add = async |second| {
        let new = NewInboundPost {
            iri: "https://a.example/notes/1".into(),
            kind: InboundKind::Mention,
            post: post.clone(),
        };
        let effects = Effects {
            events: vec![Event::FediverseMentioned { post: post.clone() }],
            ..Effects::default()
        };
        fediverse
            .add_inbound_post(new, effects, at(second))
            .await
            .unwrap()
    };
    assert_eq!(add(1).await, RecordResult::New);
    assert_eq!(add(2).await, RecordResult::Known);
    assert_eq!(kinds(&store).await, ["FediverseMentioned"]);
    let (page, total) = fediverse.inbound_posts_page(0, 10).await.unwrap();
    assert_eq!(
        (&page[0].post, page[0].kind, total),
        (&post, InboundKind::Mention, 1)
    );
    let delete = async |actor: String| {
        let iri = "https://a.example/notes/1".to_owned();
        fediverse
            .delete_inbound_post(iri, actor, Effects::default(), at(3))
            .await
            .unwrap()
    };
    assert!(!delete(iri("eve", "a.example")).await);
    assert!(delete(alice().iri).await);
    let report = NewAbuseReport {
        iri: Some("https://a.example/flags/1".into()),
        actor: "https://a.example/actor".into(),
        content: "spam".into(),
        objects: vec!["https://live.example/federation/n1".into()],
    };
    for expected in [RecordResult::New, RecordResult::Known] {
        let added = fediverse.add_report(report.clone(), Effects::default(), at(4));
        assert_eq!(added.await.unwrap(), expected);
    }
    let (page, total) = fediverse.reports_page(0, 10).await.unwrap();
    assert_eq!((&page[0].report, total), (&report, 1));
    assert_eq!(add(5).await, RecordResult::New);
    assert_eq!(fediverse.prune_inbound(at(30 * DAY)).await.unwrap(), 0);
    assert_eq!(fediverse.prune_inbound(at(31 * DAY)).await.unwrap(), 2);
    assert!(!fediverse.dismiss_report(page[0].id).await.unwrap());
}

// Case 53 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_stamp_is_given_once_and_stays_revoked(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let stamp = |name: &str| NewQuoteAuthorization {
        iri: format!("https://live.example/federation/{name}"),
        quote_post: "https://a.example/quote/1".into(),
        quoted_post: "https://live.example/federation/n1".into(),
        requester: alice().iri,
        request_id: "https://a.example/requests/1".into(),
    };
    let grant = async |name: &str, answer: &str| {
        let effects = Effects {
            objects: vec![NewObject {
                iri: stamp(name).iri,
                json: "{}".into(),
                kind: ObjectKind::QuoteAuthorization,
                note: None,
                is_public: true,
                is_live_notification: false,
                at: at(1),
            }],
            events: vec![Event::FediverseQuoted {
                actor: alice(),
                target: stamp(name).quoted_post,
                url: stamp(name).quote_post,
            }],
            ..sending(outgoing(
                answer,
                DeliveryKind::Quote,
                DeliveryAudience::Inbox(inbox("alice", "a.example")),
            ))
        };
        fediverse.grant(stamp(name), effects, at(1)).await
    };
    assert_eq!(grant("s1", "yes1").await.unwrap(), RecordResult::New);
    let known = fediverse
        .quote_authorization_for(
            &stamp("s1").quote_post,
            &stamp("s1").quoted_post,
            &stamp("s1").requester,
        )
        .await
        .unwrap()
        .unwrap();
    assert_eq!((&known.grant, known.revoked_at), (&stamp("s1"), None));
    // Requested again: the same authorization, another answer, no further event.
    assert_eq!(grant("s1", "yes2").await.unwrap(), RecordResult::Known);
    // A race for the same pair is lost as a whole.
    assert!(matches!(
        grant("s2", "yes3").await,
        Err(StoreError::Conflict)
    ));
    assert_eq!(waiting(&fediverse).await.len(), 2);
    assert_eq!(kinds(&store).await, ["FediverseQuoted"]);
    let revoke = async || {
        fediverse
            .revoke_quote_authorization(stamp("s1").iri, Effects::default(), at(9))
            .await
            .unwrap()
    };
    assert!(revoke().await);
    assert!(!revoke().await);
    let object = fediverse.object(&stamp("s1").iri).await.unwrap().unwrap();
    assert_eq!(object.deleted_at, Some(at(9)));
    let (page, total) = fediverse.quote_authorizations_page(0, 10).await.unwrap();
    assert_eq!((page[0].revoked_at, total), (Some(at(9)), 1));
    assert!(
        fediverse
            .quote_authorization(&stamp("s1").iri)
            .await
            .unwrap()
            .is_some()
    );
}

pub(crate) async fn keys_are_kept_replaced_and_forgotten_with_their_owner(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let key = StoredKey {
        key_id: "https://a.example/users/alice#main-key".into(),
        owner: alice().iri,
        pem: "PEM".into(),
        fetched_at: at(1),
    };
    let find = async || fediverse.key(&key.key_id).await.unwrap();
    let is_known = async || fediverse.is_known_actor(&alice().iri).await.unwrap();
    assert_eq!(find().await, None);
    assert!(!is_known().await);
    let absent =
        fediverse.put_absent_key(key.key_id.clone(), KeyAbsence::Unreachable, at(300), at(0));
    absent.await.unwrap();
    let why = KeyRecord::Absent {
        why: KeyAbsence::Unreachable,
        until: at(300),
    };
    assert_eq!(find().await, Some(why));
    fediverse.put_key(key.clone()).await.unwrap();
    assert_eq!(find().await, Some(KeyRecord::Found(key.clone())));
    assert!(is_known().await);
    assert_eq!(fediverse.forget_keys_of(alice().iri).await.unwrap(), 1);
    fediverse.put_key(key.clone()).await.unwrap();
    let forget = fediverse.forget_actor(alice().iri, Effects::default(), at(2));
    forget.await.unwrap();
    assert_eq!(find().await, None);
    fediverse.put_key(key.clone()).await.unwrap();
    assert_eq!(fediverse.prune_keys(at(1)).await.unwrap(), 0);
    assert_eq!(fediverse.prune_keys(at(2)).await.unwrap(), 1);
}

pub(crate) async fn a_reader_of_the_log_goes_on_where_its_effects_were_committed(home: Home) {
    let store = home.open().await;
    let happen = Event::StreamStopped { id: "1".into() };
    store.log_event(happen.clone(), at(0)).await.unwrap();
    let fediverse = store.federation();
    assert_eq!(fediverse.cursor("voice", at(0)).await.unwrap(), 1);
    store.log_event(happen, at(1)).await.unwrap();
    assert_eq!(fediverse.cursor("voice", at(1)).await.unwrap(), 1);
    let effects = Effects {
        cursor: Some(("voice", 2)),
        ..sending(outgoing(
            "post",
            DeliveryKind::GoLive,
            DeliveryAudience::Inbox(inbox("u", "a.example")),
        ))
    };
    fediverse.send(effects, at(2)).await.unwrap();
    let fediverse = home.open().await.federation();
    assert_eq!(fediverse.cursor("voice", at(3)).await.unwrap(), 2);
    assert_eq!(waiting(&fediverse).await.len(), 1);
}

pub(crate) async fn a_picture_of_a_post_stays_as_it_was(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let picture = |text: &str| store::StoredFile {
        content_type: "image/jpeg".into(),
        bytes: text.as_bytes().to_vec(),
    };
    for text in ["first", "second"] {
        let put = fediverse.put_media("9Qa4.jpg".into(), picture(text), at(1));
        put.await.unwrap();
    }
    let found = fediverse.media("9Qa4.jpg").await.unwrap();
    assert_eq!(found, Some(picture("first")));
    assert_eq!(fediverse.prune_media(at(1)).await.unwrap(), 0);
    assert_eq!(fediverse.prune_media(at(2)).await.unwrap(), 1);
    assert_eq!(fediverse.media("9Qa4.jpg").await.unwrap(), None);
}
