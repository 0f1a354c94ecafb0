//! A body made of shared pieces that are not copied.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// A body whose bytes are in several places.
#[derive(Debug)]
pub struct ChainedBody {
    pieces: VecDeque<Bytes>,
    left: u64,
}

impl ChainedBody {
    /// All bytes of these pieces, in their order.
    pub fn new(pieces: impl Iterator<Item = Bytes>) -> Self {
        let pieces: VecDeque<Bytes> = pieces.filter(|piece| !piece.is_empty()).collect();
        let left = pieces.iter().map(|piece| piece.len() as u64).sum();
        Self { pieces, left }
    }

    /// Bytes `first` to `last` of the whole, both inclusive.
    pub fn cut(pieces: impl Iterator<Item = Bytes>, first: u64, last: u64) -> Self {
        let mut start: u64 = 0;
        let inside = pieces.map(|piece| {
            let end = start + piece.len() as u64;
            let from = first.clamp(start, end) - start;
            let to = (last + 1).clamp(start, end) - start;
            start = end;
            // Both are at most the length of a piece in memory.
            piece.slice(from as usize..to.max(from) as usize)
        });
        Self::new(inside)
    }
}

impl HttpBody for ChainedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        if let Some(piece) = &piece {
            self.left -= piece.len() as u64;
        }
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cut_has_exactly_the_bytes_asked_for(lengths in prop::collection::vec(0_usize..20, 1..6), a in 0_u64..100, b in 0_u64..100) {
            let whole: Vec<u8> = (0..lengths.iter().sum::<usize>()).map(|n| n as u8).collect();
            prop_assume!(!whole.is_empty());
            let last = whole.len() as u64 - 1;
            let (first, last) = (a.min(b).min(last), a.max(b).min(last));
            let mut rest = Bytes::from(whole.clone());
            let pieces: Vec<Bytes> = lengths.iter().map(|length| rest.split_to(*length)).collect();
            let chain = ChainedBody::cut(pieces.into_iter(), first, last);
            prop_assert_eq!(chain.size_hint().exact(), Some(last - first + 1));
            let bytes: Vec<u8> = chain.pieces.iter().flatten().copied().collect();
            prop_assert_eq!(&bytes[..], &whole[first as usize..=last as usize]);
        }
    }
}
