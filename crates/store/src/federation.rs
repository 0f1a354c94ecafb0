//! Stored Fediverse data: followers, what we publish and send, what others send us.
//!
//! Every change is committed together with the activities and events that follow from it: see [`Effects`]. When to
//! retry, whom to trust and what to publish is not decided here.
//!
//! Start with [`FederationTables`], which [`Store::federation`](crate::Store::federation) returns.

mod change;
mod deliveries;
mod effects;
mod engagement;
mod engagements;
mod followers;
mod handover;
mod host_names;
mod hosts;
mod inbox;
mod keys;
mod media;
mod names;
mod object;
mod objects;
mod outgoing;
mod posts;
mod published;
mod quote_authorizations;
mod reports;
mod seen;
mod servers;
mod tables;

pub use deliveries::{
    ClaimedDelivery, Delivery, DeliveryFilter, DeliveryOutcome, DeliveryState, HostFailure,
    QueueSummary, Settlement,
};
pub use effects::{Effects, MAX_RAW_ACTIVITIES};
pub use engagement::{Engagement, EngagementKind, RecordResult};
pub use engagements::{LoggedEngagement, MAX_ENGAGEMENTS};
pub use followers::{
    FollowResult, Follower, FollowerAbsence, FollowerFilter, FollowerProfile, FollowerState,
    MAX_BLOCKED_BY, NewFollower, UndoResult, ValidationResult,
};
pub use handover::{
    CONTACT_EVERY, Contact, HandoverOutcome, HandoverProgress, KeyChange, MAX_CONTACTS,
};
pub use host_names::host_of;
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
pub use object::{NewObject, ObjectKind};
pub use objects::StoredObject;
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
pub use tables::{FederationTables, PAGE_SIZE};

use change::ChangeResult;
use host_names::is_within;
use tables::offset_of;
