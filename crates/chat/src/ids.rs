//! Short random ids.

use model::chat::MAX_COLOR;
use model::{MessageId, UserId};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// 72 bits: no two of them meet in the life of a server.
const LENGTH: usize = 12;

/// Random text from `A-Z a-z 0-9 - _`.
pub fn short_id() -> String {
    let mut bytes = [0; LENGTH];
    fill(&mut bytes);
    let letters = bytes.map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
    letters.iter().collect()
}

pub fn new_user_id() -> UserId {
    UserId::parse(short_id()).expect("a short id is an id")
}

pub(crate) fn new_message_id() -> MessageId {
    MessageId::parse(short_id()).expect("a short id is an id")
}

/// A random colour for a newcomer.
pub fn random_color() -> i64 {
    i64::try_from(pick(MAX_COLOR as usize + 1)).unwrap_or_default()
}

/// A random number from 0 to `below` (exclusive).
pub(crate) fn pick(below: usize) -> usize {
    let mut bytes = [0; 4];
    fill(&mut bytes);
    u32::from_be_bytes(bytes) as usize % below.max(1)
}

fn fill(bytes: &mut [u8]) {
    aws_lc_rs::rand::fill(bytes)
        .expect("the system's random generator does not fail once the process runs");
}
