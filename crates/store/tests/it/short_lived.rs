//! What is worth nothing after minutes.

use std::time::Duration;

use store::{Afterwards, ShortLived, ShortLivedLimits, Store};
use tokio::sync::oneshot;

use crate::support::{Home, at, contains};

const MINUTE: Duration = Duration::from_secs(60);
const LIMITS: ShortLivedLimits = ShortLivedLimits {
    most: 4,
    most_of_owner: 2,
    gives_way: false,
};

fn item(key: &str, owner: &str, seconds: i64) -> ShortLived {
    ShortLived {
        kind: "code",
        key: key.into(),
        owner: owner.into(),
        value: format!("the value of {key}").into_bytes(),
        expires_at: at(seconds) + MINUTE,
    }
}

async fn keep(store: &Store, key: &str, owner: &str, seconds: i64) -> bool {
    let item = item(key, owner, seconds);
    let kept = store.keep_short_lived(item, LIMITS, at(seconds));
    kept.await.unwrap()
}

async fn take(store: &Store, key: &str, seconds: i64) -> Option<String> {
    let taken = store.take_short_lived("code", key, at(seconds));
    let value = taken.await.unwrap()?;
    Some(String::from_utf8(value).unwrap())
}

pub(crate) async fn what_is_kept_is_taken_once_at_whatever_server(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    assert!(keep(&one, "a", "ada", 0).await);
    assert!(!contains(&home.dump(), "the value of a"), "it is sealed");
    assert_eq!(take(&two, "b", 1).await, None);
    assert_eq!(take(&two, "a", 1).await.unwrap(), "the value of a");
    assert_eq!(take(&one, "a", 1).await, None);
    let of_another_kind = one.take_short_lived("question", "a", at(1));
    assert_eq!(of_another_kind.await.unwrap(), None);
}

pub(crate) async fn what_is_kept_expires_and_makes_room(home: Home) {
    let store = home.open().await;
    assert!(keep(&store, "a", "ada", 0).await);
    assert_eq!(take(&store, "a", 60).await, None);
    assert!(keep(&store, "b", "ada", 60).await);
    assert!(keep(&store, "c", "ada", 60).await, "the first is forgotten");
    assert!(keep(&store, "c", "ada", 60).await, "in its own place");
    assert_eq!(take(&store, "c", 119).await.unwrap(), "the value of c");
}

pub(crate) async fn there_is_an_end_to_what_is_kept_of_one_and_of_all(home: Home) {
    let store = home.open().await;
    assert!(keep(&store, "a", "ada", 0).await);
    assert!(keep(&store, "b", "ada", 1).await);
    assert!(!keep(&store, "c", "ada", 2).await);
    let gives_way = ShortLivedLimits {
        gives_way: true,
        ..LIMITS
    };
    let kept = store.keep_short_lived(item("c", "ada", 2), gives_way, at(2));
    assert!(kept.await.unwrap());
    assert_eq!(take(&store, "a", 3).await, None, "the oldest gave way");
    assert!(take(&store, "b", 3).await.is_some());
    for (key, owner) in [("d", "bo"), ("e", "bo"), ("f", "cy")] {
        assert!(keep(&store, key, owner, 3).await);
    }
    assert!(!keep(&store, "g", "cy", 3).await, "there are four");
    let mut other = item("g", "cy", 3);
    other.kind = "question";
    let kept = store.keep_short_lived(other, LIMITS, at(3));
    assert!(kept.await.unwrap(), "of another kind");
}

pub(crate) async fn who_looks_at_something_decides_what_becomes_of_it(home: Home) {
    let store = home.open().await;
    assert!(keep(&store, "a", "ada", 0).await);
    let look = async |afterwards: Afterwards| {
        let looked = store.look_at_short_lived("code", "a", at(1), move |value| {
            let seen = value.map(|value| String::from_utf8_lossy(value).into_owned());
            (afterwards, seen)
        });
        looked.await.unwrap()
    };
    assert_eq!(look(Afterwards::Keep).await.unwrap(), "the value of a");
    let other = Afterwards::Replace(b"another".to_vec());
    assert_eq!(look(other).await.unwrap(), "the value of a");
    assert_eq!(look(Afterwards::Remove).await.unwrap(), "another");
    assert_eq!(look(Afterwards::Keep).await, None);
}

pub(crate) async fn who_tries_a_wrong_code_does_not_wait_for_the_writer(home: Home) {
    let store = home.open().await;
    let (begun, has_begun) = oneshot::channel();
    let (go, may_go) = oneshot::channel::<()>();
    let busy = store.clone();
    let writing = tokio::spawn(async move {
        let work = busy.write(move |_tx| {
            Box::pin(async move {
                begun.send(()).unwrap();
                may_go.await.unwrap();
                Ok(())
            })
        });
        work.await
    });
    has_begun.await.unwrap();
    assert_eq!(take(&store, "a", 1).await, None);
    go.send(()).unwrap();
    writing.await.unwrap().unwrap();
}

pub(crate) async fn what_is_shared_is_the_same_at_every_server(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    let first = one.share_short_lived(item("a", "", 0), at(0));
    assert_eq!(first.await.unwrap(), b"the value of a");
    let second = ShortLived {
        value: b"mine".to_vec(),
        ..item("a", "", 1)
    };
    let shared = two.share_short_lived(second, at(1));
    assert_eq!(shared.await.unwrap(), b"the value of a");
}
