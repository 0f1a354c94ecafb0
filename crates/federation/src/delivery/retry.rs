//! What follows from an answer: done, retry, give up or gone; and what it says about the host. No IO.
//!
//! A post is worth less with every hour, and a host that is down is down for all its inboxes: so each delivery has a
//! schedule of growing pauses and a deadline, and a host that does not answer holds up only itself.

use std::time::Duration;

use jiff::Timestamp;
use store::federation::DeliveryKind;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// Pauses after the first failures, about a week in all; a delivery that fails once more is given up.
pub(super) const PAUSES: [Duration; 11] = [
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(30 * 60),
    HOUR,
    Duration::from_secs(3 * 3600),
    Duration::from_secs(6 * 3600),
    Duration::from_secs(12 * 3600),
    Duration::from_secs(24 * 3600),
    Duration::from_secs(48 * 3600),
    Duration::from_secs(72 * 3600),
];
/// Where the slow half of the schedule begins: for faults that people have to mend.
const SLOW_HALF: usize = 5;
/// A name that certainly has no address may get one again soon; after this many attempts it belongs to the slow half.
const HOPEFUL_LOOKUPS: u32 = 2;
/// The shortest pause a peer can ask for; a shorter one would let it be asked in a circle.
const MIN_RETRY_AFTER: Duration = Duration::from_secs(10);
/// The longest pause a peer can ask for by `Retry-After`; a longer one is cut.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// The longest time for which a host that fails is left alone; then one delivery tries it again, so that a fresh post
/// does not expire behind the long pauses of old ones.
const LONGEST_HOLD: Duration = HOUR;

/// What a host did with a request, after both knocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeliveryAnswer {
    /// It answered.
    Status {
        code: u16,
        /// From its `Retry-After`.
        retry_after: Option<Duration>,
        /// The start of its answer; most say there why they refuse.
        text: String,
    },
    /// It did not answer.
    Fault { kind: Fault, text: String },
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The name could not be resolved for now, perhaps because of our own network.
    Unresolved,
    /// The name has no address.
    Nameless,
    /// The certificate is invalid.
    Untrusted,
    /// No connection, no answer in time, or a broken one.
    Unreachable,
    /// Our own policy forbids the request, now and later.
    Forbidden,
    /// Our own fault: the request could not be made, or the task panicked.
    Ours,
}

impl DeliveryAnswer {
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            DeliveryAnswer::Status { code, .. } => Some(*code),
            DeliveryAnswer::Fault { .. } => None,
        }
    }

    /// Whether the host accepted it.
    pub(super) fn is_taken(&self) -> bool {
        self.status()
            .is_some_and(|code| class(code) == AnswerClass::Done)
    }

    /// The error text for the operator; a success needs none.
    pub(super) fn error(&self) -> Option<String> {
        match self {
            DeliveryAnswer::Status { code, .. } if (200..300).contains(code) => None,
            DeliveryAnswer::Status { code, .. } if (300..400).contains(code) => {
                Some("the inbox redirects, and redirects are not followed".into())
            }
            DeliveryAnswer::Status { code, text, .. } if text.is_empty() => {
                Some(format!("the inbox answered {code}"))
            }
            DeliveryAnswer::Status { code, text, .. } => {
                Some(format!("the inbox answered {code}: {text}"))
            }
            DeliveryAnswer::Fault { text, .. } => Some(text.clone()),
        }
    }

    /// Whether the answer points to a fault that people have to fix.
    pub(super) fn is_lasting(&self) -> bool {
        let kind = match self {
            DeliveryAnswer::Fault { kind, .. } => Some(kind),
            DeliveryAnswer::Status { .. } => None,
        };
        matches!(kind, Some(Fault::Nameless | Fault::Untrusted))
    }

    /// The label of its counter.
    pub(super) fn label(&self) -> &'static str {
        match self {
            DeliveryAnswer::Status { code, .. } => match code / 100 {
                2 => "2xx",
                3 => "3xx",
                4 => "4xx",
                _ => "5xx",
            },
            DeliveryAnswer::Fault { kind, .. } => match kind {
                Fault::Unresolved | Fault::Nameless => "unresolved",
                Fault::Untrusted => "untrusted",
                Fault::Unreachable => "unreachable",
                Fault::Forbidden => "forbidden",
                Fault::Ours => "fault",
            },
        }
    }
}

/// The decision about a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryVerdict {
    /// It arrived.
    Delivered,
    /// It is sent again at this time.
    Again(Timestamp),
    /// It will not get better, or it is too late.
    Failed,
    /// The inbox is gone for good.
    Gone,
}

/// What the schedule needs to know about a delivery, as it was before the attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryState {
    pub(super) id: i64,
    pub(super) attempts: u32,
    pub(super) expires_at: Timestamp,
    /// Nothing arrived anywhere lately, so our own network may be down.
    pub(super) is_all_failing: bool,
}

/// Decides about a delivery after this answer.
pub(super) fn judge(answer: &DeliveryAnswer, tried: RetryState, now: Timestamp) -> DeliveryVerdict {
    let class = match answer {
        DeliveryAnswer::Status { code, .. } => class(*code),
        DeliveryAnswer::Fault { kind, .. } => match kind {
            Fault::Nameless | Fault::Untrusted if tried.is_all_failing => AnswerClass::Passing,
            Fault::Nameless if tried.attempts < HOPEFUL_LOOKUPS => AnswerClass::Passing,
            Fault::Nameless | Fault::Untrusted => AnswerClass::Lasting,
            Fault::Unresolved | Fault::Unreachable | Fault::Ours => AnswerClass::Passing,
            Fault::Forbidden => AnswerClass::Final,
        },
    };
    let first_pause = match class {
        AnswerClass::Done => return DeliveryVerdict::Delivered,
        AnswerClass::Gone => return DeliveryVerdict::Gone,
        AnswerClass::Final => return DeliveryVerdict::Failed,
        AnswerClass::Passing => 0,
        AnswerClass::Lasting => SLOW_HALF,
    };
    let place = usize::try_from(tried.attempts).unwrap_or(usize::MAX);
    let pause = match answer {
        DeliveryAnswer::Status {
            retry_after: Some(wait),
            ..
        } => {
            let wait = (*wait).clamp(MIN_RETRY_AFTER, MAX_RETRY_AFTER);
            // Never before the time the peer asked for.
            (place < PAUSES.len()).then(|| wait + spread(wait, tried, 10))
        }
        _ => PAUSES
            .get(place.max(first_pause))
            .map(|pause| *pause - *pause / 5 + spread(*pause, tried, 40)),
    };
    match pause.map(|pause| now + pause) {
        Some(at) if at < tried.expires_at => DeliveryVerdict::Again(at),
        _ => DeliveryVerdict::Failed,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerClass {
    Done,
    /// Soon better.
    Passing,
    /// Better once somebody has fixed it.
    Lasting,
    Final,
    Gone,
}

fn class(code: u16) -> AnswerClass {
    match code {
        200..=299 => AnswerClass::Done,
        410 => AnswerClass::Gone,
        // After the second knock: the peer may have had trouble fetching our key.
        401 | 408 | 425 | 429 => AnswerClass::Passing,
        // A site that moved its inbox, or a proxy's error page.
        300..=399 => AnswerClass::Passing,
        501 | 505 => AnswerClass::Final,
        500..=599 => AnswerClass::Passing,
        _ => AnswerClass::Final,
    }
}

/// Up to `hundredths` percent of the pause, different for each attempt, so that a host that comes back does not get
/// everything at once.
fn spread(pause: Duration, tried: RetryState, hundredths: u32) -> Duration {
    let mixed = tried
        .id
        .wrapping_mul(7919)
        .wrapping_add(i64::from(tried.attempts).wrapping_mul(104_729))
        .rem_euclid(1000);
    let mixed = u32::try_from(mixed).unwrap_or(0);
    pause / 100_000 * (hundredths * mixed)
}

/// The circuit breaker of a host: while it fails, nothing is sent to it, whichever delivery waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostHealth {
    /// It accepted something.
    Well,
    /// It is failing, or asks to be left alone; nothing is sent to it for a while.
    Failing {
        /// When the pause ends.
        until: Timestamp,
    },
    /// It answers but refuses this delivery, which says nothing about others.
    Refusal,
    /// Nothing new.
    Nothing,
}

/// What an answer says about a host that had `failures` failures in a row before.
pub(super) fn host_health(answer: &DeliveryAnswer, failures: u32, now: Timestamp) -> HostHealth {
    match answer {
        answer if answer.is_taken() => HostHealth::Well,
        DeliveryAnswer::Status {
            code: 429 | 503,
            retry_after: Some(wait),
            ..
        } => HostHealth::Failing {
            until: now + (*wait).clamp(MIN_RETRY_AFTER, LONGEST_HOLD),
        },
        // A 500 is about this one activity, as far as anybody can tell.
        DeliveryAnswer::Status {
            code: 429 | 502 | 503 | 504,
            ..
        } => failing(failures, now),
        DeliveryAnswer::Status { .. } => HostHealth::Refusal,
        DeliveryAnswer::Fault { kind, .. } => match kind {
            Fault::Unresolved | Fault::Nameless | Fault::Untrusted | Fault::Unreachable => {
                failing(failures, now)
            }
            Fault::Forbidden | Fault::Ours => HostHealth::Nothing,
        },
    }
}

fn failing(failures: u32, now: Timestamp) -> HostHealth {
    let place = usize::try_from(failures).unwrap_or(usize::MAX);
    let pause = PAUSES.get(place).copied().unwrap_or(LONGEST_HOLD);
    HostHealth::Failing {
        until: now + pause.min(LONGEST_HOLD),
    }
}

/// Whether a second knock with the other scheme makes sense: not on statuses that mean a block, and not for a host
/// known to understand only one scheme.
pub(super) fn wants_second_knock(code: u16) -> bool {
    matches!(code, 400 | 401)
}

/// How long after being queued a delivery is given up.
pub(super) fn life(kind: DeliveryKind) -> Duration {
    match kind {
        // Half a day later it is no longer news.
        DeliveryKind::GoLive => 12 * HOUR,
        // The next ping says the same.
        DeliveryKind::Offer => 4 * MINUTE,
        // A directory that misses the end notices the missing pings.
        DeliveryKind::Leave => 30 * MINUTE,
        // A one-time code is good for ten minutes.
        DeliveryKind::Direct => 10 * MINUTE,
        DeliveryKind::Post
        | DeliveryKind::Update
        | DeliveryKind::Delete
        | DeliveryKind::Move
        | DeliveryKind::Accept
        | DeliveryKind::Reject
        | DeliveryKind::Follow
        | DeliveryKind::Undo
        | DeliveryKind::Quote => 7 * 24 * HOUR,
    }
}

#[cfg(test)]
mod tests;
