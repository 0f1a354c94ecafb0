//! Passwords: argon2id, off the runtime, at most two at once.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use model::Secret;
use thiserror::Error;
use tokio::sync::Semaphore;

/// Limit (operators): fewest characters of the admin password; a shorter one is refused.
pub const MIN_PASSWORD_CHARS: usize = 8;
/// Longest password we look at, so that hashing cannot be made expensive by size.
const MAX_PASSWORD_BYTES: usize = 1024;
/// Memory of one hash, in KiB: the OWASP minimum for argon2id with two passes.
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory, from the same recommendation.
const PASSES: u32 = 2;
/// Hashes at once: bounds the memory and leaves a core to everybody else.
static HASHING: Semaphore = Semaphore::const_new(2);

/// Why a password was rejected.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PasswordError {
    #[error("the password needs at least {MIN_PASSWORD_CHARS} characters")]
    TooShort,
    #[error("the password is longer than {MAX_PASSWORD_BYTES} bytes")]
    TooLong,
    #[error("the password could not be hashed")]
    Failed,
}

/// Checks that the password has a length we store.
pub fn check_password(password: &Secret) -> Result<(), PasswordError> {
    let text = password.expose();
    if text.chars().count() < MIN_PASSWORD_CHARS {
        return Err(PasswordError::TooShort);
    }
    if text.len() > MAX_PASSWORD_BYTES {
        return Err(PasswordError::TooLong);
    }
    Ok(())
}

/// Checks the length and hashes the password; the result is a PHC string.
pub async fn hash_password(password: Secret) -> Result<String, PasswordError> {
    check_password(&password)?;
    off_the_runtime(move || {
        argon2()
            .hash_password(password.expose().as_bytes())
            .map(|hash| hash.to_string())
            .ok()
    })
    .await
    .flatten()
    .ok_or(PasswordError::Failed)
}

/// Whether `password` matches `hash`.
pub(crate) async fn verify_password(password: Secret, hash: String) -> bool {
    if password.expose().len() > MAX_PASSWORD_BYTES {
        return false;
    }
    let verified = off_the_runtime(move || match PasswordHash::new(&hash) {
        Ok(parsed) => argon2()
            .verify_password(password.expose().as_bytes(), &parsed)
            .is_ok(),
        Err(_) => false,
    });
    verified.await.unwrap_or(false)
}

async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let permit = HASHING.acquire().await.ok()?;
    let work = move || {
        // The work itself holds the permit: it goes on even if the caller goes away.
        let _permit = permit;
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}

fn argon2() -> Argon2<'static> {
    let params =
        Params::new(MEMORY_KIB, PASSES, 1, None).expect("the constants are within argon2's limits");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_opens() {
        let hash = hash_password(Secret::new("correct horse")).await.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(verify_password(Secret::new("correct horse"), hash.clone()).await);
        assert!(!verify_password(Secret::new("correct horsf"), hash.clone()).await);
        assert!(!verify_password(Secret::new("x".repeat(5000)), hash).await);
        assert!(!verify_password(Secret::new("correct horse"), "garbage".into()).await);
    }

    #[tokio::test]
    async fn short_and_endless_passwords_are_refused() {
        assert_eq!(
            hash_password(Secret::new("1234567")).await,
            Err(PasswordError::TooShort)
        );
        assert_eq!(
            hash_password(Secret::new("x".repeat(1025))).await,
            Err(PasswordError::TooLong)
        );
    }
}
