//! What is sealed of the identity, as it lies in the store.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Identity;
use crate::signature::{BadKey, SigningKey};

/// Key, age and present name.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Papers {
    /// PKCS#8 in base64.
    key: String,
    published: Timestamp,
    /// The name the account has in public, which the settings may have left behind.
    pub(super) username: String,
    /// How often it got another name.
    #[serde(default)]
    pub(super) moves: u32,
    /// The key before this one, for those who replaced it by mistake. Nothing is signed with it.
    #[serde(default)]
    previous: Option<Previous>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Previous {
    key: String,
    until: Timestamp,
}

// The private key must not reach a log.
impl fmt::Debug for Papers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Papers(..)")
    }
}

impl Papers {
    pub(super) fn new(
        key: &SigningKey,
        published: Timestamp,
        username: String,
    ) -> Result<Self, BadKey> {
        Ok(Self {
            key: encoded(key)?,
            published,
            username,
            moves: 0,
            previous: None,
        })
    }

    /// Reads what [`Papers::write`] wrote.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, BadKey> {
        serde_json::from_slice(bytes).map_err(|_| BadKey::Unreadable)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts, numbers and times are always written")
    }

    pub(super) fn identity(&self) -> Result<Identity, BadKey> {
        let der = STANDARD.decode(&self.key).map_err(|_| BadKey::Unreadable)?;
        Ok(Identity {
            key: SigningKey::from_pkcs8(&der)?,
            published: self.published,
        })
    }

    /// With another key, and this one kept for a while.
    pub(super) fn with_key(&self, key: &SigningKey, until: Timestamp) -> Result<Self, BadKey> {
        Ok(Self {
            key: encoded(key)?,
            previous: Some(Previous {
                key: self.key.clone(),
                until,
            }),
            ..self.clone()
        })
    }

    /// With the key before this one, if it is still kept.
    pub(super) fn with_previous(&self, now: Timestamp) -> Option<Self> {
        let previous = self.previous.clone()?;
        (now < previous.until).then(|| Self {
            key: previous.key,
            previous: None,
            ..self.clone()
        })
    }

    /// Under another name.
    pub(super) fn renamed(&self, username: &str) -> Self {
        Self {
            username: username.to_owned(),
            moves: self.moves.saturating_add(1),
            ..self.clone()
        }
    }
}

fn encoded(key: &SigningKey) -> Result<String, BadKey> {
    Ok(STANDARD.encode(key.to_pkcs8()?))
}
