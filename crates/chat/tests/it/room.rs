//! Who receives what, and what is kept.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use chat::{
    ClientMessage, CloseReason, DirectWriter, Draft, FilterVerdict, JoinRejection, MessageFilter,
    RecvError,
};
use futures_util::future::BoxFuture;
use model::{Clock, MessageId, TokenId};
use serde_json::json;
use store::Actor;

use crate::house::{House, heard, line, next};

#[tokio::test]
async fn a_listener_that_falls_behind_is_given_up_and_hears_why() {
    let house = House::open().await;
    house.set("chat_join_messages", json!(false)).await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (_, mut stuck) = house.enter("stuck").await;
    for number in 0..chat::LISTENER_QUEUE + 10 {
        house.wait(1).await;
        ada.say(line(&format!("{number}"))).await;
        assert_eq!(next(&mut receiver).await, format!("line <p>{number}</p>"));
    }
    assert_eq!(stuck.closed().await, CloseReason::TooSlow);
    let mut count = 0;
    let farewell = loop {
        match stuck.next().await {
            Ok(_) => count += 1,
            Err(farewell) => break farewell,
        }
    };
    let over = RecvError::Closed(CloseReason::TooSlow);
    assert_eq!((count, farewell), (chat::LISTENER_QUEUE, over));
    assert_eq!(house.room.connections().await.len(), 1);
}

/// A listener that accepts a number of frames and then no more.
#[derive(Debug)]
struct Taker {
    taken: Mutex<Vec<String>>,
    most: usize,
}

impl DirectWriter for Taker {
    fn write_frames(&self, frames: &Bytes, count: usize) -> Result<(), CloseReason> {
        let mut taken = self.taken.lock().unwrap();
        if taken.len() + count > self.most {
            return Err(CloseReason::TooSlow);
        }
        let frames = std::str::from_utf8(frames).unwrap();
        let before = taken.len();
        taken.extend(frames.lines().map(str::to_owned));
        assert_eq!(taken.len() - before, count);
        Ok(())
    }
}

#[tokio::test]
async fn a_listener_that_is_told_straight_hears_all_lines_once_and_in_order() {
    let house = House::open().await;
    house.set("chat_join_messages", json!(false)).await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (_, mut listener) = house.enter("listener").await;
    let way = Arc::new(Taker {
        taken: Mutex::default(),
        most: 8,
    });
    let mut wanted = Vec::new();
    for number in 0..4 {
        house.wait(1).await;
        ada.say(line(&format!("{number}"))).await;
        next(&mut receiver).await;
        wanted.push(format!("line <p>{number}</p>"));
        if number == 1 {
            let way: Arc<dyn DirectWriter> = Arc::<Taker>::clone(&way);
            listener.go_direct(way).await;
        }
    }
    let mut heard = Vec::new();
    let end = loop {
        match listener.next().await {
            Ok(frame) => heard.push(String::from_utf8(frame.to_vec()).unwrap()),
            Err(end) => break end,
        }
    };
    assert_eq!(end, RecvError::Direct);
    heard.retain(|frame| frame.starts_with("line"));
    assert_eq!(heard, wanted[..2]);
    assert_eq!(*way.taken.lock().unwrap(), wanted[2..]);
    for number in 4..11 {
        house.wait(1).await;
        ada.say(line(&format!("{number}"))).await;
        next(&mut receiver).await;
    }
    assert_eq!(listener.closed().await, CloseReason::TooSlow);
    assert_eq!(way.taken.lock().unwrap().len(), way.most);
    assert_eq!(house.room.connections().await.len(), 1);
}

#[tokio::test]
async fn one_connection_can_be_ended_and_its_owner_may_come_back() {
    let house = House::open().await;
    let (_ada, receiver) = house.enter("ada").await;
    let (_eve, other) = house.enter("eve").await;
    assert!(house.room.kick(receiver.client_id()).await);
    assert_eq!(receiver.closed().await, CloseReason::Removed);
    assert!(!house.room.kick(receiver.client_id()).await, "it is gone");
    let left = house.room.connections().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].client_id, other.client_id());
    house.enter("ada").await;
}

#[tokio::test]
async fn old_lines_are_forgotten_everywhere() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    ada.say(line("old")).await;
    next(&mut receiver).await;
    house.wait(60).await;
    ada.say(line("new")).await;
    next(&mut receiver).await;
    let before = house.clock.now() - Duration::from_secs(30);
    assert_eq!(house.room.forget_old(before).await.unwrap(), 1);
    house.room.connections().await;
    let history = house.room.history();
    let bodies: Vec<&str> = history.iter().map(|line| line.body.as_str()).collect();
    assert_eq!(bodies, ["<p>new</p>"]);
}

#[tokio::test]
async fn the_room_says_farewell_when_the_server_stops() {
    let house = House::open().await;
    let (_, mut receiver) = house.enter("ada").await;
    house.stop.cancel();
    assert_eq!(
        receiver.next().await,
        Err(RecvError::Closed(CloseReason::Stopping))
    );
    let join_request = house.join_request(house.stored("ada").await, [192, 0, 2, 1]);
    assert_eq!(
        house.room.enter(join_request).await.unwrap_err(),
        JoinRejection::Stopping
    );
}

#[derive(Debug)]
struct Judge;

impl MessageFilter for Judge {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, FilterVerdict> {
        Box::pin(async move {
            match draft.body.as_str() {
                "replace" => FilterVerdict::Replace("**replaced**".into()),
                "drop" => FilterVerdict::Drop(None),
                "refuse" => FilterVerdict::Drop(Some("no <b>".into())),
                "panic" => panic!("a broken plugin"),
                "sleep" => std::future::pending().await,
                _ => FilterVerdict::Pass,
            }
        })
    }
}

#[tokio::test]
async fn a_filter_may_replace_and_drop_and_a_broken_one_lets_everything_through() {
    let house = House::open().await;
    house.room.set_filter(Box::new(Judge));
    let (ada, mut receiver) = house.enter("ada").await;
    for (text, wanted) in [
        ("pass", "line <p>pass</p>"),
        ("replace", "line <p><strong>replaced</strong></p>"),
        ("refuse", "action <p>no &lt;b&gt;</p>"),
        ("panic", "line <p>panic</p>"),
        ("sleep", "line <p>sleep</p>"),
    ] {
        house.wait(1).await;
        ada.say(line(text)).await;
        assert_eq!(next(&mut receiver).await, wanted);
    }
    house.wait(1).await;
    ada.say(line("drop")).await;
    assert_eq!(heard(&house, &mut receiver).await, Vec::<String>::new());
}

/// Records the id of every line it judges.
#[derive(Debug, Default)]
struct Clerk(Arc<Mutex<Vec<MessageId>>>);

impl MessageFilter for Clerk {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, FilterVerdict> {
        self.0.lock().unwrap().push(draft.id);
        let verdict = FilterVerdict::Replace(format!("{} at last", draft.body));
        Box::pin(std::future::ready(verdict))
    }
}

#[tokio::test]
async fn a_line_keeps_the_id_its_filter_saw_even_if_a_moderator_has_to_see_it_first() {
    let house = House::open().await;
    let seen = Arc::default();
    house.room.set_filter(Box::new(Clerk(Arc::clone(&seen))));
    let (ada, mut receiver) = house.enter("ada").await;
    ada.say(line("mine")).await;
    next(&mut receiver).await;
    house.set("chat_hold_first_message", json!(true)).await;
    let (eve, mut eves) = house.enter("eve").await;
    eve.say(line("mine too")).await;
    assert!(next(&mut eves).await.starts_with("action"));
    let held = house.store.held_messages().await.unwrap().remove(0).id;
    let released = house.room.release(&held, true, Actor::operator());
    assert!(released.await.unwrap());
    house.room.connections().await;
    let history = house.room.history();
    let ids: Vec<_> = history.iter().map(|line| line.id.clone()).collect();
    assert_eq!(*seen.lock().unwrap(), ids);
    assert_eq!(ids[1], held);
}

#[tokio::test]
async fn a_revoked_token_ends_its_connections() {
    let house = House::open().await;
    let (_, mut receiver) = house.enter("ada").await;
    house.room.revoke(TokenId::parse("other").unwrap()).await;
    house.room.revoke(TokenId::parse("t1").unwrap()).await;
    assert_eq!(
        receiver.next().await,
        Err(RecvError::Closed(CloseReason::Changed))
    );
}

#[tokio::test]
async fn words_of_the_server_are_stored_and_heard_by_all_or_by_one() {
    let house = House::open().await;
    let (_, mut ada) = house.enter("ada").await;
    let (_, mut bob) = house.enter("bob").await;
    house
        .room
        .say_system("restart at **noon**".into())
        .await
        .unwrap();
    house
        .room
        .say_action("rolled <script>alert(1)</script>".into())
        .await
        .unwrap();
    house.room.say_to(bob.client_id(), "psst".into()).await;
    assert!(next(&mut ada).await.contains("<strong>noon</strong>"));
    let action = next(&mut ada).await;
    assert!(!action.contains("script"), "{action}");
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    assert!(
        heard(&house, &mut bob)
            .await
            .last()
            .unwrap()
            .contains("psst")
    );
    assert_eq!(house.store.message_count().await.unwrap(), 2);
    assert!(
        house.room.history().is_empty(),
        "history is what people wrote"
    );
}

#[tokio::test]
async fn an_answer_does_not_quote_what_was_hidden() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (bob, _bob) = house.enter("bob").await;
    ada.say(line("the address of bob")).await;
    next(&mut receiver).await;
    let hidden = house.room.history()[0].id.clone();
    let reply_to = Some(hidden.to_string());
    let body = "please delete that".to_owned();
    bob.say(ClientMessage::Line { body, reply_to }).await;
    next(&mut receiver).await;
    assert!(house.room.history()[1].reply.is_some());
    let actor = store::Actor::operator();
    house
        .room
        .set_visibility(vec![hidden], false, actor)
        .await
        .unwrap();
    house.room.connections().await;
    assert_eq!(house.room.history()[0].reply, None);
    let stored = house.store.recent_messages(10).await.unwrap();
    assert_eq!(stored[0].reply, None);
}
