//! What waits to be published.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, watch};

/// Bytes that may wait; then the oldest are dropped. A minute of a usual stream.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a block; larger ones are dropped.
pub(super) const MAX_BLOCK_BYTES: usize = 32 * 1024 * 1024;
/// What is taken at once, as one wait for NATS.
const MAX_TAKEN: usize = 64;
const MAX_TAKEN_BYTES: usize = 8 * 1024 * 1024;

/// Where blocks are put that are to be published. Cheap to clone.
#[derive(Clone, Debug)]
pub struct MediaQueue(pub(super) Arc<Outbox>);

impl MediaQueue {
    /// Puts a block into the queue, and never waits. False if something was dropped for it, or the block itself.
    #[must_use]
    pub fn push(&self, block: Bytes) -> bool {
        self.0.push(block)
    }

    /// Tells whenever what was published before may be gone.
    pub fn losses(&self) -> MediaLosses {
        let noted = self.0.losses.subscribe();
        let taken = *noted.borrow();
        MediaLosses { noted, taken }
    }
}

/// Whether what was published is gone. Whoever waits for a loss has not taken it yet.
#[derive(Debug)]
pub struct MediaLosses {
    noted: watch::Receiver<u64>,
    taken: u64,
}

impl MediaLosses {
    /// Completes when there is a loss that nobody waited for; never, if nothing is published any more.
    pub async fn is_noted(&mut self) {
        if self.noted.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Whether there was a loss since this was asked last.
    pub fn take(&mut self) -> bool {
        let noted = *self.noted.borrow();
        let taken = std::mem::replace(&mut self.taken, noted);
        taken != noted
    }
}

#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: Mutex<WaitingBlocks>,
    news: Notify,
    losses: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct WaitingBlocks {
    blocks: VecDeque<Bytes>,
    bytes: usize,
}

impl WaitingBlocks {
    fn pop(&mut self) -> Option<Bytes> {
        let block = self.blocks.pop_front()?;
        self.bytes -= block.len();
        Some(block)
    }
}

impl Outbox {
    fn push(&self, block: Bytes) -> bool {
        if block.len() > MAX_BLOCK_BYTES {
            return false;
        }
        let mut has_room = true;
        {
            let mut waiting = self.waiting();
            while waiting.bytes + block.len() > MAX_WAITING_BYTES {
                has_room = false;
                if waiting.pop().is_none() {
                    break;
                }
            }
            waiting.bytes += block.len();
            waiting.blocks.push_back(block);
        }
        self.news.notify_one();
        has_room
    }

    /// The oldest blocks, as soon as there are some.
    pub(super) async fn take(&self) -> Vec<Bytes> {
        loop {
            let taken = self.take_now();
            if !taken.is_empty() {
                return taken;
            }
            self.news.notified().await;
        }
    }

    fn take_now(&self) -> Vec<Bytes> {
        let mut waiting = self.waiting();
        let mut taken = Vec::new();
        let mut bytes = 0;
        while taken.len() < MAX_TAKEN && bytes < MAX_TAKEN_BYTES {
            let Some(block) = waiting.pop() else { break };
            bytes += block.len();
            taken.push(block);
        }
        taken
    }

    pub(super) fn note_loss(&self) {
        self.losses.send_modify(|losses| *losses += 1);
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingBlocks> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn blocks_are_taken_in_order_and_the_oldest_go_when_there_are_too_many() {
        let outbox = Arc::new(Outbox::default());
        let queue = MediaQueue(Arc::clone(&outbox));
        let block = |number: u8| Bytes::from(vec![number; MAX_BLOCK_BYTES / 2]);
        for number in 0..4 {
            assert!(queue.push(block(number)));
        }
        assert!(!queue.push(block(4)));
        assert!(!queue.push(Bytes::from(vec![5; MAX_BLOCK_BYTES + 1])));
        let mut numbers = Vec::new();
        while numbers.last() != Some(&4) {
            numbers.extend(outbox.take().await.iter().map(|block| block[0]));
        }
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!(outbox.waiting().bytes, 0);
    }

    #[tokio::test]
    async fn a_loss_that_was_waited_for_is_still_to_be_taken() {
        let outbox = Arc::new(Outbox::default());
        let mut losses = MediaQueue(Arc::clone(&outbox)).losses();
        assert!(!losses.take());
        let ((), ()) = tokio::join!(losses.is_noted(), async { outbox.note_loss() });
        assert!(losses.take());
        assert!(!losses.take());
        outbox.note_loss();
        assert!(losses.take(), "also without waiting");
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_by_the_next_block() {
        let outbox = Arc::new(Outbox::default());
        let queue = MediaQueue(Arc::clone(&outbox));
        let (taken, pushed) = tokio::join!(outbox.take(), async {
            queue.push(Bytes::from_static(b"news"))
        });
        assert!(pushed);
        assert_eq!(taken, [Bytes::from_static(b"news")]);
    }
}
