//! Events as one stream for all listening bots: read from the log once, serialized once.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use model::LoggedEvent;
use serde::Serialize;
use store::{Store, StoreError};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::event_payload::{EventAudience, EventPayload, EventPayloadBuilder};

/// Facts kept for listeners that are a little behind; who is further behind reads the log by themselves.
const BUFFERED: usize = 512;

/// Facts a listener reads from the log at a time.
const READ_AT_ONCE: i64 = 50;
/// Pause after the log could not be read.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The log is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// An event as listeners receive it.
#[derive(Clone, Debug)]
pub(crate) struct FeedEvent {
    /// Its position in the log, from which a listener can resume.
    pub(crate) seq: i64,
    pub(crate) kind: &'static str,
    /// Whether only bots that may do everything receive it.
    pub(crate) is_for_admins: bool,
    pub(crate) document: Bytes,
}

#[derive(Serialize)]
struct Document<'a> {
    /// For `lastEventId`.
    #[serde(rename = "eventId")]
    event_id: String,
    #[serde(flatten)]
    payload: EventPayload<'a>,
}

/// The stream; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    store: Store,
    payloads: EventPayloadBuilder,
    news: broadcast::Sender<Arc<FeedEvent>>,
    stop: CancellationToken,
}

/// A listener's position in the stream.
#[derive(Debug)]
pub(crate) struct FeedCursor {
    feed: Feed,
    /// The newest event that was delivered or skipped.
    seq: i64,
    news: broadcast::Receiver<Arc<FeedEvent>>,
    /// Read from the log but not delivered yet, newest first.
    read: Vec<Arc<FeedEvent>>,
    /// The log may contain more than was read.
    is_behind: bool,
}

impl Feed {
    pub(crate) fn new(
        store: Store,
        payloads: EventPayloadBuilder,
        stop: CancellationToken,
    ) -> Self {
        Self {
            store,
            payloads,
            news: broadcast::Sender::new(BUFFERED),
            stop,
        }
    }

    fn feed_event(&self, fact: &LoggedEvent) -> Option<Arc<FeedEvent>> {
        let payload = self.payloads.payload(fact)?;
        let (seq, kind) = (fact.seq, payload.kind);
        let is_for_admins = payload.audience == EventAudience::Admins;
        let document = Document {
            event_id: seq.to_string(),
            payload,
        };
        let document = serde_json::to_vec(&document).ok()?;
        Some(Arc::new(FeedEvent {
            seq,
            kind,
            is_for_admins,
            document: Bytes::from(document),
        }))
    }

    /// The task that reads the log.
    pub(crate) async fn run(self) {
        let mut wakeups = self.store.event_wakeups();
        let mut seq = *wakeups.borrow();
        loop {
            wakeups.mark_unchanged();
            let pause = match self.read_on(&mut seq).await {
                Ok(()) => LOOK_EVERY,
                Err(error) => {
                    tracing::warn!(%error, "cannot read the event log for listeners");
                    DATABASE_PAUSE
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => return,
                changed = wakeups.changed(), if pause == LOOK_EVERY => if changed.is_err() { return },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn read_on(&self, seq: &mut i64) -> Result<(), StoreError> {
        loop {
            let facts = self.store.events_after(*seq).await?;
            let Some(last) = facts.last() else {
                return Ok(());
            };
            *seq = last.seq;
            if self.news.receiver_count() == 0 {
                continue;
            }
            for feed_event in facts.iter().filter_map(|fact| self.feed_event(fact)) {
                // Having no listeners is no reason to stop reading.
                drop(self.news.send(feed_event));
            }
        }
    }

    /// A position after `last`, or at the end for a new listener; events before `since` are withheld. The flag says
    /// that the listener does not get everything it missed.
    pub(crate) async fn enter(
        &self,
        last: Option<i64>,
        since: Option<Timestamp>,
    ) -> Result<(FeedCursor, bool), StoreError> {
        let news = self.news.subscribe();
        let (pruned, newest) = self.store.event_bounds().await?;
        let kept_back = match since {
            Some(since) => self.store.last_event_before(since).await?,
            None => 0,
        };
        let missing = pruned.max(kept_back);
        let (seq, has_gap) = match last {
            None => (newest, false),
            // A number we never assigned: another database, or a restored one.
            Some(last) if last > newest || last < 0 => (newest, true),
            Some(last) => (last.max(missing), last < missing),
        };
        let cursor = FeedCursor {
            feed: self.clone(),
            seq,
            news,
            read: Vec::new(),
            is_behind: seq < newest,
        };
        Ok((cursor, has_gap))
    }
}

impl FeedCursor {
    /// The listener's position.
    pub(crate) fn seq(&self) -> i64 {
        self.seq
    }

    /// The next event. Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Result<Arc<FeedEvent>, StoreError> {
        loop {
            if let Some(feed_event) = self.read.pop() {
                self.seq = self.seq.max(feed_event.seq);
                return Ok(feed_event);
            }
            if self.is_behind {
                let store = &self.feed.store;
                let facts = store.some_events_after(self.seq, READ_AT_ONCE).await?;
                let feed = &self.feed;
                self.read = facts
                    .iter()
                    .rev()
                    .filter_map(|fact| feed.feed_event(fact))
                    .collect();
                match facts.last() {
                    // Events that are not for others are skipped.
                    Some(last) if self.read.is_empty() => self.seq = last.seq,
                    Some(_) => {}
                    None => self.is_behind = false,
                }
                continue;
            }
            let news = tokio::select! {
                news = self.news.recv() => news,
                () = self.feed.stop.cancelled() => Err(broadcast::error::RecvError::Closed),
            };
            match news {
                Ok(feed_event) if feed_event.seq > self.seq => {
                    self.seq = feed_event.seq;
                    return Ok(feed_event);
                }
                // Already read from the log.
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => self.is_behind = true,
                Err(broadcast::error::RecvError::Closed) => {
                    return Err(StoreError::Unavailable("the server is stopping".into()));
                }
            }
        }
    }
}
