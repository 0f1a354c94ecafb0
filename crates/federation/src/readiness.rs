//! Whether the stream can act in the Fediverse, and who somebody is there.

use outbound::FetchBudget;

use crate::Federation;
use crate::fetch::{FETCHES_PER_ACTIVITY, FetchProblem};
use crate::identity::IdentityError;
use crate::profile::ActorProfile;
use crate::wire::{NotAnActor, Person};

/// Why the stream cannot act; the texts are for the operator and for visitors.
#[derive(Debug, thiserror::Error)]
pub enum Unready {
    /// The operator does not want to.
    #[error("federation is switched off")]
    Off,
    /// It has no name there.
    #[error("federation needs the server's public address, which is not set")]
    NoAddress,
    /// Nobody would believe it.
    #[error("federation needs a public address that begins with https://")]
    Insecure,
    /// The key could not be made, read or kept.
    #[error("the account of the server cannot be used right now; its log says why")]
    Identity(#[source] IdentityError),
}

impl From<IdentityError> for Unready {
    fn from(error: IdentityError) -> Self {
        tracing::error!(%error, "the account of the server cannot be used");
        Self::Identity(error)
    }
}

/// Why somebody is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActorLookupError {
    /// There is no document.
    #[error(transparent)]
    Unfetched(#[from] FetchProblem),
    /// There is one, of something else.
    #[error(transparent)]
    NotAnActor(#[from] NotAnActor),
}

impl ActorLookupError {
    /// Whether their server says that they are gone for ever.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Unfetched(problem) if problem.is_gone())
    }

    /// Whether it speaks for their being away, and not of us or of who may ask.
    pub(crate) fn is_absence(&self) -> bool {
        match self {
            Self::Unfetched(problem) => problem.is_absence(),
            Self::NotAnActor(_) => true,
        }
    }
}

impl Federation {
    /// Who the stream is, whether or not federation is on: what is decided now is sent when it is.
    pub(crate) async fn known_profile(&self) -> Result<ActorProfile, Unready> {
        let profile = self.0.account.profile().await?;
        profile.ok_or(Unready::NoAddress)
    }

    /// Who the stream is, if it can act now.
    pub(crate) async fn ready(&self) -> Result<ActorProfile, Unready> {
        if !self.is_enabled() {
            return Err(Unready::Off);
        }
        let profile = self.known_profile().await?;
        match profile.names.is_secure() {
            true => Ok(profile),
            false => Err(Unready::Insecure),
        }
    }

    /// Forgets a name the account had: it is nobody's from now on. False when it had no such name.
    ///
    /// # Errors
    /// See [`Unready`].
    pub async fn forget_former_username(&self, name: &str) -> Result<bool, Unready> {
        Ok(self.0.account.forget_former_username(name).await?)
    }

    /// Somebody, as their server describes them now.
    pub(crate) async fn person(&self, iri: &str) -> Result<Person, ActorLookupError> {
        let budget = FetchBudget::new(FETCHES_PER_ACTIVITY);
        let document = self.0.fetcher.named(iri, &budget).await?;
        Ok(Person::read(&document.object)?)
    }
}
