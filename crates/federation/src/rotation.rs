//! Another key for the account: made, handed over, taken back.

use jiff::Timestamp;
use store::federation::HandoverProgress;

use crate::Federation;
use crate::identity::{IdentityError, RotationOutcome};
use crate::readiness::Unready;

/// Servers that are named to the operator; of more there is only the number.
const MAX_LISTED_HOSTS: u32 = 100;

/// Why the account gets another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationCause {
    /// The operator wants one: nobody is to notice.
    Planned,
    /// Somebody else may know it: it is not used for anything any more.
    Compromised,
}

/// Why the key stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum RotationProblem {
    /// The stream cannot act in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// The last new key has not arrived everywhere.
    #[error(
        "the last new key is still being handed over: {0} servers have not answered yet; take it back, wait (a week at \
         most), or say that the key may be known to others"
    )]
    UnderWay(i64),
    /// There is no key before this one.
    #[error(
        "there is no key to go back to: it is kept for a week, and not at all if it may be known to others"
    )]
    NothingToTakeBack,
}

impl From<IdentityError> for RotationProblem {
    fn from(error: IdentityError) -> Self {
        Self::Unready(error.into())
    }
}

/// How it is with the account's key.
#[derive(Clone, Debug)]
pub struct KeyStatus {
    /// Until then servers that have not answered get what is signed with the key before.
    pub previous_until: Option<Timestamp>,
    /// The last change can be taken back.
    pub can_take_back: bool,
    /// Who knows which key.
    pub progress: HandoverProgress,
}

impl Federation {
    /// Gives the account a new key, of which other servers are told by the present one; after a leak by the new one alone,
    /// which some will not believe.
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

    /// Gives the account the key before the present one again.
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

    /// How it is with the account's key.
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
