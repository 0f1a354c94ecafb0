//! The key that secrets are encrypted with at rest: AES-256-GCM.
//!
//! The key is a file beside the database, readable only by its owner and part of every backup. A sealed value carries
//! its own nonce; its name is authenticated with it, so a row cannot be passed off as another.

use std::fmt;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::hmac;
use sqlx::{AnyConnection, Row};

use crate::error::{OpenError, StoreError, VaultError};

const KEY_BYTES: usize = 32;
/// A value sealed once, so that a wrong key file is noticed at start and not when the first secret is needed.
pub(crate) const CANARY: &str = "vault-canary";

/// The key that seals and opens values.
pub(crate) struct Vault {
    key: RandomizedNonceKey,
    /// For other keys that are made from this one.
    root: hmac::Key,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(…)")
    }
}

impl Vault {
    /// Reads the key file, or creates one if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, VaultError> {
        let failed = |error: std::io::Error| VaultError::File {
            path: path.into(),
            why: error.to_string(),
        };
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                create_key(path).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        if bytes.len() != KEY_BYTES {
            return Err(VaultError::Content(path.into()));
        }
        let key = RandomizedNonceKey::new(&AES_256_GCM, &bytes)
            .map_err(|_| VaultError::Content(path.into()))?;
        let root = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
        Ok(Self { key, root })
    }

    /// Another key for one purpose: the same wherever this one is, and of no use for anything else.
    pub(crate) fn derive(&self, purpose: &str) -> Vec<u8> {
        hmac::sign(&self.root, purpose.as_bytes()).as_ref().to_vec()
    }

    /// Encrypts `clear` under `name`: nonce, ciphertext, tag.
    pub(crate) fn seal(&self, name: &str, clear: &[u8]) -> Result<Vec<u8>, StoreError> {
        let mut buffer = clear.to_vec();
        let nonce = self
            .key
            .seal_in_place_append_tag(Aad::from(name.as_bytes()), &mut buffer)
            .map_err(|_| StoreError::unreadable("secret", "sealing failed"))?;
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut buffer);
        Ok(sealed)
    }

    /// Decrypts the output of [`Vault::seal`] for the same name.
    pub(crate) fn unseal(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        let wrong = |_| {
            StoreError::unreadable(
                "secret",
                format!("{name} was sealed with another secret.key"),
            )
        };
        let (nonce, ciphertext) = sealed
            .split_at_checked(NONCE_LEN)
            .ok_or_else(|| StoreError::unreadable("secret", format!("{name} is cut short")))?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(wrong)?;
        let mut buffer = ciphertext.to_vec();
        let clear = self
            .key
            .open_in_place(nonce, Aad::from(name.as_bytes()), &mut buffer)
            .map_err(wrong)?;
        Ok(clear.to_vec())
    }
}

fn create_key(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut key = vec![0; KEY_BYTES];
    aws_lc_rs::rand::fill(&mut key).map_err(|_| std::io::Error::other("no randomness"))?;
    // Written beside and renamed: a crash leaves either no key or a complete one.
    let unfinished = path.with_extension("key.new");
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(&unfinished)?;
    file.write_all(&key)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)?;
    if let Some(folder) = path.parent() {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(key)
}

/// The vault of a database that has secrets; `None` if it has none yet. Creates no key file.
pub(crate) async fn open_known(
    connection: &mut AnyConnection,
    key_file: &Path,
) -> Result<Option<Vault>, OpenError> {
    let row = sqlx::query("SELECT sealed FROM secrets WHERE name = $1")
        .bind(CANARY)
        .fetch_optional(connection)
        .await;
    let sealed: Option<Vec<u8>> = row
        .and_then(|row| row.map(|row| row.try_get(0)).transpose())
        .map_err(|error| OpenError::Other(error.into()))?;
    let Some(sealed) = sealed else {
        return Ok(None);
    };
    if !key_file.try_exists().unwrap_or(true) {
        return Err(VaultError::Missing(key_file.into()).into());
    }
    let vault = Vault::open(key_file)?;
    match vault.unseal(CANARY, &sealed) {
        Ok(_) => Ok(Some(vault)),
        Err(_) => Err(VaultError::Another(key_file.into()).into()),
    }
}
