//! The digests of the "complex" handshake.
//!
//! They prove nothing, since the keys have long been public, but Flash-era clients and some hardware encoders
//! disconnect without them.

use aws_lc_rs::hmac;

/// Bytes of the block that either side sends.
pub(super) const BLOCK_BYTES: usize = 1536;
pub(super) const DIGEST_BYTES: usize = 32;

const PLAYER: &[u8] = b"Genuine Adobe Flash Player 001";
const SERVER: &[u8] = b"Genuine Adobe Flash Media Server 001";
/// Follows both names where a whole key is asked for.
const TAIL: [u8; 32] = [
    0xf0, 0xee, 0xc2, 0x4a, 0x80, 0x68, 0xbe, 0xe8, 0x2e, 0x00, 0xd0, 0xd1, 0x02, 0x9e, 0x7e, 0x57,
    0x6e, 0xec, 0x5d, 0x2d, 0x29, 0x80, 0x6f, 0xab, 0x93, 0xb8, 0xe6, 0x36, 0xcf, 0xeb, 0x31, 0xae,
];

pub(super) type Block = [u8; BLOCK_BYTES];

/// The half of the block that holds the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DigestScheme {
    First,
    Second,
}

impl DigestScheme {
    /// The position of the digest, given by four bytes of the block.
    fn offset(self, block: &Block) -> usize {
        let pointer = match self {
            Self::First => 8,
            Self::Second => 772,
        };
        let sum: usize = block[pointer..pointer + 4]
            .iter()
            .map(|byte| usize::from(*byte))
            .sum();
        sum % 728 + pointer + 4
    }
}

/// The scheme and digest of a client's block; `None` if it has none, as in the plain handshake.
pub(super) fn find(block: &Block) -> Option<(DigestScheme, [u8; DIGEST_BYTES])> {
    for scheme in [DigestScheme::First, DigestScheme::Second] {
        let at = scheme.offset(block);
        let expected = without(block, at, PLAYER);
        if block[at..at + DIGEST_BYTES] == expected {
            return Some((scheme, expected));
        }
    }
    None
}

/// Puts the server's digest into its own block.
pub(super) fn sign(block: &mut Block, scheme: DigestScheme) {
    let at = scheme.offset(block);
    let digest = without(block, at, SERVER);
    block[at..at + DIGEST_BYTES].copy_from_slice(&digest);
}

/// Ends the reply block with the digest that refers to the client's.
pub(super) fn answer(block: &mut Block, client: &[u8; DIGEST_BYTES]) {
    let whole_key = [SERVER, &TAIL[..]].concat();
    let key = digest(&whole_key, &[client]);
    let (body, end) = block.split_at_mut(BLOCK_BYTES - DIGEST_BYTES);
    end.copy_from_slice(&digest(&key, &[body]));
}

/// The digest of a block without the digest's own bytes.
fn without(block: &Block, at: usize, key: &[u8]) -> [u8; DIGEST_BYTES] {
    digest(key, &[&block[..at], &block[at + DIGEST_BYTES..]])
}

fn digest(key: &[u8], parts: &[&[u8]]) -> [u8; DIGEST_BYTES] {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let mut context = hmac::Context::with_key(&key);
    for part in parts {
        context.update(part);
    }
    let mut out = [0; DIGEST_BYTES];
    out.copy_from_slice(context.sign().as_ref());
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A Flash-era client's block.
    pub(in super::super) fn client_block(scheme: DigestScheme) -> Block {
        let mut block: Block = std::array::from_fn(|index| (index * 7 % 251) as u8);
        block[4..8].copy_from_slice(&[9, 0, 124, 2]);
        let at = scheme.offset(&block);
        let digest = without(&block, at, PLAYER);
        block[at..at + DIGEST_BYTES].copy_from_slice(&digest);
        block
    }

    /// The check that such a client makes on the server's two blocks.
    pub(in super::super) fn is_signed(block: &Block, scheme: DigestScheme) -> bool {
        let at = scheme.offset(block);
        block[at..at + DIGEST_BYTES] == without(block, at, SERVER)
    }

    #[test]
    fn finds_the_digest_in_either_half() {
        for scheme in [DigestScheme::First, DigestScheme::Second] {
            let block = client_block(scheme);
            assert_eq!(find(&block).map(|(found, _)| found), Some(scheme));
        }
    }

    #[test]
    fn a_digest_with_one_wrong_bit_is_none() {
        let mut block = client_block(DigestScheme::First);
        block[1535] ^= 1;
        assert_eq!(find(&block), None);
    }

    #[test]
    fn offsets_stay_inside_the_block_whatever_it_holds() {
        for pointer in [[0; 4], [255; 4], [255, 255, 217, 0], [255, 255, 218, 0]] {
            let mut block = [0; BLOCK_BYTES];
            block[8..12].copy_from_slice(&pointer);
            block[772..776].copy_from_slice(&pointer);
            for scheme in [DigestScheme::First, DigestScheme::Second] {
                assert!(scheme.offset(&block) + DIGEST_BYTES <= BLOCK_BYTES);
            }
        }
    }
}
