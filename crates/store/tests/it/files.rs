//! Stories about uploaded files.

use model::Event;
use store::StoredFile;

use crate::support::{Home, at};

pub(crate) async fn an_uploaded_file_is_there_until_it_is_deleted(home: Home) {
    let store = home.open().await;
    let file = |text: &str| StoredFile {
        content_type: "image/png".into(),
        bytes: text.as_bytes().to_vec(),
    };
    store.delete_file("icon").await.unwrap();
    store.put_file("icon", file("one"), at(1)).await.unwrap();
    store.put_file("icon", file("two"), at(2)).await.unwrap();
    drop(store);
    let store = home.open().await;
    assert_eq!(store.file("icon").await.unwrap(), Some(file("two")));
    let facts = store.file_facts("icon").await.unwrap().unwrap();
    assert_eq!(
        (facts.content_type.as_str(), facts.changed_at),
        ("image/png", at(2))
    );
    let told = store.events_after(0).await.unwrap();
    let key = "icon".to_owned();
    assert_eq!(told.len(), 2);
    assert_eq!(told[1].event, Event::SettingChanged { key });
    store.delete_file("icon").await.unwrap();
    assert_eq!(store.file("icon").await.unwrap(), None);
}
