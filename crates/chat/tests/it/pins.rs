//! The line above the chat.

use chat::ClientMessage;
use store::Actor;

use crate::house::{House, heard, line, next};

#[tokio::test]
async fn a_pinned_line_is_told_to_everybody_once_and_goes_when_it_is_hidden() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    for text in ["rules", "news"] {
        ada.say(line(text)).await;
        next(&mut receiver).await;
        house.wait(1).await;
    }
    let ids: Vec<_> = house
        .room
        .history()
        .iter()
        .map(|line| line.id.clone())
        .collect();
    let operator = Actor::operator;
    assert!(house.room.pin(ids[0].clone(), operator()).await.unwrap());
    assert_eq!(heard(&house, &mut receiver).await, ["pinned <p>rules</p>"]);
    assert!(house.room.pin(ids[1].clone(), operator()).await.unwrap());
    // Somebody who still sees the first one takes it away: that is another one by now.
    assert!(!house.room.unpin(ids[0].clone(), operator()).await.unwrap());
    assert_eq!(heard(&house, &mut receiver).await, ["pinned <p>news</p>"]);
    assert_eq!(house.room.pinned().unwrap().pinned_by, "operator");
    let hide = house
        .room
        .set_visibility(vec![ids[1].clone()], false, operator());
    hide.await.unwrap();
    assert_eq!(
        heard(&house, &mut receiver).await,
        ["visibility 1 false", "unpinned"]
    );
    assert!(house.room.pinned().is_none());
    let hide = house
        .room
        .set_visibility(vec![ids[0].clone()], false, operator());
    hide.await.unwrap();
    assert_eq!(heard(&house, &mut receiver).await, ["visibility 1 false"]);
    assert!(!house.room.pin(ids[0].clone(), operator()).await.unwrap());
}

#[tokio::test]
async fn a_pinned_line_shows_its_author_under_the_present_name() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    ada.say(line("rules")).await;
    next(&mut receiver).await;
    let id = house.room.history()[0].id.clone();
    assert!(house.room.pin(id, Actor::operator()).await.unwrap());
    house.wait(1).await;
    ada.say(ClientMessage::Rename("countess".into())).await;
    heard(&house, &mut receiver).await;
    let pinned = house.room.pinned().unwrap();
    assert_eq!(pinned.line.user.display_name, "countess");
}
