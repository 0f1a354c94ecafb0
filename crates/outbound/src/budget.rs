//! How many requests one cause may make.
//!
//! One inbound activity must never fan out into an unbounded crawl, however its documents refer to each other; the
//! budget is created where the cause arrives and passed down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A shared allowance of requests; clones draw from the same budget.
#[derive(Debug, Clone)]
pub struct FetchBudget {
    left: Arc<AtomicU32>,
}

impl FetchBudget {
    /// A budget of `requests` requests, each redirect counting as one.
    #[must_use]
    pub fn new(requests: u32) -> Self {
        Self {
            left: Arc::new(AtomicU32::new(requests)),
        }
    }

    /// How many more requests may be made.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.left.load(Ordering::Acquire)
    }

    /// Spends one request; `None` if none is left.
    pub(crate) fn pay(&self) -> Option<()> {
        self.left
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| {
                left.checked_sub(1)
            })
            .ok()
            .map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_purse_and_it_never_wraps() {
        let budget = FetchBudget::new(2);
        let handle = budget.clone();
        assert!(budget.pay().is_some());
        assert!(handle.pay().is_some());
        assert!(budget.pay().is_none());
        assert!(handle.pay().is_none());
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn threads_together_never_spend_more_than_the_purse_holds() {
        let budget = FetchBudget::new(100);
        let paid: usize = std::thread::scope(|scope| {
            let spenders: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..50).filter(|_| budget.pay().is_some()).count()))
                .collect();
            spenders.into_iter().filter_map(|s| s.join().ok()).sum()
        });
        assert_eq!(paid, 100);
    }
}
