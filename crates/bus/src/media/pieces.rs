//! Blocks cut into messages, and put together again.

use std::collections::HashMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::outbox::MAX_BLOCK_BYTES;
use crate::message::FORMAT;

/// Format, sender, number of the block, number of the piece, and how many pieces there are.
const HEADER_BYTES: usize = 1 + 8 + 8 + 2 + 2;
/// Senders whose blocks are put together at one time: there is one, and perhaps the one before.
const MAX_SENDERS: usize = 16;

/// The messages of a block, each of at most so many bytes.
pub(super) fn pieces(
    sender: u64,
    number: u64,
    block: &Bytes,
    most: usize,
) -> impl Iterator<Item = Bytes> {
    let size = most.saturating_sub(HEADER_BYTES).max(1);
    let count = block.len().div_ceil(size).max(1);
    (0..count).map(move |index| {
        let begin = index * size;
        let end = block.len().min(begin + size);
        let mut message = BytesMut::with_capacity(HEADER_BYTES + end - begin);
        message.put_u8(FORMAT);
        message.put_u64(sender);
        message.put_u64(number);
        // Blocks have a limit that messages of the smallest size stay far below.
        message.put_u16(u16::try_from(index).unwrap_or(u16::MAX));
        message.put_u16(u16::try_from(count).unwrap_or(u16::MAX));
        message.put_slice(&block[begin..end]);
        message.freeze()
    })
}

/// Puts the pieces of each sender together. They come in order, and where one is missing its block is left out.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    open: HashMap<u64, OpenBlock>,
}

#[derive(Debug)]
struct OpenBlock {
    number: u64,
    /// The piece that is missing.
    next: u16,
    count: u16,
    bytes: BytesMut,
}

impl Assembler {
    /// Takes a message; returns the block that it completes.
    pub(super) fn push(&mut self, message: &Bytes) -> Option<Bytes> {
        let mut rest = message.clone();
        if rest.len() < HEADER_BYTES || rest.get_u8() != FORMAT {
            return None;
        }
        let (sender, number) = (rest.get_u64(), rest.get_u64());
        let (index, count) = (rest.get_u16(), rest.get_u16());
        if (index, count) == (0, 1) {
            self.open.remove(&sender);
            return Some(rest);
        }
        if index == 0 {
            if self.open.len() >= MAX_SENDERS {
                self.open.clear();
            }
            let block = OpenBlock {
                number,
                next: 0,
                count,
                bytes: BytesMut::new(),
            };
            self.open.insert(sender, block);
        }
        let block = self.open.get_mut(&sender)?;
        let fits = (block.number, block.next, block.count) == (number, index, count)
            && index < count
            && block.bytes.len() + rest.len() <= MAX_BLOCK_BYTES;
        if !fits {
            self.open.remove(&sender);
            return None;
        }
        block.bytes.extend_from_slice(&rest);
        block.next += 1;
        if block.next < count {
            return None;
        }
        let block = self.open.remove(&sender)?;
        Some(block.bytes.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: usize) -> Bytes {
        (0..size).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn blocks_of_every_size_come_back_as_they_were() {
        let mut assembler = Assembler::default();
        for most in [HEADER_BYTES + 1, HEADER_BYTES + 7, 64, 100, 4096] {
            for size in 0..200 {
                let block = block(size);
                let messages: Vec<Bytes> = pieces(1, 9, &block, most).collect();
                assert!(messages.iter().all(|message| message.len() <= most));
                let (last, others) = messages.split_last().unwrap();
                for message in others {
                    assert!(assembler.push(message).is_none());
                }
                assert_eq!(assembler.push(last), Some(block));
            }
        }
    }

    #[test]
    fn a_block_with_a_missing_piece_is_left_out_and_the_next_one_is_not() {
        let (first, second) = (block(100), block(90));
        let cut = |number, block: &Bytes| pieces(1, number, block, 40).collect::<Vec<_>>();
        for missing in 0..6 {
            let mut messages = cut(1, &first);
            assert_eq!(messages.len(), 6);
            messages.remove(missing);
            messages.extend(cut(2, &second));
            let mut assembler = Assembler::default();
            let whole: Vec<Bytes> = messages
                .iter()
                .filter_map(|message| assembler.push(message))
                .collect();
            assert_eq!(whole, std::slice::from_ref(&second), "{missing}");
        }
    }

    #[test]
    fn pieces_of_two_senders_may_alternate() {
        let (one, other) = (block(100), block(77));
        let left = pieces(1, 5, &one, 50);
        let right = pieces(2, 5, &other, 50);
        let mut assembler = Assembler::default();
        let mut whole = Vec::new();
        for (left, right) in left.zip(right.map(Some).chain(std::iter::repeat(None))) {
            whole.extend(assembler.push(&left));
            whole.extend(right.and_then(|right| assembler.push(&right)));
        }
        whole.sort_by_key(Bytes::len);
        assert_eq!(whole, [other, one]);
    }

    #[test]
    fn what_is_no_piece_is_left_out() {
        let good = pieces(1, 1, &block(100), 50).next().unwrap();
        let mut assembler = Assembler::default();
        for size in 0..HEADER_BYTES {
            assert!(assembler.push(&good.slice(..size)).is_none());
        }
        let mut foreign = BytesMut::from(good.as_ref());
        foreign[0] = FORMAT + 1;
        assert!(assembler.push(&foreign.freeze()).is_none());
        // More pieces than there are, and none at all.
        for (index, count) in [(3, 3), (0, 0), (7, 2)] {
            let mut odd = BytesMut::from(good.as_ref());
            odd[17..19].copy_from_slice(&u16::to_be_bytes(index));
            odd[19..21].copy_from_slice(&u16::to_be_bytes(count));
            assert!(assembler.push(&odd.freeze()).is_none());
        }
    }
}
