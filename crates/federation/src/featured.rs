//! Other servers that the operator shows beside the stream.
//!
//! Featuring a server means following its actor with a mark that makes us a directory to it: once it agrees, it tells
//! us when it is live (Offer) and when it is over (Leave). A server not heard from for eleven minutes counts as over
//! too: see [`SILENCE`].

mod refresh;

use std::time::Duration;

use jiff::Timestamp;
use outbound::Url;
use store::StoreError;
use store::federation::{
    AddServerResult, DeliveryKind, Direction, Effects, FollowStatus, MAX_SERVERS, NewServer,
    Server, ServerProfile,
};

use crate::document::activity;
use crate::followers::ANSWER_LENGTH;
use crate::lookup::{Account, LookupError};
use crate::names::authority;
use crate::{Federation, Unready, blocks};

pub use refresh::{SILENCE, run};

/// A server that has not answered for this long is shown to the operator as silent.
const ANSWER_PATIENCE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Programs that tell others when they are live.
const FRIENDS: [&str; 2] = [model::product::NAME, "owncast"];

/// Why a server cannot be featured; the texts are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum FeatureError {
    /// The lookup failed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// It is this server.
    #[error("this is your own server")]
    Own,
    /// Its domain is blocked.
    #[error("this server is blocked")]
    Blocked,
    /// It is in the list already.
    #[error("this server is already featured")]
    Known,
    /// The list is full.
    #[error("there are already {MAX_SERVERS} featured servers, which is the limit")]
    TooMany,
    /// It does not take part in federation.
    #[error("this server does not take part in the Fediverse, or federation is switched off there")]
    NotFederated,
    /// It runs other software.
    #[error("this server runs {0:?}, which does not tell others when it is live")]
    OtherSoftware(String),
    /// It runs the right software, but too old a version.
    #[error("this server is too old to tell others when it is live")]
    Unsupported,
    /// Its account leads to another server or to no actor.
    #[error("the account of this server cannot be used")]
    Account,
    /// No such server in the list.
    #[error("there is no such featured server")]
    Unknown,
    /// The stream has no name in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FeatureError {
    /// A code for programs; the text is for people.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Lookup(_) => "UNREACHABLE",
            Self::Own => "OWN_SERVER",
            Self::Blocked => "BLOCKED_DOMAIN",
            Self::Known => "ALREADY_FEATURED",
            Self::TooMany => "TOO_MANY",
            Self::NotFederated => "NOT_FEDERATED",
            Self::OtherSoftware(_) => "UNSUPPORTED_SOFTWARE",
            Self::Unsupported => "UNSUPPORTED_FEATURED_STREAMS",
            Self::Account => "UNUSABLE_ACCOUNT",
            Self::Unknown => "UNKNOWN",
            Self::Unready(_) => "FEDERATION_OFF",
            Self::Store(_) => "INTERNAL",
        }
    }
}

impl Federation {
    /// Asks a server whether we may feature it; it stays pending until it agrees.
    pub async fn feature(&self, typed: &str) -> Result<Server, FeatureError> {
        let profile = self.ready().await?;
        let base = self.0.lookup.address(typed)?;
        let host = authority(&base).ok_or(LookupError::Address)?;
        if host == profile.names.host() {
            return Err(FeatureError::Own);
        }
        if blocks::blocks(&self.0.settings.now(), &host) {
            return Err(FeatureError::Blocked);
        }
        let iri = format!("https://{host}");
        let known = self.0.tables.server_by_iri(&iri).await?;
        if known.is_some_and(|known| !known.is_unsolicited) {
            return Err(FeatureError::Known);
        }
        let account = self.account_of(&base, &host).await?;
        let located = self.0.lookup.account(&account).await?;
        if authority(&located.actor).as_ref() != Some(&host) {
            return Err(FeatureError::Account);
        }
        let person = self.person(located.actor.as_str()).await;
        let person = person.map_err(|error| {
            tracing::info!(%error, host, "the account of a server cannot be used");
            FeatureError::Account
        })?;
        let follow = profile.names.new_follow();
        let presence = self.0.presence();
        let activity = activity::follow(&profile, &follow, &person.id, presence);
        let effects = self.to_inbox(
            &activity,
            DeliveryKind::Follow,
            &person.inbox,
            ANSWER_LENGTH,
        );
        let server = NewServer {
            iri,
            actor_iri: person.id,
            inbox: person.inbox,
            follow_id: follow,
            followed_as: profile.names.username().to_owned(),
            profile: ServerProfile {
                username: person.username,
                display_name: person.name.clone(),
                name: person.name,
                summary: String::new(),
                logo_url: person.image,
            },
        };
        let now = self.0.clock.now();
        match self.0.tables.add_server(server, effects, now).await? {
            AddServerResult::Asked(id) => {
                let added = self.0.tables.server(id).await?;
                added.ok_or(FeatureError::Unknown)
            }
            AddServerResult::Known(_) => Err(FeatureError::Known),
            AddServerResult::Full => Err(FeatureError::TooMany),
        }
    }

    /// Finds the server's account and checks that what the server says about itself is consistent.
    async fn account_of(&self, base: &Url, host: &str) -> Result<Account, FeatureError> {
        let info = match self.0.lookup.server(base).await {
            Ok(info) => info,
            Err(LookupError::Unknown) => return Err(FeatureError::NotFederated),
            Err(error) => return Err(error.into()),
        };
        if !info.speaks_activitypub {
            return Err(FeatureError::NotFederated);
        }
        if !FRIENDS.contains(&info.software.as_str()) {
            return Err(FeatureError::OtherSoftware(info.software));
        }
        if info.featured_streams < 1 {
            return Err(FeatureError::Unsupported);
        }
        let account = Account::new(&info.username.unwrap_or_default(), host);
        account.ok_or(FeatureError::Account)
    }

    /// Stops showing a server, and tells it so.
    pub async fn unfeature(&self, id: i64) -> Result<(), FeatureError> {
        let server = self.0.tables.server(id).await?;
        let server = server.ok_or(FeatureError::Unknown)?;
        // A server that announced itself was never sent a Follow.
        let effects = match (&server.follow_id, &server.inbox) {
            (Some(follow), Some(inbox)) => {
                let profile = self.known_profile().await?;
                let presence = self.0.presence();
                let asker = server.followed_as.as_deref().unwrap_or_default();
                let asker = profile.speaking_as(&profile.names.under(asker).actor());
                let undo = activity::undo_follow(&asker, follow, &server.actor_iri, presence);
                let mut outgoing =
                    self.outgoing_activity(&undo, DeliveryKind::Undo, inbox, ANSWER_LENGTH);
                outgoing.signer = profile.signer_of(&asker);
                Effects {
                    outgoing: vec![outgoing],
                    ..Effects::default()
                }
            }
            _ => Effects::default(),
        };
        let now = self.0.clock.now();
        let removed = self.0.tables.remove_server(id, effects, now).await?;
        removed.map(drop).ok_or(FeatureError::Unknown)
    }

    /// Moves a server in the list by one place; at the end of the list nothing happens.
    pub async fn move_featured(&self, id: i64, direction: Direction) -> Result<(), FeatureError> {
        let known = self.0.tables.server(id).await?;
        known.ok_or(FeatureError::Unknown)?;
        self.0.tables.reorder_server(id, direction).await?;
        Ok(())
    }
}

/// Whether a server was asked long ago and has not answered.
#[must_use]
pub fn is_silent(server: &Server, now: Timestamp) -> bool {
    let is_late = |at: Timestamp| at + ANSWER_PATIENCE <= now;
    server.follow_status == FollowStatus::Pending && server.followed_at.is_some_and(is_late)
}
