//! A proven activity, and what handlers need to decide what follows from it.

use std::time::Duration;

use jiff::Timestamp;
use model::fediverse::RemoteActor;
use outbound::{FetchBudget, Retry};
use serde_json::Value;
use store::StoreError;
use store::federation::{Effects, FollowerProfile, ObjectKind, StoredObject};

use crate::document::metadata::COMMON_NAMESPACE;
use crate::fetch::{Document, FetchProblem};
use crate::handle::FederationShared;
use crate::profile::ActorProfile;
use crate::wire::{Person, ReceivedActivity, id_of, same_iri};

/// How long an answer to a request is tried to be delivered.
pub(super) const ANSWER_LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Why a handler wrote nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandlerError {
    /// There is nothing to do, now or later.
    #[error("{0}")]
    Ignored(&'static str),
    /// Another server did not answer; it may later.
    #[error("a document could not be had: {0}")]
    Later(FetchProblem),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// `Ok` means that the effects were committed, together with the mark that the activity was handled.
pub(super) type HandlerResult = Result<(), HandlerError>;

/// Ends a handler that has nothing to do.
pub(super) fn ignored<T>(why: &'static str) -> Result<T, HandlerError> {
    Err(HandlerError::Ignored(why))
}

/// An activity whose author is proven.
#[derive(Debug)]
pub(super) struct InboxContext<'a> {
    pub(super) shared: &'a FederationShared,
    /// Our account at this moment.
    pub(super) profile: &'a ActorProfile,
    pub(super) activity: &'a ReceivedActivity,
    /// The actor who signed the activity, and so performed it.
    pub(super) actor: &'a str,
    pub(super) now: Timestamp,
    /// What may still be fetched because of it.
    pub(super) budget: &'a FetchBudget,
    /// Effects that are committed in any case.
    pub(super) base: Effects,
}

impl InboxContext<'_> {
    /// Effects to add to; they already mark the activity as handled.
    pub(super) fn effects(&self) -> Effects {
        self.base.clone()
    }

    /// Its id; only kinds that may come without one have none.
    pub(super) fn id(&self) -> &str {
        self.activity.id.as_deref().unwrap_or_default()
    }

    /// The namespaces that describe streams: ours and the common one.
    pub(super) fn namespaces(&self) -> [&str; 2] {
        [&self.profile.namespace, COMMON_NAMESPACE]
    }

    /// Whether `iri` is our account, under its present name or a former one.
    pub(super) fn is_us(&self, iri: &str) -> bool {
        self.profile
            .names
            .username_in(iri)
            .is_some_and(|name| self.profile.answers_to(name))
            || same_iri(iri, &self.profile.names.actor())
    }

    /// Whether `iri` is our account under its present name.
    pub(super) fn is_present(&self, iri: &str) -> bool {
        same_iri(iri, &self.profile.names.actor())
    }

    /// The actor: as known from a follow, or as their server describes them.
    pub(super) async fn actor_fact(&self) -> Result<RemoteActor, HandlerError> {
        let known = self.shared.tables.follower(self.actor).await?;
        if let Some(known) = known {
            let FollowerProfile {
                handle,
                name,
                url,
                image,
                ..
            } = known.profile;
            return Ok(RemoteActor {
                iri: known.iri,
                name,
                handle,
                url,
                image,
            });
        }
        Ok(self.fetch_actor().await?.as_fact())
    }

    /// The actor as their server describes them now.
    pub(super) async fn fetch_actor(&self) -> Result<Person, HandlerError> {
        let document = self.fetch(self.actor).await?;
        Person::read(&document.object).or_else(|_| ignored("the actor's document is incomplete"))
    }

    /// Fetches a document of another server.
    pub(super) async fn fetch(&self, iri: &str) -> Result<Document, HandlerError> {
        let fetched = self.shared.fetcher.named(iri, self.budget).await;
        fetched.map_err(|problem| match problem.retry() {
            Retry::Never => HandlerError::Ignored("a document of the other server is not believed"),
            _ => HandlerError::Later(problem),
        })
    }

    /// A post of ours that is not deleted, referenced by its own id or that of the activity that carried it.
    pub(super) async fn our_note(&self, object: &Value) -> Result<StoredObject, HandlerError> {
        let Some(iri) = id_of(object) else {
            return ignored("it is about no single object");
        };
        self.our_note_named(iri).await
    }

    /// As [`InboxContext::our_note`], by its id.
    pub(super) async fn our_note_named(&self, iri: &str) -> Result<StoredObject, HandlerError> {
        if !self.profile.names.is_ours(iri) {
            return ignored("it is about nothing of ours");
        }
        let found = self.shared.tables.object(iri).await?;
        let found = match found {
            Some(StoredObject {
                kind: ObjectKind::Create,
                note: Some(note),
                ..
            }) => self.shared.tables.object(&note).await?,
            other => other,
        };
        match found {
            Some(note) if note.kind == ObjectKind::Note && note.deleted_at.is_none() => Ok(note),
            _ => ignored("it is about no post of ours"),
        }
    }
}
