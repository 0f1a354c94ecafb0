//! What authors do with their own lines.

use chat::OWN_DELETION_WINDOW;
use model::UserId;
use store::OwnDeletion;

use crate::house::{House, heard, line, next};

#[tokio::test]
async fn a_line_can_be_deleted_by_its_author_for_a_while_and_everybody_is_told_to_hide_it() {
    let house = House::open().await;
    let (ada, mut receiver) = house.enter("ada").await;
    let (_, mut bob) = house.enter("bob").await;
    for text in ["first", "second"] {
        ada.say(line(text)).await;
        next(&mut receiver).await;
        house.wait(1).await;
    }
    heard(&house, &mut bob).await;
    let ids: Vec<_> = house
        .room
        .history()
        .iter()
        .map(|line| line.id.clone())
        .collect();
    let (author, other) = (ada.user().id.clone(), UserId::parse("bob").unwrap());
    let delete = async |author, id| house.room.delete_own(author, id).await.unwrap();
    assert_eq!(delete(&other, ids[0].clone()).await, OwnDeletion::Unknown);
    assert_eq!(delete(&author, ids[0].clone()).await, OwnDeletion::Deleted);
    for receiver in [&mut receiver, &mut bob] {
        assert_eq!(heard(&house, receiver).await, ["visibility 1 false"]);
    }
    assert_eq!(house.room.history().len(), 1);
    house.wait(OWN_DELETION_WINDOW.as_secs()).await;
    assert_eq!(delete(&author, ids[1].clone()).await, OwnDeletion::TooLate);
    assert_eq!(heard(&house, &mut bob).await, Vec::<String>::new());
    assert_eq!(house.room.history().len(), 1);
}

#[tokio::test]
async fn deleting_has_a_rate_of_its_own_for_each_person() {
    let house = House::open().await;
    let (ada, bob) = (house.person("ada").await.id, house.person("bob").await.id);
    let mut admitted = 0;
    while house.room.admit_own_deletion(&ada).is_ok() {
        admitted += 1;
    }
    assert_eq!(admitted, 20);
    assert!(house.room.admit_own_deletion(&bob).is_ok());
    house.wait(60).await;
    assert!(house.room.admit_own_deletion(&ada).is_ok());
}
