//! Making, hashing and comparing secrets.

use aws_lc_rs::{constant_time, digest, rand};
use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use model::Secret;

/// 256 random bits as 64 hex digits: a session or setup token.
pub fn random_token() -> Secret {
    let mut bytes = [0; 32];
    fill(&mut bytes);
    Secret::new(hex(&bytes))
}

/// Two digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 256 random bits in URL-safe base64, 44 characters: a chat or integration token.
pub fn random_access_token() -> Secret {
    let mut bytes = [0; 32];
    fill(&mut bytes);
    Secret::new(URL_SAFE.encode(bytes))
}

/// A stream key that can be read aloud: 24 characters without look-alikes, 118 bits.
pub fn random_key() -> Secret {
    const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789-";
    let mut bytes = [0; 24];
    fill(&mut bytes);
    let letters = &ALPHABET[..ALPHABET.len() - 1];
    let mut key = String::new();
    for (place, byte) in bytes.iter().enumerate() {
        if place > 0 && place % 6 == 0 {
            key.push('-');
        }
        // 256 is not a multiple of 31: the first eight letters are an eighth likelier, which costs well under a bit.
        key.push(char::from(letters[usize::from(*byte) % letters.len()]));
    }
    Secret::new(key)
}

/// `count` random letters, each equally likely.
pub(crate) fn random_letters(count: usize) -> Secret {
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    /// The largest multiple of 52 that a byte can count to; higher ones would favour the first letters.
    const FAIR: u8 = 208;
    let mut letters = String::new();
    while letters.len() < count {
        let mut bytes = [0; 64];
        fill(&mut bytes);
        let fair = bytes.iter().filter(|byte| **byte < FAIR);
        let left = count - letters.len();
        letters.extend(
            fair.take(left)
                .map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])),
        );
    }
    Secret::new(letters)
}

/// The challenge for a verifier (RFC 7636 4.2, S256).
pub(crate) fn challenge(verifier: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(sha256(verifier.expose()))
}

fn fill(bytes: &mut [u8]) {
    rand::fill(bytes).expect("the system's random generator does not fail once the process runs");
}

/// The hash under which tokens are stored; they are random, so a fast hash is enough.
pub fn sha256(text: &str) -> [u8; 32] {
    let hash = digest::digest(&digest::SHA256, text.as_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.as_ref());
    bytes
}

/// Compares in constant time.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(a, b).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_keys_do_not_repeat() {
        let tokens: std::collections::HashSet<_> = (0..1000)
            .map(|_| random_token().expose().to_owned())
            .collect();
        assert_eq!(tokens.len(), 1000);
        assert!(tokens.iter().all(|token| token.len() == 64));
        let key = random_key();
        assert_eq!(key.expose().len(), 27);
        assert_ne!(key.expose(), random_key().expose());
    }

    #[test]
    fn letters_are_as_many_as_asked_for_and_all_occur() {
        for count in [0, 1, 20, 50, 1000] {
            let letters = random_letters(count);
            assert_eq!(letters.expose().len(), count);
            assert!(letters.expose().chars().all(|c| c.is_ascii_alphabetic()));
        }
        let many = random_letters(10_000);
        let distinct: std::collections::HashSet<_> = many.expose().chars().collect();
        assert_eq!(distinct.len(), 52);
    }

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        let verifier = Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(
            challenge(&verifier),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn comparison_is_exact() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd"));
        assert!(!same(b"abc", b"ab"));
    }
}
