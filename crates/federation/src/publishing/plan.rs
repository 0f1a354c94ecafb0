//! When something is published about the stream. No IO.
//!
//! Nothing is kept in memory: the plan is made from what the database knows (the current broadcast, the last post about
//! one, the last ping), so a process that is killed and restarted neither repeats nor forgets anything.

use std::time::Duration;

use jiff::Timestamp;

/// Between two pings while the stream is on; directories take a stream for over after two that are missing.
const OFFER_EVERY: Duration = Duration::from_secs(5 * 60);
/// Pings come up to this much earlier or later, so that a directory is not called by everybody in the same second.
const OFFER_JITTER: Duration = Duration::from_secs(20);
/// A post about a broadcast that could not be sent in time is worth nothing this long after it was due.
const TOO_LATE: Duration = Duration::from_secs(10 * 60);

/// The operator's settings for go-live posts.
#[derive(Clone, Copy, Debug)]
pub(super) struct GoLivePolicy {
    /// From the start of a broadcast to its post, so that a picture is available.
    pub(super) delay: Duration,
    /// Minimum time between two posts.
    pub(super) cooldown: Duration,
    /// Whether there is a text for the post.
    pub(super) has_message: bool,
}

/// What is known about the stream and about what was published.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BroadcastState {
    /// When the current broadcast began, according to the history.
    pub(super) live_since: Option<Timestamp>,
    /// Whether it can be watched right now; after a restart the publisher has to reconnect first.
    pub(super) is_online: bool,
    /// When followers were last told about a broadcast.
    pub(super) last_post: Option<Timestamp>,
    /// The last message to directories.
    pub(super) last_status: Option<(PingKind, Timestamp)>,
}

/// The messages that directories get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PingKind {
    /// The stream is live.
    Offer,
    /// The stream is over.
    Leave,
}

/// When to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DueTime {
    /// Never, in the current state.
    Never,
    /// At that time, or now if it is past.
    At(Timestamp),
}

impl DueTime {
    pub(super) fn is_due(self, now: Timestamp) -> bool {
        matches!(self, DueTime::At(at) if at <= now)
    }

    pub(super) fn time(self) -> Option<Timestamp> {
        match self {
            DueTime::Never => None,
            DueTime::At(at) => Some(at),
        }
    }
}

/// When to tell followers that the stream is live.
pub(super) fn go_live(state: &BroadcastState, policy: &GoLivePolicy, now: Timestamp) -> DueTime {
    let (Some(since), true) = (state.live_since, state.is_online) else {
        return DueTime::Never;
    };
    let due = since + policy.delay;
    // Measured from when it was due, not from now: so the answer is the same after a restart.
    let is_too_soon = state.last_post.is_some_and(|at| at > due - policy.cooldown);
    let is_said = state.last_post.is_some_and(|at| at >= since);
    let is_stale = now > due + TOO_LATE;
    match policy.has_message && !is_too_soon && !is_said && !is_stale {
        true => DueTime::At(due),
        false => DueTime::Never,
    }
}

/// When to tell directories that the stream is live.
pub(super) fn offer(state: &BroadcastState) -> DueTime {
    let (Some(since), true) = (state.live_since, state.is_online) else {
        return DueTime::Never;
    };
    match state.last_status {
        Some((PingKind::Offer, last)) if last >= since => DueTime::At(last + until_next(last)),
        // The first ping of this broadcast, or of this process after a Leave.
        _ => DueTime::At(since),
    }
}

/// Whether directories still think the stream is live although it is over.
pub(super) fn owes_leave(state: &BroadcastState) -> bool {
    state.live_since.is_none() && owes_parting(state)
}

/// Whether a stopping process has to send Leave.
pub(super) fn owes_parting(state: &BroadcastState) -> bool {
    matches!(state.last_status, Some((PingKind::Offer, _)))
}

/// Five minutes, give or take; a different value after each ping.
fn until_next(last: Timestamp) -> Duration {
    let width = OFFER_JITTER.as_millis() as i64 * 2 + 1;
    let mixed = last.as_millisecond().wrapping_mul(7919).rem_euclid(width);
    OFFER_EVERY - OFFER_JITTER + Duration::from_millis(mixed.unsigned_abs())
}

#[cfg(test)]
mod tests;
