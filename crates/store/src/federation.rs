//! Stored Fediverse data: followers, what we publish and send, what others send us.
//!
//! Every change is committed together with the activities and events that follow from it: see [`Effects`]. When to
//! retry, whom to trust and what to publish is not decided here.
//!
//! Start with [`FederationTables`], which [`Store::federation`] returns.

mod deliveries;
mod effects;
mod engagements;
mod followers;
mod handover;
mod hosts;
mod inbox;
mod keys;
mod media;
mod names;
mod objects;
mod outgoing;
mod posts;
mod published;
mod quote_authorizations;
mod reports;
mod seen;
mod servers;

pub use deliveries::{
    ClaimedDelivery, Delivery, DeliveryFilter, DeliveryOutcome, DeliveryState, HostFailure,
    QueueSummary, Settlement,
};
pub use effects::{Effects, MAX_RAW_ACTIVITIES};
pub use engagements::{
    Engagement, EngagementKind, LoggedEngagement, MAX_ENGAGEMENTS, RecordResult,
};
pub use followers::{
    FollowResult, Follower, FollowerAbsence, FollowerFilter, FollowerProfile, FollowerState,
    MAX_BLOCKED_BY, NewFollower, UndoResult, ValidationResult,
};
pub use handover::{
    CONTACT_EVERY, Contact, HandoverOutcome, HandoverProgress, KeyChange, MAX_CONTACTS,
};
pub use hosts::{
    GoneInboxResult, Host, HostState, RefusingHost, SignatureScheme, UNAVAILABLE_AFTER_DAYS,
};
pub use inbox::{
    EnqueueResult, InboxCapacity, InboxEntry, MAX_INBOX_ATTEMPTS, MAX_INBOX_BYTES,
    MAX_INBOX_ENTRIES, MAX_INBOX_PER_KEY, MAX_UNPROVEN_BYTES, MAX_UNPROVEN_BYTES_PER_HOST,
    MAX_UNPROVEN_ENTRIES, MAX_UNPROVEN_PER_HOST, MAX_UNPROVEN_PER_KEY, NewInboxEntry,
};
pub use keys::{KeyAbsence, KeyRecord, MAX_KEYS, StoredKey};
pub use names::FormerUsername;
pub use objects::{NewObject, ObjectKind, StoredObject};
pub use outgoing::{
    DeliveryAudience, DeliveryKind, MAX_WAITING_ANSWERS, MAX_WAITING_ANSWERS_FOR_HOST,
    MAX_WAITING_DELIVERIES, MAX_WAITING_FOR_INBOX, OutgoingActivity,
};
pub use posts::{INBOUND_AGE, InboundKind, InboundPost, MAX_INBOUND_POSTS, NewInboundPost};
pub use published::PublishedPost;
pub use quote_authorizations::{
    MAX_QUOTE_AUTHORIZATIONS, NewQuoteAuthorization, QuoteAuthorization,
};
pub use reports::{AbuseReport, MAX_REPORTS, NewAbuseReport};
pub use seen::{SeenActivity, UNDONE_FOLLOW_AGE};
pub use servers::{
    AddServerResult, Direction, FollowStatus, MAX_SERVERS, MAX_UNSOLICITED, NewServer,
    OFFER_SPACING, OfferResult, Server, ServerProfile, StreamMetadata,
};

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Items on a page of a collection that other servers read.
pub const PAGE_SIZE: u32 = 50;

/// Access to the federation tables: a cloneable handle.
#[derive(Clone, Debug)]
pub struct FederationTables {
    pub(crate) store: Store,
}

impl Store {
    pub fn federation(&self) -> FederationTables {
        FederationTables {
            store: self.clone(),
        }
    }
}

/// Whether a change happened, and so which effects follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeResult {
    /// Yes.
    Done,
    /// It had happened before: activities are sent again, events are not logged again.
    Known,
    /// No: the activity is marked as handled, nothing is sent or logged.
    Nothing,
}

impl ChangeResult {
    fn when(is_done: bool) -> Self {
        match is_done {
            true => ChangeResult::Done,
            false => ChangeResult::Nothing,
        }
    }
}

impl FederationTables {
    /// Runs `work` and, in the same transaction, its effects.
    async fn change<T, F>(&self, effects: Effects, at: Timestamp, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<(T, ChangeResult), StoreError>>
            + Send
            + 'static,
    {
        let wakeups = self.store.outgoing.clone();
        let is_sending = !effects.outgoing.is_empty();
        self.store
            .write_events_and(
                at,
                move |tx| {
                    Box::pin(async move {
                        let mut events = effects.note(&mut *tx, at).await?;
                        let (value, change) = work(&mut *tx).await?;
                        match change {
                            ChangeResult::Done => events.extend(effects.carry_out(tx, at).await?),
                            ChangeResult::Known => drop(effects.carry_out(tx, at).await?),
                            ChangeResult::Nothing => {}
                        }
                        Ok((value, events))
                    })
                },
                move |_| {
                    if is_sending {
                        wakeups.send_replace(());
                    }
                },
            )
            .await
    }

    /// Commits effects that have no other cause: something to send, log or note.
    pub async fn send(&self, effects: Effects, at: Timestamp) -> Result<(), StoreError> {
        self.change(effects, at, |_| {
            Box::pin(async { Ok(((), ChangeResult::Done)) })
        })
        .await
    }

    /// Queues one activity that has no other cause. False if it was queued for no inbox: the server is unavailable or
    /// gone, or too much is waiting for it.
    pub async fn send_one(&self, one: OutgoingActivity, at: Timestamp) -> Result<bool, StoreError> {
        let wakeups = self.store.outgoing.clone();
        let queued = self
            .store
            .write(move |tx| Box::pin(async move { outgoing::enqueue(tx, &one, at).await }))
            .await?;
        if queued > 0 {
            wakeups.send_replace(());
        }
        Ok(queued > 0)
    }
}

/// The authority of an address: lower case, with its port if it names one. Stored addresses were checked before.
pub fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    host.to_ascii_lowercase()
}

/// Whether a host is this domain or a subdomain of it.
fn is_within(host: &str, domain: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    name == domain
        || name
            .strip_suffix(domain)
            .is_some_and(|rest| rest.ends_with('.'))
}

/// The offset of a page; pages count from 1.
fn offset_of(page: u32) -> i64 {
    i64::from(page.saturating_sub(1)) * i64::from(PAGE_SIZE)
}

#[cfg(test)]
mod tests {
    use super::{host_of, is_within};

    #[test]
    fn a_host_is_read_from_an_address() {
        for (address, host) in [
            ("https://Remote.Example/users/alice", "remote.example"),
            (
                "https://remote.example:8443/inbox?x=/",
                "remote.example:8443",
            ),
            ("https://remote.example", "remote.example"),
            ("https://u@remote.example#x", "remote.example"),
        ] {
            assert_eq!(host_of(address), host);
        }
    }

    // Case 63 of docs/federation-cases.md.
    #[test]
    fn a_domain_covers_what_is_below_it_and_nothing_beside_it() {
        assert!(is_within("example.com", "example.com"));
        assert!(is_within("a.example.com", "example.com"));
        assert!(is_within("a.example.com:8443", "example.com"));
        assert!(!is_within("notexample.com", "example.com"));
        assert!(!is_within("example.com.evil", "example.com"));
    }
}
