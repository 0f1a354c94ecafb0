//! The key of the sessions that plugins open for viewers.

use ::plugins::gate::SessionKey;
use model::Clock;
use store::{Store, StoreError};
use tokio::sync::OnceCell;

/// Where the key is kept.
const KEY_NAME: &str = "plugins.session_key";

/// The key that signs sessions, created with the first session.
#[derive(Debug, Default)]
pub(crate) struct Sessions(OnceCell<SessionKey>);

impl Sessions {
    /// Reads the key, or makes it; `None` when the database cannot be used.
    pub(crate) async fn key(&self, store: &Store, clock: &dyn Clock) -> Option<&SessionKey> {
        let key = self.0.get_or_try_init(|| find_or_make(store, clock)).await;
        key.inspect_err(|error| {
            model::stranger_line!(error, "session_key", %error, "there is no key for viewers' sessions");
        })
        .ok()
    }
}

async fn find_or_make(store: &Store, clock: &dyn Clock) -> Result<SessionKey, StoreError> {
    let known = store.secret(KEY_NAME).await?;
    if let Some(Ok(bytes)) = known.map(<[u8; 32]>::try_from) {
        return Ok(SessionKey::new(&bytes));
    }
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    let now = clock.now();
    // Another machine may make one at the same moment: the first one counts.
    let kept = store.keep_secret(KEY_NAME, &bytes, now).await?;
    match <[u8; 32]>::try_from(kept) {
        Ok(kept) => Ok(SessionKey::new(&kept)),
        Err(_) => {
            store.put_secret(KEY_NAME, &bytes, now).await?;
            Ok(SessionKey::new(&bytes))
        }
    }
}
