//! Detects HTTP/2 connections that only keep-alive pings keep open.
//!
//! Answered pings keep an HTTP/2 connection open forever, even if the peer requests nothing or does not read the
//! answers. HTTP/1 needs no such watch: its header timeout and the stall limit on writes cover both cases.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// A connection without requests is closed after this long.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// Bytes that a connection may send after its last request while nothing is asked for: pings and settings, and no end of
/// them. It has to be looked at before they are a load.
const IDLE_BYTES: u64 = 256 * 1024;
/// A peer that takes nothing of its answers for this long is cut: they wait in our memory.
const STALL_LIMIT: Duration = Duration::from_secs(15);

/// A peer that takes an answer more slowly than this on the whole is cut, too: in drops it could be kept for hours.
const SLOWEST_BYTES_PER_SECOND: u64 = 16 * 1024;

/// Why a connection should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeoutReason {
    /// No requests.
    Idle,
    /// Answers are not read.
    Stalled,
    /// No requests, but very many bytes.
    Noisy,
}

/// The activity on a connection; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    opened: Instant,
    state: Arc<ActivityState>,
}

#[derive(Debug, Default)]
struct ActivityState {
    /// Milliseconds from the opening to the last activity.
    last: AtomicU64,
    /// Answers with more data that the peer has no window for, each with the time it was last polled. Each one counts
    /// separately: a peer must not keep one answer in our memory by requesting others.
    pending: Mutex<HashMap<u64, PendingResponse>>,
    next: AtomicU64,
    /// Requests and answers under way.
    open: AtomicUsize,
    /// Bytes received in total, and the count at the last activity.
    received: Arc<AtomicU64>,
    received_before: AtomicU64,
}

/// An answer the peer has not read yet.
#[derive(Clone, Copy, Debug)]
struct PendingResponse {
    /// When it was last polled for more.
    since: Instant,
    /// When it must be complete.
    until: Instant,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            opened: Instant::now(),
            state: Arc::default(),
        }
    }

    pub(super) fn note(&self) {
        let millis = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.state.last.store(millis, Ordering::Relaxed);
        let received = self.state.received.load(Ordering::Relaxed);
        self.state
            .received_before
            .store(received, Ordering::Relaxed);
    }

    /// The counter of received bytes.
    pub(super) fn received(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.state.received)
    }

    /// Records a request, which is under way until the returned value is dropped.
    pub(super) fn ask(&self) -> RequestInFlight {
        self.note();
        self.state.open.fetch_add(1, Ordering::Relaxed);
        RequestInFlight(self.clone())
    }

    /// Returns once the connection has been idle or stalled for too long.
    pub(super) async fn quiet(&self) -> TimeoutReason {
        loop {
            if let Some(quiet) = self.quiet_at(Instant::now()) {
                return quiet;
            }
            tokio::time::sleep(STALL_LIMIT / 5).await;
        }
    }

    fn quiet_at(&self, now: Instant) -> Option<TimeoutReason> {
        let last = self.opened + Duration::from_millis(self.state.last.load(Ordering::Relaxed));
        let is_asked_for_nothing = self.state.open.load(Ordering::Relaxed) == 0;
        if self.is_owed_too_long(now) {
            return Some(TimeoutReason::Stalled);
        }
        if is_asked_for_nothing && self.idle_bytes() > IDLE_BYTES {
            return Some(TimeoutReason::Noisy);
        }
        (is_asked_for_nothing && last + IDLE_LIMIT <= now).then_some(TimeoutReason::Idle)
    }

    fn idle_bytes(&self) -> u64 {
        let before = self.state.received_before.load(Ordering::Relaxed);
        let now = self.state.received.load(Ordering::Relaxed);
        now.saturating_sub(before)
    }

    fn is_owed_too_long(&self, now: Instant) -> bool {
        let pending = self.pending();
        pending
            .values()
            .any(|pending| pending.since + STALL_LIMIT <= now || pending.until <= now)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, PendingResponse>> {
        self.state
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Wraps an answer so that every step is recorded.
    pub(super) fn watch(&self, body: Body) -> Body {
        self.note();
        self.state.open.fetch_add(1, Ordering::Relaxed);
        let id = self.state.next.fetch_add(1, Ordering::Relaxed);
        let length = hyper::body::Body::size_hint(&body).exact().unwrap_or(0);
        let now = Instant::now();
        let until = now + STALL_LIMIT + Duration::from_secs(length / SLOWEST_BYTES_PER_SECOND);
        self.pending()
            .insert(id, PendingResponse { since: now, until });
        Body::new(WatchedBody {
            activity: self.clone(),
            id,
            until,
            inner: body,
        })
    }
}

/// A request that is not answered yet.
pub(super) struct RequestInFlight(Activity);

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.note();
        self.0.state.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// hyper polls a body only when the peer has window, so "not polled" means "not read".
struct WatchedBody {
    activity: Activity,
    id: u64,
    until: Instant,
    inner: Body,
}

impl hyper::body::Body for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.activity.note();
        let frame = Pin::new(&mut self.inner).poll_frame(cx);
        let mut pending = self.activity.pending();
        if frame.is_ready() {
            let (since, until) = (Instant::now(), self.until);
            pending.insert(self.id, PendingResponse { since, until });
        } else {
            pending.remove(&self.id);
        }
        drop(pending);
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.activity.pending().remove(&self.id);
        self.activity.state.open.fetch_sub(1, Ordering::Relaxed);
        self.activity.note();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_sends_much_and_asks_for_nothing_is_ended() {
        let activity = Activity::new();
        let now = activity.opened;
        let receive = |bytes: u64| {
            activity.received().fetch_add(bytes, Ordering::Relaxed);
            activity.quiet_at(now)
        };
        let asked = activity.ask();
        assert_eq!(receive(50 << 20), None, "an upload is under way");
        drop(asked);
        assert_eq!(receive(IDLE_BYTES), None, "answers to our own pings");
        assert_eq!(receive(1), Some(TimeoutReason::Noisy));
        drop(activity.ask());
        assert_eq!(activity.quiet_at(now), None, "something was asked for");
    }

    #[test]
    fn a_connection_without_requests_is_ended_after_a_minute() {
        let activity = Activity::new();
        let after = |limit| activity.quiet_at(activity.opened + limit);
        assert_eq!(after(IDLE_LIMIT / 2), None);
        assert_eq!(after(IDLE_LIMIT), Some(TimeoutReason::Idle));
        let _asked = activity.ask();
        assert_eq!(after(IDLE_LIMIT * 2), None);
    }
}
