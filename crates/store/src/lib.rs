//! SQL and nothing else: SQLite by default, PostgreSQL from the same text.
//!
//! Every statement of the program is a static string in this crate, written so that both databases understand it
//! (columns are TEXT, BIGINT, DOUBLE PRECISION and BLOB; times are Unix milliseconds; booleans are 0 and 1).
//!
//! Reads go through a pool. Writes are *units of work* sent to one writer task, which runs each in a savepoint, commits
//! a group of them at once and answers after the commit: an acknowledged write survives `kill -9`, and a failing unit
//! cannot take its neighbours with it. That task is also the one ordering point of the event log.
//!
//! Start with [`Store`], then [`settings::Settings`].

mod access_tokens;
mod address;
mod admin;
mod audience;
mod backup;
mod chat;
mod database;
mod dialect;
mod error;
mod events;
pub mod federation;
mod files;
mod group_commit;
mod joining;
mod lease;
mod leases;
mod log_follower;
mod log_rows;
mod log_watch;
mod migrate;
mod nodes;
mod opening;
mod operator;
mod playlist_position;
pub mod plugins;
mod recordings;
pub mod schedule;
mod secrets;
mod sessions;
pub mod settings;
mod short_lived;
mod stream_details;
mod streams;
mod tokens;
mod told_groups;
mod users;
mod vault;
mod webhooks;
mod writer;

pub use access_tokens::{MAX_ACCESS_TOKENS, TokenKey};
pub use address::DatabaseUrl;
pub use admin::AdminPassword;
pub use audience::{
    AudiencePoint, AudienceSample, AudienceStep, MINUTES_KEPT, QUARTERS_KEPT, SampledStream,
    StreamTotals,
};
pub use backup::snapshot_sqlite;
pub use chat::{
    Action, Actor, AddressBan, AttachedIdentity, Card, ChatCounts, ChatMessage, ExportedMessage,
    LineGap, LogEntry, MAX_INVITATIONS, MAX_PAGE, MessageKind, ModeratorInvitation, NewMessage,
    OwnDeletion, PinnedMessage, PostResult, RenameResult, ReplayCursor, Reply, UserFilter,
    UserPage,
};
pub use database::Store;
pub use error::{OpenError, StoreError, VaultError};
pub use events::{MAX_CHAT_EVENT_AGE, MAX_EVENT_AGE, MAX_EVENT_ROWS};
pub use files::{FileFacts, LOGO, StoredFile};
pub use group_commit::{GroupCommit, Wake};
pub use joining::NODE_IS_SILENT_AFTER;
pub use lease::{Lease, LeaseName, LeaseRow};
pub use leases::Leases;
pub use log_follower::LogFollower;
pub use nodes::{NewNode, NodeRecord};
pub use playlist_position::PlaylistPosition;
pub use recordings::{
    ARCHIVE_CURSOR, Chapter, ChapterKind, MAX_CHAPTERS, Recording, RecordingChange, RecordingChunk,
    RecordingPage, RecordingQuery, new_recording_id,
};
pub use sessions::AdminSession;
pub use short_lived::{Afterwards, ShortLived, ShortLivedLimits};
pub use stream_details::{
    MAX_INCIDENTS, MAX_REFERRERS, OTHER_REFERRERS, StreamIncident, StreamReferrer,
};
pub use streams::StreamRecord;
pub use tokens::Token;
pub use users::{NewUser, User, UserKind};
pub use webhooks::{
    MAX_WAITING, MAX_WAITING_AGE, MAX_WEBHOOKS, NewWebhook, NextDelivery, ResendResult, Webhook,
    WebhookAttempt, WebhookChange, WebhookDelivery, WebhookDeliveryState, WebhookHealth,
    WebhookNotice, WebhookQueue, WebhookVerdict,
};
pub use writer::{MAX_GROUP, QUEUE_CAPACITY, Tx};
