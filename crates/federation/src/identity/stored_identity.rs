//! The sealed part of the identity, as stored.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Identity, PreviousKey};
use crate::signature::{BadKey, SigningKey};

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredIdentity {
    /// PKCS#8 in base64.
    key: String,
    published: Timestamp,
    /// The account's public name, which the settings may have moved on from.
    pub(super) username: String,
    /// How often it has been renamed.
    #[serde(default)]
    pub(super) moves: u32,
    /// The previous key: servers that do not know the present one yet get requests signed with it, and an operator who
    /// rotated by mistake can go back to it.
    #[serde(default)]
    previous: Option<StoredPreviousKey>,
}

#[derive(Clone, Serialize, Deserialize)]
struct StoredPreviousKey {
    key: String,
    until: Timestamp,
    /// How often the account had been renamed by then: nobody knows this key under a later name.
    #[serde(default)]
    moves: u32,
    /// This key was itself taken back in favour of the one before it.
    #[serde(default)]
    is_taken_back: bool,
}

// The private key must not reach a log.
impl fmt::Debug for StoredIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredIdentity(..)")
    }
}

impl StoredIdentity {
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

    /// Reads what [`StoredIdentity::write`] wrote.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, BadKey> {
        serde_json::from_slice(bytes).map_err(|_| BadKey::Unreadable)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts, numbers and times are always written")
    }

    pub(super) fn identity(&self) -> Result<Identity, BadKey> {
        let previous = self.previous.as_ref().map(|previous| {
            Ok::<_, BadKey>(PreviousKey {
                key: decoded(&previous.key)?,
                until: previous.until,
                is_of_present_name: previous.moves == self.moves,
                is_taken_back: previous.is_taken_back,
            })
        });
        Ok(Identity {
            key: decoded(&self.key)?,
            published: self.published,
            username: self.username.clone(),
            previous: previous.transpose()?,
        })
    }

    /// The identity with a new key; the present key is kept until `kept_until`.
    pub(super) fn with_key(
        &self,
        key: &SigningKey,
        kept_until: Option<Timestamp>,
    ) -> Result<Self, BadKey> {
        Ok(Self {
            key: encoded(key)?,
            previous: kept_until.map(|until| self.as_previous(until)),
            ..self.clone()
        })
    }

    /// The identity with the previous key, if that is still kept; the present key is kept until `kept_until`.
    pub(super) fn with_previous(&self, now: Timestamp, kept_until: Timestamp) -> Option<Self> {
        let previous = self.previous.clone()?;
        (now < previous.until && !previous.is_taken_back).then(|| Self {
            key: previous.key,
            previous: Some(StoredPreviousKey {
                is_taken_back: true,
                ..self.as_previous(kept_until)
            }),
            ..self.clone()
        })
    }

    /// The identity without its previous key.
    pub(super) fn without_previous(&self) -> Self {
        Self {
            previous: None,
            ..self.clone()
        }
    }

    /// Whether it holds a key that should be forgotten by `now`.
    pub(super) fn has_outdated_key(&self, now: Timestamp) -> bool {
        self.previous
            .as_ref()
            .is_some_and(|previous| now >= previous.until)
    }

    fn as_previous(&self, until: Timestamp) -> StoredPreviousKey {
        StoredPreviousKey {
            key: self.key.clone(),
            until,
            moves: self.moves,
            is_taken_back: false,
        }
    }

    /// The identity under another name.
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

fn decoded(text: &str) -> Result<SigningKey, BadKey> {
    let der = STANDARD.decode(text).map_err(|_| BadKey::Unreadable)?;
    SigningKey::from_pkcs8(&der)
}
