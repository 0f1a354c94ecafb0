//! Notices that the event log has grown where this process did not do it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use sqlx::AnyPool;
use tokio::sync::watch;

use crate::group_commit::GroupFeed;
use crate::log_rows::newest;

/// After this long without news the database is asked for the end of the log: a group may have come from another server,
/// or its commit may have succeeded without an answer.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

/// Looks at the end of the log when there is no news or when it is asked to, and wakes everybody who waits for it; ends
/// with the store.
pub(crate) async fn watch_log(
    feed: Weak<GroupFeed>,
    readers: AnyPool,
    last_event: watch::Sender<i64>,
) {
    let heard = |feed: Arc<GroupFeed>| (feed.told.subscribe(), Arc::clone(&feed.look));
    let Some((mut told, look)) = feed.upgrade().map(heard) else {
        return;
    };
    loop {
        let news = tokio::select! {
            () = look.notified() => None,
            news = tokio::time::timeout(QUIET, told.changed()) => news.ok(),
        };
        match news {
            Some(Ok(())) => continue,
            Some(Err(_)) => return,
            None => {}
        }
        let end = newest(&readers).await;
        let Some(feed) = feed.upgrade().filter(|feed| !feed.is_closed()) else {
            return;
        };
        match end {
            Ok(end) => {
                raise(&feed.seen, end);
                raise(&last_event, end);
            }
            Err(error) => tracing::debug!(%error, "cannot look at the end of the event log"),
        }
    }
}

/// Moves a position on; it never goes back.
pub(crate) fn raise(position: &watch::Sender<i64>, to: i64) {
    position.send_if_modified(|now| {
        let is_further = *now < to;
        if is_further {
            *now = to;
        }
        is_further
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_in_the_log_never_goes_back() {
        let position = watch::Sender::new(7);
        let mut changes = position.subscribe();
        raise(&position, 3);
        assert!(!changes.has_changed().unwrap());
        raise(&position, 9);
        assert!(changes.has_changed().unwrap());
        assert_eq!(*changes.borrow_and_update(), 9);
    }
}
