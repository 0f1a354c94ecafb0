//! The secret of the link that the operator sets a new server up with.

use std::time::Duration;

use model::{Clock, Secret};
use store::{ShortLived, Store, StoreError};

use crate::secrets::random_token;

/// Limit (operators): time one setup link is good for all servers on one database; one that starts later has another.
const SETUP_LINK_LENGTH: Duration = Duration::from_secs(30 * 24 * 3600);
/// What it is called in the database.
const KIND: &str = "setup link";

/// A new secret. Of several servers on one database all have the same, whichever of them the operator reaches.
pub(crate) async fn new_token(store: &Store, clock: &dyn Clock) -> Result<Secret, StoreError> {
    let token = random_token();
    if !store.is_shared() {
        return Ok(token);
    }
    let now = clock.now();
    let item = ShortLived {
        kind: KIND,
        key: "token".into(),
        owner: "operator".into(),
        value: token.expose().as_bytes().to_vec(),
        expires_at: now + SETUP_LINK_LENGTH,
    };
    let shared = store.share_short_lived(item, now).await?;
    let shared = String::from_utf8(shared).map_err(|error| StoreError::Unreadable {
        what: KIND,
        why: error.to_string(),
    })?;
    Ok(Secret::new(shared))
}
