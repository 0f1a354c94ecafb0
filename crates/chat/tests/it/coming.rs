//! Who can join, and what others see of it.

use std::net::IpAddr;

use chat::{JoinRejection, JoinRequest, MAX_PER_ADDRESS};
use model::{Event, StreamState};
use serde_json::json;
use testkit::eventually;

use crate::house::{House, heard, next};

#[tokio::test]
async fn comings_and_goings_are_shown_while_a_stream_is_on_and_a_short_absence_is_not() {
    let house = House::open().await;
    let (_, mut ada) = house.enter("ada").await;
    let _silent = house.enter("early").await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "no stream, no word"
    );
    house.go(StreamState::Live);
    assert!(next(&mut ada).await.contains("starting"));
    let (_, mut bob) = house.enter("bob").await;
    assert_eq!(next(&mut ada).await, "joined bob");
    assert_eq!(next(&mut bob).await, "joined bob", "all means all");
    let second = house.enter("bob").await;
    drop(bob);
    house.wait(15).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "there is another connection"
    );
    drop(second);
    house.wait(5).await;
    let (_, bob) = house.enter("bob").await;
    house.wait(20).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "back before it was noticed"
    );
    drop(bob);
    house.wait(9).await;
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    house.wait(2).await;
    assert_eq!(heard(&house, &mut ada).await, ["parted bob"]);
    house.set("chat_join_messages", json!(false)).await;
    let _bob = house.enter("bob").await;
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    assert_eq!(
        logged(&house, 5).await,
        [
            "ada joined, live: false",
            "bob joined, live: true",
            "bob joined, live: true",
            "bob parted",
            "early joined, live: false",
        ]
    );
}

#[tokio::test]
async fn pages_are_told_when_there_are_too_many_people_to_announce_and_clients_get_every_join_all_the_same()
 {
    let house = House::open().await;
    house.set("chat_join_messages_max_people", json!(2)).await;
    house.go(StreamState::Live);
    let (_, mut ada) = house.enter("ada").await;
    let first = house.enter("bob").await;
    let second = house.enter("bob").await;
    assert!(!house.room.is_crowded(), "two people on three connections");
    let third = house.enter("eve").await;
    assert!(house.room.is_crowded());
    assert!(heard(&house, &mut ada).await.contains(&"joined eve".into()));
    drop((first, second));
    house.room.connections().await;
    assert!(!house.room.is_crowded(), "bob is gone with both");
    drop(third);
    house.set("chat_join_messages_max_people", json!(0)).await;
    assert!(house.room.is_crowded(), "0 is never");
}

/// The first `count` joins and leaves in the log, sorted.
async fn logged(house: &House, count: usize) -> Vec<String> {
    eventually("the log", || async {
        let logged = house.store.events_after(0).await.unwrap().into_iter();
        let words = logged.filter_map(|entry| match entry.event {
            Event::ChatUserJoined { user, is_live, .. } => {
                Some(format!("{} joined, live: {is_live}", user.display_name))
            }
            Event::ChatUserParted { user, .. } => Some(format!("{} parted", user.display_name)),
            _ => None,
        });
        let mut words: Vec<_> = words.collect();
        words.sort_unstable();
        (words.len() == count).then_some(words)
    })
    .await
}

#[tokio::test]
async fn without_a_stream_comings_are_logged_as_goings_are_and_none_is_shown() {
    let house = House::open().await;
    let (_, mut ada) = house.enter("ada").await;
    let (_, bob) = house.enter("bob").await;
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    drop(bob);
    house.wait(12).await;
    assert_eq!(
        logged(&house, 3).await,
        [
            "ada joined, live: false",
            "bob joined, live: false",
            "bob parted"
        ]
    );
}

#[tokio::test]
async fn in_a_rush_not_everybody_is_announced() {
    let house = House::open().await;
    house.go(StreamState::Live);
    let (_, mut ada) = house.enter("ada").await;
    let mut others = Vec::new();
    for number in 0..30 {
        others.push(house.enter(&format!("guest{number}")).await);
    }
    let joins = heard(&house, &mut ada).await;
    assert!(joins.len() < 10, "{joins:?}");
}

#[tokio::test]
async fn newcomers_are_welcomed_after_a_while_and_everybody_when_a_stream_starts() {
    let house = House::open().await;
    house
        .set("chat_welcome_message", json!("Hello **you**"))
        .await;
    let (_, mut ada) = house.enter("ada").await;
    house.wait(10).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "nothing is on"
    );
    house.go(StreamState::Live);
    assert!(next(&mut ada).await.contains("starting"));
    assert_eq!(
        next(&mut ada).await.trim(),
        "system <p>Hello <strong>you</strong></p>"
    );
    let (_, mut bob) = house.enter("bob").await;
    assert_eq!(next(&mut bob).await, "joined bob");
    house.wait(6).await;
    assert_eq!(heard(&house, &mut bob).await, Vec::<String>::new());
    house.wait(2).await;
    assert!(next(&mut bob).await.starts_with("system"));
    house.set("stream_title", json!("Water & <wine>")).await;
    house.wait(2).await;
    assert!(next(&mut bob).await.contains("Water &amp; &lt;wine&gt;"));
}

#[tokio::test]
async fn an_address_gets_its_share_of_connections_and_the_room_has_an_end() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let mut places = Vec::new();
    for _ in 0..MAX_PER_ADDRESS {
        let join_request = house.join_request(ada.clone(), [192, 0, 2, 1]);
        places.push(house.room.enter(join_request).await.unwrap());
    }
    let join_request = || house.join_request(ada.clone(), [192, 0, 2, 1]);
    assert_eq!(
        house.room.enter(join_request()).await.unwrap_err(),
        JoinRejection::TooManyFromThere
    );
    places.pop();
    places.push(house.room.enter(join_request()).await.unwrap());
    for number in 0..30 {
        let join_request = house.join_request(ada.clone(), [192, 0, 2, 100 + number]);
        places.push(house.room.enter(join_request).await.unwrap());
    }
    let join_request = house.join_request(ada.clone(), [192, 0, 2, 200]);
    assert_eq!(
        house.room.enter(join_request).await.unwrap_err(),
        JoinRejection::Full
    );
}

#[tokio::test]
async fn whoever_goes_while_coming_in_leaves_nothing_behind() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    for _ in 0..200 {
        let entering = house
            .room
            .enter(house.join_request(ada.clone(), [127, 0, 0, 1]));
        let entering = tokio::spawn({
            let room = house.room.clone();
            let join_request = house.join_request(ada.clone(), [127, 0, 0, 1]);
            drop(entering);
            async move { room.enter(join_request).await }
        });
        tokio::task::yield_now().await;
        entering.abort();
        drop(entering.await);
    }
    eventually("everybody has left", || async {
        house.room.connections().await.is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn somebody_who_was_banned_while_coming_in_does_not_come_in() {
    let house = House::open().await;
    let eve = house.person("eve").await;
    let join_request = house.join_request(eve.clone(), [127, 0, 0, 1]);
    house
        .room
        .ban(&eve.id, None, store::Actor::operator())
        .await
        .unwrap();
    assert_eq!(
        house.room.enter(join_request).await.unwrap_err(),
        JoinRejection::Banned
    );
    assert!(house.room.connections().await.is_empty());
}

#[tokio::test]
async fn a_household_of_ipv6_counts_and_is_banned_as_one() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let join_request = |last: u16| JoinRequest {
        address: IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]),
        ..house.join_request(ada.clone(), [127, 0, 0, 1])
    };
    let mut places = Vec::new();
    for last in 0..20 {
        places.push(house.room.enter(join_request(last)).await.unwrap());
    }
    assert_eq!(
        house.room.enter(join_request(99)).await.unwrap_err(),
        JoinRejection::TooManyFromThere
    );
    let actor = store::Actor::operator();
    let address = join_request(7).address;
    house
        .room
        .ban_address(address, "raid".into(), actor)
        .await
        .unwrap();
    assert!(house.room.is_banned(join_request(500).address));
    assert!(house.room.connections().await.is_empty());
}
