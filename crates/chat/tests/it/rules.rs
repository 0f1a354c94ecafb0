//! Who may write when, and that there is no way around it.

use std::sync::Arc;
use std::time::Duration;

use chat::ClientMessage;
use model::schedule::{Agenda, ScheduledEvent};
use model::{Clock, ScheduleId, StreamState};
use serde_json::json;

use crate::house::{House, heard, line, next};

#[tokio::test]
async fn people_can_talk_until_five_minutes_after_a_stream() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    house.go(StreamState::Live);
    house.wait(1).await;
    house.go(StreamState::Offline);
    house.wait(299).await;
    heard(&house, &mut receiver).await;
    ada.say(line("in time")).await;
    assert_eq!(next(&mut receiver).await, "line <p>in time</p>");
    house.wait(2).await;
    ada.say(line("too late")).await;
    assert_eq!(heard(&house, &mut receiver).await, Vec::<String>::new());
    house.set("chat_when_offline", json!("always")).await;
    house.wait(1).await;
    assert_eq!(heard(&house, &mut receiver).await, ["you are ada"]);
    ada.say(line("at any time")).await;
    assert_eq!(next(&mut receiver).await, "line <p>at any time</p>");
}

#[tokio::test]
async fn nobody_can_write_before_the_server_is_set_up() {
    let house = House::open().await;
    house.is_set_up.send_replace(false);
    house.set("chat_when_offline", json!("always")).await;
    house.go(StreamState::Live);
    let (ada, mut receiver) = house.enter("ada").await;
    heard(&house, &mut receiver).await;
    ada.say(line("is anybody in charge")).await;
    assert_eq!(heard(&house, &mut receiver).await, Vec::<String>::new());
    house.is_set_up.send_replace(true);
    house.wait(1).await;
    assert_eq!(heard(&house, &mut receiver).await, ["you are ada"]);
    ada.say(line("now there is")).await;
    assert_eq!(next(&mut receiver).await, "line <p>now there is</p>");
}

#[tokio::test]
async fn people_can_talk_from_some_minutes_before_an_announced_stream_until_its_end() {
    let house = House::open().await;
    house.set("schedule_chat_open_minutes", json!(10)).await;
    let (ada, mut receiver) = house.enter("ada").await;
    house.go(StreamState::Live);
    house.go(StreamState::Offline);
    house.wait(6 * 60).await;
    let starts_at = house.clock.now() + Duration::from_secs(11 * 60);
    let event = ScheduledEvent {
        id: ScheduleId::parse("e1").unwrap(),
        series_id: None,
        name: "Cooking".into(),
        description: String::new(),
        starts_at,
        duration_minutes: 15,
        timezone: "UTC".into(),
        is_cancelled: false,
    };
    house
        .agenda
        .send_replace(Arc::new(Agenda::new(vec![event])));
    heard(&house, &mut receiver).await;
    house.clock.advance(Duration::from_secs(60));
    ada.say(line("nothing is shown of the schedule")).await;
    assert_eq!(heard(&house, &mut receiver).await, Vec::<String>::new());
    house.set("schedule_enabled", json!(true)).await;
    house.clock.advance(Duration::from_secs(1));
    ada.say(line("soon")).await;
    assert_eq!(next(&mut receiver).await, "line <p>soon</p>");
    house.clock.advance(Duration::from_secs(20 * 60));
    ada.say(line("where are they")).await;
    assert_eq!(next(&mut receiver).await, "line <p>where are they</p>");
    house.clock.advance(Duration::from_secs(5 * 60));
    ada.say(line("nobody came")).await;
    assert_eq!(heard(&house, &mut receiver).await, Vec::<String>::new());
}

#[tokio::test]
async fn established_and_known_people_may_write_where_newcomers_may_not() {
    let house = House::open().await;
    house.set("chat_established_only", json!(true)).await;
    let (ada, mut receiver) = house.enter("ada").await;
    house.wait(1).await;
    heard(&house, &mut receiver).await;
    ada.say(line("new")).await;
    assert!(next(&mut receiver).await.starts_with("action"));
    house.wait(15 * 60).await;
    ada.say(line("old")).await;
    assert_eq!(next(&mut receiver).await, "line <p>old</p>");
    house.wait(10 * 60 + 1).await;
    house.set("chat_known_people_only", json!(true)).await;
    house.wait(1).await;
    heard(&house, &mut receiver).await;
    ada.say(line("known")).await;
    assert_eq!(next(&mut receiver).await, "line <p>known</p>");
}

#[tokio::test]
async fn whoever_came_with_the_raid_is_not_known_by_waiting() {
    let house = House::open().await;
    let (eve, mut receiver) = house.enter("eve").await;
    eve.say(line("first of many")).await;
    assert_eq!(next(&mut receiver).await, "line <p>first of many</p>");
    house.wait(60).await;
    house.set("chat_known_people_only", json!(true)).await;
    house.wait(11 * 60).await;
    // Set once more, it is on since the first time.
    house.set("chat_known_people_only", json!(true)).await;
    house.wait(1).await;
    heard(&house, &mut receiver).await;
    eve.say(line("and now?")).await;
    let refusal = "action <p>Only returning chatters can write right now.</p>";
    assert_eq!(next(&mut receiver).await, refusal);
    house.clock.advance(Duration::from_secs(7 * 24 * 3600));
    house.wait(1).await;
    heard(&house, &mut receiver).await;
    eve.say(line("a week later")).await;
    assert_eq!(next(&mut receiver).await, "line <p>a week later</p>");
}

#[tokio::test]
async fn a_paused_chat_takes_lines_of_moderators_alone_and_everybody_is_told() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (bob, mut other) = house.enter("bob").await;
    let operator = store::Actor::operator();
    let id = bob.user().id.clone();
    let promoted = house.room.set_moderator(&id, true, operator);
    assert!(promoted.await.unwrap());
    house.set("chat_paused", json!(true)).await;
    house.wait(1).await;
    let paused = "action <p>The chat is paused. Only moderators can write for now.</p>";
    for receiver in [&mut receiver, &mut other] {
        let told = heard(&house, receiver).await;
        assert!(told.iter().any(|one| one == paused), "{told:?}");
    }
    ada.say(line("may I")).await;
    assert_eq!(next(&mut receiver).await, paused);
    bob.say(line("wait a little")).await;
    assert_eq!(next(&mut receiver).await, "line <p>wait a little</p>");
    house.set("chat_paused", json!(false)).await;
    house.wait(1).await;
    heard(&house, &mut receiver).await;
    ada.say(line("thank you")).await;
    assert_eq!(next(&mut receiver).await, "line <p>thank you</p>");
}

#[tokio::test]
async fn the_third_newcomer_with_the_same_text_is_held_and_those_who_are_known_are_not() {
    let house = House::open().await;
    let (known, mut all) = house.enter("known").await;
    known.say(line("good to be here")).await;
    house.wait(10 * 60).await;
    heard(&house, &mut all).await;
    for (name, text) in [
        ("eve", "follow us over there"),
        ("mallory", "Follow  us over there"),
    ] {
        let (raider, _receiver) = house.enter(name).await;
        raider.say(line(text)).await;
        assert!(next(&mut all).await.starts_with("line"));
    }
    let (third, mut receiver) = house.enter("trudy").await;
    third.say(line("follow us over THERE")).await;
    let held = "action <p>Others wrote the same, so a moderator looks at your message first.</p>";
    assert_eq!(next(&mut receiver).await, held);
    assert_eq!(house.store.held_messages().await.unwrap().len(), 1);
    known.say(line("follow us over there")).await;
    assert_eq!(next(&mut all).await, "line <p>follow us over there</p>");
    for name in ["ann", "bob", "cat"] {
        let (person, mut receiver) = house.enter(name).await;
        person.say(line("hello")).await;
        assert_eq!(next(&mut receiver).await, "line <p>hello</p>", "{name}");
    }
}

#[tokio::test]
async fn a_text_that_two_others_wrote_is_no_copy_if_one_of_them_did_a_while_ago() {
    let house = House::open().await;
    let mut here = Vec::new();
    for name in ["eve", "mallory", "trudy"] {
        let (person, mut receiver) = house.enter(name).await;
        person.say(line("good evening everybody")).await;
        let shown = "line <p>good evening everybody</p>";
        assert_eq!(next(&mut receiver).await, shown, "{name}");
        here.push((person, receiver));
        house.wait(40).await;
    }
}

#[tokio::test]
async fn a_command_that_many_give_at_once_is_no_copy() {
    let house = House::open().await;
    for name in ["eve", "mallory", "trudy"] {
        let (person, mut receiver) = house.enter(name).await;
        person.say(line("!enter-the-giveaway")).await;
        let shown = "line <p>!enter-the-giveaway</p>";
        assert_eq!(next(&mut receiver).await, shown, "{name}");
    }
}

#[tokio::test]
async fn a_chat_that_is_switched_off_takes_no_line_of_those_who_are_in_it_and_says_so() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (_, mut other) = house.enter("bob").await;
    heard(&house, &mut receiver).await;
    house.set("chat_disabled", json!(true)).await;
    house.wait(1).await;
    assert!(
        next(&mut receiver).await.starts_with("you are"),
        "pages look at the settings"
    );
    heard(&house, &mut other).await;
    for said in [line("still there?"), name("eve")] {
        ada.say(said).await;
        let notice = "action <p>The chat is turned off.</p>";
        assert_eq!(next(&mut receiver).await, notice);
        house.wait(2).await;
    }
    assert_eq!(heard(&house, &mut other).await, Vec::<String>::new());
    assert!(house.room.history().is_empty());
    house.set("chat_disabled", json!(false)).await;
    house.wait(1).await;
    assert!(next(&mut receiver).await.starts_with("you are"));
    ada.say(line("back")).await;
    assert_eq!(next(&mut receiver).await, "line <p>back</p>");
}

fn name(text: &str) -> ClientMessage {
    ClientMessage::Rename(text.into())
}

#[tokio::test]
async fn no_number_of_new_names_pushes_the_lines_out() {
    let house = House::open().await;
    house.set("chat_spam_protection", json!(false)).await;
    let (ada, mut receiver) = house.enter("ada").await;
    ada.say(line("keep me")).await;
    let last = house.room.history()[0].id.clone();
    for number in 0..600 {
        ada.say(name(&format!("ada {number}"))).await;
        house.clock.advance(Duration::from_millis(100));
        heard(&house, &mut receiver).await;
    }
    ada.say(line("and me")).await;
    house.room.connections().await;
    assert_eq!(house.room.history().len(), 2);
    let mut join_request = house.join_request(house.stored("ada").await, [127, 0, 0, 1]);
    join_request.last_event_id = Some(last);
    let (_, mut receiver) = house.room.enter(join_request).await.unwrap();
    let missed = heard(&house, &mut receiver).await;
    assert_eq!(missed.last().unwrap(), "line <p>and me</p>");
    let mut join_request = house.join_request(house.stored("ada").await, [127, 0, 0, 1]);
    join_request.last_event_id = Some(model::MessageId::parse("forgotten").unwrap());
    let (_, mut receiver) = house.room.enter(join_request).await.unwrap();
    assert_eq!(heard(&house, &mut receiver).await[1], "line <p>keep me</p>");
}

#[tokio::test]
async fn a_name_is_no_way_around_the_rules_for_lines() {
    let house = House::open().await;
    house.set("chat_links", json!("nobody")).await;
    house.set("chat_forbidden_words", json!(["turnip"])).await;
    let (ada, mut receiver) = house.enter("ada").await;
    for text in [
        "buy http://evil.example",
        "www.evil.example",
        "tur<i></i>nip",
        "\u{fe0f}",
    ] {
        house.wait(10).await;
        ada.say(name(text)).await;
        assert!(next(&mut receiver).await.starts_with("action"), "{text}");
        assert_eq!(next(&mut receiver).await, "you are ada");
    }
    house.wait(10).await;
    ada.say(name("ada two")).await;
    assert_eq!(next(&mut receiver).await, "renamed ada");
    next(&mut receiver).await;
    house.wait(1).await;
    ada.say(name("ada three")).await;
    assert!(
        next(&mut receiver).await.starts_with("action"),
        "one name at a time"
    );
}

#[tokio::test]
async fn the_name_of_somebody_nobody_has_heard_of_is_told_to_nobody() {
    let house = House::open().await;
    house.set("chat_hold_first_message", json!(true)).await;
    let (_, mut ada) = house.enter("ada").await;
    let (eve, mut receiver) = house.enter("eve").await;
    eve.say(name("look at me")).await;
    assert_eq!(next(&mut receiver).await, "you are look at me");
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
}

#[tokio::test]
async fn markup_hides_no_word() {
    let house = House::open().await;
    house.set("chat_forbidden_words", json!(["badword"])).await;
    let (ada, mut receiver) = house.enter("ada").await;
    for text in [
        "bad<b></b>word",
        "ba&#100;word",
        "b<!-- x -->adword",
        "BADWORD",
    ] {
        house.wait(1).await;
        ada.say(line(text)).await;
        let heard = next(&mut receiver).await;
        assert!(heard.starts_with("action"), "{text} was shown as {heard}");
    }
}

#[tokio::test]
async fn slow_mode_holds_for_many_connections_at_once() {
    let house = House::open().await;
    house.set("chat_spam_protection", json!(false)).await;
    house.set("chat_slow_mode_seconds", json!(60)).await;
    let mut senders = Vec::new();
    let mut receivers = Vec::new();
    for _ in 0..10 {
        let (sender, receiver) = house.enter("ada").await;
        senders.push(sender);
        receivers.push(receiver);
    }
    let said = senders.iter().enumerate();
    futures_util::future::join_all(
        said.map(|(number, sender)| sender.say(line(&format!("line {number}")))),
    )
    .await;
    assert_eq!(house.store.message_count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_newcomer_has_one_line_in_the_queue() {
    let house = House::open().await;
    house.set("chat_hold_first_message", json!(true)).await;
    let (eve, mut receiver) = house.enter("eve").await;
    for _ in 0..4 {
        house.wait(1).await;
        eve.say(line("let me in")).await;
        assert!(next(&mut receiver).await.starts_with("action"));
    }
    assert_eq!(house.store.held_messages().await.unwrap().len(), 1);
}
