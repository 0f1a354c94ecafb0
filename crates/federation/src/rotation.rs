//! Key rotation: making a new key, handing it over, going back.

use jiff::Timestamp;
use store::federation::HandoverProgress;

use crate::Federation;
use crate::identity::{IdentityError, RotationOutcome};
use crate::readiness::Unready;

/// Servers that are named to the operator; of more there is only the number.
const MAX_LISTED_HOSTS: u32 = 100;

/// Why the account gets a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationCause {
    /// Routine rotation: nobody should notice.
    Planned,
    /// Somebody else may know the key: it is not used any more.
    Compromised,
}

/// Why the key was not changed.
#[derive(Debug, thiserror::Error)]
pub enum RotationProblem {
    /// The stream cannot act in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// The last new key has not reached every server yet.
    #[error(
        "the last new key is still being handed over: {0} servers have not answered yet; take it back, wait (a week at \
         most), or say that the key may be known to others"
    )]
    UnderWay(i64),
    /// There is no previous key.
    #[error(
        "there is no previous key to go back to: it is kept for a week, and not at all if it may be known to others"
    )]
    NothingToTakeBack,
}

impl From<IdentityError> for RotationProblem {
    fn from(error: IdentityError) -> Self {
        Self::Unready(error.into())
    }
}

/// The state of the account's key.
#[derive(Clone, Debug)]
pub struct KeyStatus {
    /// Until when servers that have not answered get requests signed with the previous key.
    pub previous_until: Option<Timestamp>,
    /// Whether the last change can be undone.
    pub can_take_back: bool,
    /// How far the new key has been handed over.
    pub progress: HandoverProgress,
}

impl Federation {
    /// Gives the account a new key, announced to other servers with the present one; after a leak, announced with the
    /// new key alone, which some servers will not accept.
    ///
    /// # Errors
    /// See [`RotationProblem`].
    pub async fn rotate_key(&self, cause: RotationCause) -> Result<(), RotationProblem> {
        self.ready().await?;
        let is_at_once = cause == RotationCause::Compromised;
        match self.0.account.rotate_key(is_at_once).await? {
            RotationOutcome::Done => Ok(()),
            RotationOutcome::UnderWay(servers) => Err(RotationProblem::UnderWay(servers)),
        }
    }

    /// Goes back to the previous key.
    ///
    /// # Errors
    /// See [`RotationProblem`].
    pub async fn take_back_key(&self) -> Result<(), RotationProblem> {
        self.ready().await?;
        match self.0.account.take_back_key().await? {
            true => Ok(()),
            false => Err(RotationProblem::NothingToTakeBack),
        }
    }

    /// The state of the account's key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn key_status(&self) -> Result<KeyStatus, IdentityError> {
        let now = self.0.clock.now();
        let progress = self
            .0
            .tables
            .handover_progress(MAX_LISTED_HOSTS, now)
            .await?;
        Ok(KeyStatus {
            previous_until: self.0.account.previous_key_until(),
            can_take_back: self.0.account.can_take_back_key(),
            progress,
        })
    }
}
