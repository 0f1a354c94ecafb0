//! Whether the stream can act in the Fediverse, and who a remote actor is.

use outbound::FetchBudget;

use crate::Federation;
use crate::fetch::{FETCHES_PER_ACTIVITY, FetchProblem};
use crate::identity::IdentityError;
use crate::profile::ActorProfile;
use crate::wire::{NotAnActor, Person};

/// Why the stream cannot act; the texts are for the operator and for visitors.
#[derive(Debug, thiserror::Error)]
pub enum Unready {
    /// Federation is switched off.
    #[error("federation is switched off")]
    Off,
    /// The server has no public address.
    #[error("federation needs the server's public address, which is not set")]
    NoAddress,
    /// The address is not https, so nobody would trust it.
    #[error("federation needs a public address that begins with https://")]
    Insecure,
    /// The key could not be made, read or stored.
    #[error("the account of the server cannot be used right now; see its log")]
    Identity(#[source] IdentityError),
}

impl From<IdentityError> for Unready {
    fn from(error: IdentityError) -> Self {
        tracing::error!(%error, "the account of the server cannot be used");
        Self::Identity(error)
    }
}

/// Why an actor is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActorLookupError {
    /// The document cannot be fetched.
    #[error(transparent)]
    Unfetched(#[from] FetchProblem),
    /// The document is not an actor.
    #[error(transparent)]
    NotAnActor(#[from] NotAnActor),
}

impl ActorLookupError {
    /// Whether their server says they are gone for ever.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Unfetched(problem) if problem.is_gone())
    }

    /// Whether the failure means that they are away, rather than something about us or about who may ask.
    pub(crate) fn is_absence(&self) -> bool {
        match self {
            Self::Unfetched(problem) => problem.is_absence(),
            Self::NotAnActor(_) => true,
        }
    }
}

impl Federation {
    /// Our account, whether or not federation is on: what is decided now is sent once it is.
    pub(crate) async fn known_profile(&self) -> Result<ActorProfile, Unready> {
        let profile = self.0.account.profile().await?;
        profile.ok_or(Unready::NoAddress)
    }

    /// Our account, if it can act now.
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

    /// Forgets a former name: it belongs to nobody from now on. False if it was not one.
    ///
    /// # Errors
    /// See [`Unready`].
    pub async fn forget_former_username(&self, name: &str) -> Result<bool, Unready> {
        Ok(self.0.account.forget_former_username(name).await?)
    }

    /// An actor as their server describes them now.
    pub(crate) async fn person(&self, iri: &str) -> Result<Person, ActorLookupError> {
        let budget = FetchBudget::new(FETCHES_PER_ACTIVITY);
        let document = self.0.fetcher.named(iri, &budget).await?;
        Ok(Person::read(&document.object)?)
    }
}
