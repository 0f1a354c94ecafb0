//! Revokes permissions to quote a post.
//!
//! The inbox grants them: see its handler of quote requests. Here the operator revokes a grant: its authorization
//! answers 410 from then on, and the requester is told, so that their server stops showing the quoted post.

use std::time::Duration;

use store::StoreError;
use store::federation::{DeliveryKind, Effects};

use crate::document::{activity, author_of};
use crate::names::Names;
use crate::{Federation, Unready};

/// How long the end of a grant is tried to be delivered; servers that ask for the authorization learn it anyway.
const REVOCATION_LENGTH: Duration = Duration::from_secs(7 * 24 * 3600);

/// Why a grant was not revoked.
#[derive(Debug, thiserror::Error)]
pub enum QuoteError {
    /// No such authorization, or it was revoked before.
    #[error("there is no such quote")]
    Unknown,
    /// The stream has no name in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Federation {
    /// Revokes the permission for a post to quote one of ours; `id` is the last part of the grant's address.
    pub async fn revoke_quote(&self, id: &str) -> Result<(), QuoteError> {
        let names = Names::of(&self.0.settings.now()).ok_or(QuoteError::Unknown)?;
        let authorization = names.object(id);
        let known = self.0.tables.quote_authorization(&authorization).await?;
        let known = known.filter(|known| known.revoked_at.is_none());
        let known = known.ok_or(QuoteError::Unknown)?;
        let profile = self.known_profile().await?;
        let proof = self.0.tables.object(&authorization).await?;
        let speaker = profile.speaking_as(&proof.as_ref().map(author_of).unwrap_or_default());
        let activity =
            activity::delete_quote_authorization(&speaker, &authorization, &known.grant.requester);
        // The authorization is gone whether or not its owner can be told.
        let effects = match self.person(&known.grant.requester).await {
            Ok(person) => {
                let (kind, inbox) = (DeliveryKind::Quote, &person.inbox);
                let mut outgoing =
                    self.outgoing_activity(&activity, kind, inbox, REVOCATION_LENGTH);
                outgoing.signer = profile.signer_of(&speaker);
                Effects {
                    outgoing: vec![outgoing],
                    ..Effects::default()
                }
            }
            Err(error) => {
                tracing::info!(%error, "cannot tell a server that its quote is no longer allowed");
                Effects::default()
            }
        };
        let now = self.0.clock.now();
        match self
            .0
            .tables
            .revoke_quote_authorization(authorization, effects, now)
            .await?
        {
            true => Ok(()),
            false => Err(QuoteError::Unknown),
        }
    }
}
