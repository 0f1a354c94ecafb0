//! Stories about other servers shown beside the stream.

use store::federation::{
    AddServerResult, DeliveryAudience, DeliveryKind, Direction, Effects, FederationTables,
    FollowStatus, MAX_UNSOLICITED, NewServer, OfferResult, ServerProfile, StreamMetadata,
};

use crate::federation::{outgoing, sending, waiting};
use crate::support::{Home, at};

fn new(host: &str) -> NewServer {
    NewServer {
        iri: format!("https://{host}"),
        actor_iri: format!("https://{host}/federation/user/live"),
        inbox: format!("https://{host}/federation/user/live/inbox"),
        follow_id: format!("https://live.example/federation/follow/{host}"),
        followed_as: "live".into(),
        profile: ServerProfile {
            username: "live".into(),
            ..ServerProfile::default()
        },
    }
}

fn follow(host: &str) -> Effects {
    sending(outgoing(
        &format!("follow/{host}"),
        DeliveryKind::Follow,
        DeliveryAudience::Inbox(new(host).inbox),
    ))
}

async fn add(fediverse: &FederationTables, host: &str, second: i64) -> i64 {
    let added = fediverse.add_server(new(host), follow(host), at(second));
    match added.await.unwrap() {
        AddServerResult::Asked(id) => id,
        other => panic!("{other:?}"),
    }
}

async fn offer(
    fediverse: &FederationTables,
    host: &str,
    title: Option<&str>,
    second: i64,
) -> OfferResult {
    let news = StreamMetadata {
        title: title.map(str::to_owned),
        tags: Some(vec!["music".into()]),
        thumbnail_url: Some("https://x.example/t.jpg".into()),
        ..StreamMetadata::default()
    };
    let server = new(host);
    fediverse
        .note_offer(
            server.iri,
            server.actor_iri,
            news,
            Effects::default(),
            at(second),
        )
        .await
        .unwrap()
}

// Cases 50 and 52 of docs/federation-cases.md, as far as rows go.
pub(crate) async fn a_server_is_asked_answers_streams_and_stops(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let id = add(&fediverse, "b.example", 0).await;
    let again = fediverse.add_server(new("b.example"), follow("b.example/2"), at(1));
    assert_eq!(again.await.unwrap(), AddServerResult::Known(id));
    assert_eq!(waiting(&fediverse).await.len(), 1, "asked once");
    let asked = fediverse
        .server_by_follow(&new("b.example").follow_id)
        .await;
    let asked = asked.unwrap().unwrap();
    assert_eq!((asked.id, asked.follow_status), (id, FollowStatus::Pending));
    assert_eq!(
        (asked.followed_at, asked.is_unsolicited),
        (Some(at(0)), false)
    );
    let answer = async |status, profile, second| {
        fediverse
            .set_server_status(id, status, profile, Effects::default(), at(second))
            .await
            .unwrap()
    };
    let profile = ServerProfile {
        username: "live".into(),
        name: "b".into(),
        display_name: "B!".into(),
        summary: "about".into(),
        logo_url: Some("https://b.example/logo".into()),
    };
    assert!(answer(FollowStatus::Accepted, Some(profile.clone()), 2).await);
    assert_eq!(
        offer(&fediverse, "b.example", Some("one"), 3).await,
        OfferResult::Online
    );
    assert_eq!(
        offer(&fediverse, "b.example", Some("two"), 32).await,
        OfferResult::TooSoon
    );
    assert_eq!(
        offer(&fediverse, "b.example", None, 33).await,
        OfferResult::Online
    );
    let live = fediverse.server(id).await.unwrap().unwrap();
    assert_eq!((live.is_online, live.stream_title.as_str()), (true, "one"));
    assert_eq!(
        (&live.profile, live.stream_tags.as_slice()),
        (&profile, ["music".to_owned()].as_slice())
    );
    assert_eq!(live.last_status_update, Some(at(33)));
    // Ten minutes and 59 seconds later it is online, two seconds after that it is not.
    let window = 11 * 60;
    let sweep = async |now: i64| fediverse.sweep_servers(at(now - window)).await.unwrap();
    assert_eq!(sweep(33 + window - 1).await, 0);
    assert_eq!(sweep(33 + window + 1).await, 1);
    assert_eq!(
        offer(&fediverse, "b.example", None, 800).await,
        OfferResult::Online
    );
    let leave = async |second| {
        fediverse
            .note_leave(new("b.example").iri, Effects::default(), at(second))
            .await
            .unwrap()
    };
    assert!(leave(801).await);
    assert!(!leave(802).await);
    assert_eq!(
        offer(&fediverse, "b.example", None, 803).await,
        OfferResult::Online
    );
    assert!(answer(FollowStatus::Rejected, None, 804).await);
    let rejected = fediverse.server(id).await.unwrap().unwrap();
    assert!(!rejected.is_online);
    assert_eq!(
        (rejected.accepted_at, rejected.rejected_at),
        (Some(at(2)), Some(at(804)))
    );
    let moved = fediverse.note_server_moved(
        rejected.actor_iri,
        "https://c.example/u".into(),
        Effects::default(),
        at(805),
    );
    assert!(moved.await.unwrap());
    let undo = follow("b.example/undo");
    let removed = fediverse.remove_server(id, undo, at(806)).await.unwrap();
    assert_eq!(
        removed.unwrap().moved_to.as_deref(),
        Some("https://c.example/u")
    );
    assert_eq!(waiting(&fediverse).await.len(), 2);
    let removed = fediverse.remove_server(id, follow("x"), at(807)).await;
    assert!(removed.unwrap().is_none());
}

pub(crate) async fn servers_are_ordered_and_those_that_agreed_come_first(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    let mut ids = Vec::new();
    for host in ["a.example", "b.example", "c.example"] {
        ids.push(add(&fediverse, host, 0).await);
    }
    let order = async || {
        let all = fediverse.servers().await.unwrap();
        all.iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(order().await, ids);
    let accept = fediverse.set_server_status(
        ids[2],
        FollowStatus::Accepted,
        None,
        Effects::default(),
        at(1),
    );
    assert!(accept.await.unwrap());
    assert_eq!(order().await, [ids[2], ids[0], ids[1]]);
    let moved = async |id, direction| fediverse.reorder_server(id, direction).await.unwrap();
    assert!(moved(ids[1], Direction::Up).await);
    assert_eq!(order().await, [ids[2], ids[1], ids[0]]);
    assert!(!moved(ids[2], Direction::Up).await);
    assert!(!moved(ids[0], Direction::Down).await);
    assert!(!moved(999, Direction::Down).await);
}

// Case 51 of docs/federation-cases.md, for servers that nobody featured.
pub(crate) async fn servers_nobody_asked_for_are_kept_apart_and_few(home: Home) {
    let store = home.open().await;
    let fediverse = store.federation();
    for number in 0..MAX_UNSOLICITED + 2 {
        let told = offer(&fediverse, &format!("h{number}.example"), Some("x"), number).await;
        assert_eq!(told, OfferResult::Unsolicited);
    }
    assert!(fediverse.servers().await.unwrap().is_empty());
    let (page, total) = fediverse.unsolicited_servers(0, 10).await.unwrap();
    assert_eq!((page.len() as i64, total), (10, MAX_UNSOLICITED));
    let newest = format!("https://h{}.example", MAX_UNSOLICITED + 1);
    assert_eq!(page[0].iri, newest);
    let oldest = fediverse.server_by_iri("https://h1.example").await.unwrap();
    assert!(oldest.is_none(), "forgotten");
    // The operator wants one of them after all.
    let id = add(&fediverse, "h7.example", 1_000).await;
    let wanted = fediverse.servers().await.unwrap();
    assert_eq!((wanted.len(), wanted[0].id), (1, id));
    assert_eq!(wanted[0].follow_status, FollowStatus::Pending);
    let by_actor = fediverse
        .server_by_actor(&new("h7.example").actor_iri)
        .await
        .unwrap();
    assert_eq!(by_actor.unwrap().id, id);
}
