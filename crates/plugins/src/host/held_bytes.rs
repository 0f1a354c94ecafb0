//! Counts a plugin's bytes that wait for slow readers, until they are sent or dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Bytes of one plugin that may wait for those who read them slowly: its answers, files of its package, and frames for pages
/// that listen. Pages that are furthest behind are cut off to make room, and answers that find none are 503.
pub const MAX_HELD_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of an answer that is never put off for want of room, so that few slow readers do not end a plugin for everybody.
pub const SMALL_ANSWER_BYTES: usize = 64 * 1024;

/// Bytes of the largest answer that is not large.
pub const MEDIUM_ANSWER_BYTES: usize = 1024 * 1024;

/// What large answers may have of [`MAX_HELD_BYTES`]. One alone always has room.
pub(super) const MAX_LARGE_BYTES: usize = MAX_HELD_BYTES / 2;

/// With so many bytes waiting a plugin's code is not asked any more: only very many small answers get there.
pub(super) const MAX_ASKED_BYTES: usize = 2 * MAX_HELD_BYTES;

/// A counter of held bytes. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldBytes(Arc<AtomicUsize>);

impl HeldBytes {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// The same bytes, counted for as long as they or a clone exist; `None` if the total would exceed `most`, unless
    /// they are the only ones. They are shared, not copied.
    pub(super) fn hold(&self, bytes: Bytes, most: usize) -> Option<Bytes> {
        let size = bytes.len();
        let count = |held: usize| {
            let all = held.checked_add(size);
            all.filter(|all| held == 0 || *all <= most)
        };
        let counted = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        counted.ok()?;
        Some(self.release_later(bytes))
    }

    /// Like [`Self::hold`], without a limit.
    pub(super) fn hold_anyway(&self, bytes: Bytes) -> Bytes {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        self.release_later(bytes)
    }

    fn release_later(&self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(CountedBytes {
            bytes,
            held: self.clone(),
        })
    }
}

/// Counted bytes.
struct CountedBytes {
    bytes: Bytes,
    held: HeldBytes,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_until_the_last_of_them_is_gone() {
        let held = HeldBytes::default();
        let first = held.hold(Bytes::from_static(b"12345"), 8).unwrap();
        assert_eq!(held.hold(Bytes::from_static(b"1234"), 8), None);
        let part = first.slice(2..4);
        drop(first);
        assert_eq!(held.count(), 5);
        assert_eq!(part, "34");
        drop(part);
        assert_eq!(held.count(), 0);
        let more = held.hold_anyway(Bytes::from_static(b"123456789"));
        assert_eq!((held.count(), more.len()), (9, 9));
    }
}
