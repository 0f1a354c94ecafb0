//! Multikeys (W3C Controlled Identifiers, FEP-521a), and the base64 of other servers.

use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Base64 with or without the signs at its end: both are about.
pub(super) const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Longest word that is looked at; a longer one is no key. Decoding takes time with the square of the length, and an
/// Ed25519 key has 48 letters.
const MAX_LETTERS: usize = 64;
/// What says base58 of the Bitcoin kind.
const BASE58: char = 'z';
/// What says Ed25519 public key, as a variable-length number.
const ED25519: [u8; 2] = [0xed, 0x01];
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Decodes the 32 bytes of an Ed25519 key.
pub(super) fn decode_ed25519(word: &str) -> Option<[u8; 32]> {
    let letters = word.strip_prefix(BASE58)?;
    if letters.len() > MAX_LETTERS {
        return None;
    }
    let bytes = decode_base58(letters)?;
    bytes.strip_prefix(&ED25519)?.try_into().ok()
}

fn decode_base58(letters: &str) -> Option<Vec<u8>> {
    // Little-endian while it grows.
    let mut bytes: Vec<u8> = Vec::new();
    for letter in letters.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == letter)?;
        let mut carry = u32::try_from(digit).ok()?;
        for byte in &mut bytes {
            carry += u32::from(*byte) * 58;
            *byte = carry.to_le_bytes()[0];
            carry >>= 8;
        }
        while carry > 0 {
            bytes.push(carry.to_le_bytes()[0]);
            carry >>= 8;
        }
    }
    let zeros = letters.bytes().take_while(|letter| *letter == b'1').count();
    bytes.resize(bytes.len() + zeros, 0);
    bytes.reverse();
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base58_is_the_one_everybody_uses() {
        // Vectors of draft-msporny-base58.
        assert_eq!(
            decode_base58("2NEpo7TZRRrLZSi2U"),
            Some(b"Hello World!".to_vec())
        );
        assert_eq!(
            decode_base58("USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"),
            Some(b"The quick brown fox jumps over the lazy dog.".to_vec())
        );
        assert_eq!(
            decode_base58("11233QC4"),
            Some(vec![0, 0, 0x28, 0x7f, 0xb4, 0xcd])
        );
        assert_eq!(decode_base58(""), Some(vec![]));
        assert_eq!(decode_base58("0"), None);
    }

    #[test]
    fn a_published_ed25519_key_is_read() {
        // The example of FEP-521a.
        let key = decode_ed25519("z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2").unwrap();
        assert_eq!(key.len(), 32);
    }

    #[test]
    fn other_words_are_no_keys() {
        let long = format!("z{}", "6".repeat(1000));
        for word in [
            "",
            "z",
            "z6Mk",
            "u6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
            "z7MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
            "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ20",
            &long,
        ] {
            assert_eq!(decode_ed25519(word), None, "{word}");
        }
    }
}
