//! Our own key, and other servers' public keys.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{self, KeySize};
use aws_lc_rs::signature::{
    ED25519, KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA512,
    RSA_PKCS1_SHA256, RsaKeyPair, RsaParameters, UnparsedPublicKey,
};

use super::{multikey, pem};

/// Limit (fediverse): smallest RSA key, in bits; a smaller one is refused. It can be broken.
const MIN_RSA_BITS: u32 = 2048;
/// Most bits of an RSA key; a larger one is refused, because checking a signature would take too long.
const MAX_RSA_BITS: u32 = 8192;

/// Why the text or bytes are not a usable key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// Not PEM or Multikey, or the content is something else.
    #[error("the key cannot be read")]
    Unreadable,
    /// RSA with fewer than 2048 or more than 8192 bits.
    #[error("the RSA key has a size that is not used: {MIN_RSA_BITS} to {MAX_RSA_BITS} bits are")]
    Size,
    /// The crypto library failed.
    #[error("the key could not be made or written")]
    Failed,
}

/// The key our actor signs with; clones share it.
#[derive(Clone)]
pub struct SigningKey {
    pair: Arc<RsaKeyPair>,
    public_pem: Arc<str>,
}

// Keep the private half out of logs.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// Generates an RSA key of 2048 bits. This takes a good part of a second: call it off the runtime.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, BadKey> {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).map_err(|_| BadKey::Failed)?;
        Self::new(pair)
    }

    /// Reads the output of [`SigningKey::to_pkcs8`].
    ///
    /// # Errors
    /// When it is not an RSA key of a common size.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, BadKey> {
        let pair = RsaKeyPair::from_pkcs8(der).map_err(|_| BadKey::Unreadable)?;
        Self::new(pair)
    }

    /// Reads a PEM of PKCS#8 or PKCS#1, so that a key from elsewhere can be imported.
    ///
    /// # Errors
    /// When it is not an RSA key of a common size.
    pub fn from_pem(text: &str) -> Result<Self, BadKey> {
        match pem::decode(text) {
            Some(("PRIVATE KEY", der)) => Self::from_pkcs8(&der),
            Some(("RSA PRIVATE KEY", der)) => {
                let pair = RsaKeyPair::from_der(&der).map_err(|_| BadKey::Unreadable)?;
                Self::new(pair)
            }
            _ => Err(BadKey::Unreadable),
        }
    }

    fn new(pair: RsaKeyPair) -> Result<Self, BadKey> {
        let public: PublicKeyX509Der<'_> =
            pair.public_key().as_der().map_err(|_| BadKey::Failed)?;
        let public_pem = pem::encode("PUBLIC KEY", public.as_ref()).into();
        Ok(Self {
            pair: Arc::new(pair),
            public_pem,
        })
    }

    /// The private key as PKCS#8; callers must seal it before storing it.
    ///
    /// # Errors
    /// When the library cannot encode it.
    pub fn to_pkcs8(&self) -> Result<Vec<u8>, BadKey> {
        let der: Pkcs8V1Der<'_> = self.pair.as_der().map_err(|_| BadKey::Failed)?;
        Ok(der.as_ref().to_vec())
    }

    /// The public half as the actor document shows it: SPKI in PEM.
    #[must_use]
    pub fn public_pem(&self) -> &str {
        &self.public_pem
    }

    /// Signs `message` with RSASSA-PKCS1-v1_5 and SHA-256. This takes half a millisecond: call it off the runtime.
    ///
    /// # Errors
    /// When the library cannot sign.
    pub fn sign_sha256(&self, message: &[u8]) -> Result<Vec<u8>, BadKey> {
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                message,
                &mut signature,
            )
            .map_err(|_| BadKey::Failed)?;
        Ok(signature)
    }
}

/// Another server's public key; clones share it.
#[derive(Clone)]
pub struct PublicKey {
    kind: KeyKind,
    key: Arc<ParsedPublicKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    Rsa,
    Ed25519,
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKey").field(&self.kind).finish()
    }
}

impl PublicKey {
    /// Reads a key in either form documents use: PEM or Multikey.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        if text.contains("-----BEGIN ") {
            Self::from_pem(text)
        } else {
            Self::from_multikey(text)
        }
    }

    /// Reads `publicKeyPem`: RSA as SPKI or PKCS#1, or Ed25519 as SPKI.
    ///
    /// # Errors
    /// When it is something else, or RSA of a size we do not accept.
    pub fn from_pem(text: &str) -> Result<Self, BadKey> {
        let Some(("PUBLIC KEY" | "RSA PUBLIC KEY", der)) = pem::decode(text) else {
            return Err(BadKey::Unreadable);
        };
        match rsa::PublicKey::from_der(&der) {
            Ok(key) => Self::rsa(key.as_ref()),
            Err(_) => Self::ed25519(&der),
        }
    }

    /// Reads `publicKeyMultibase` of a Multikey: Ed25519 only.
    ///
    /// # Errors
    /// When it is something else.
    pub fn from_multikey(word: &str) -> Result<Self, BadKey> {
        let bytes = multikey::decode_ed25519(word).ok_or(BadKey::Unreadable)?;
        Self::ed25519(&bytes)
    }

    fn rsa(pkcs1: &[u8]) -> Result<Self, BadKey> {
        let bits = RsaParameters::public_modulus_len(pkcs1).map_err(|_| BadKey::Unreadable)?;
        if !(MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits) {
            return Err(BadKey::Size);
        }
        let key = ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pkcs1)
            .map_err(|_| BadKey::Unreadable)?;
        Ok(Self {
            kind: KeyKind::Rsa,
            key: Arc::new(key),
        })
    }

    fn ed25519(bytes: &[u8]) -> Result<Self, BadKey> {
        let key = ParsedPublicKey::new(&ED25519, bytes).map_err(|_| BadKey::Unreadable)?;
        Ok(Self {
            kind: KeyKind::Ed25519,
            key: Arc::new(key),
        })
    }

    /// Whether `signature` signs `message` with RSASSA-PKCS1-v1_5 and SHA-256; always false for another kind of key.
    pub(super) fn accepts_rsa_sha256(&self, message: &[u8], signature: &[u8]) -> bool {
        self.kind == KeyKind::Rsa && self.key.verify_sig(message, signature).is_ok()
    }

    /// The same with SHA-512.
    pub(super) fn accepts_rsa_sha512(&self, message: &[u8], signature: &[u8]) -> bool {
        // Rare, so the key is parsed again instead of being stored twice.
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, (*self.key).as_ref());
        self.kind == KeyKind::Rsa && key.verify(message, signature).is_ok()
    }

    /// The same with Ed25519.
    pub(super) fn accepts_ed25519(&self, message: &[u8], signature: &[u8]) -> bool {
        self.kind == KeyKind::Ed25519 && self.key.verify_sig(message, signature).is_ok()
    }
}
