//! State that survives when a broadcast's tracks change and a new encoder replaces the old one.

use std::sync::{Arc, Mutex, PoisonError};

use super::encoder::Encoder;
use super::supervisor::RestartHistory;

/// Shared by all successive encoders of a broadcast.
#[derive(Clone, Debug, Default)]
pub struct TranscoderMemory(Arc<Mutex<MemoryState>>);

#[derive(Debug, Default)]
struct MemoryState {
    restart_history: RestartHistory,
    /// The hardware encoder that was tried, and whether it works.
    tried: Option<(Encoder, bool)>,
}

impl TranscoderMemory {
    fn with<T>(&self, work: impl FnOnce(&mut MemoryState) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn restart_history(&self) -> RestartHistory {
        self.with(|known| known.restart_history)
    }

    /// Stores it, unless another encoder has taken over.
    pub(super) fn keep(&self, restart_history: RestartHistory, is_over: impl FnOnce() -> bool) {
        self.with(|known| {
            if !is_over() {
                known.restart_history = restart_history;
            }
        });
    }

    pub(super) fn tried(&self, encoder: Encoder) -> Option<bool> {
        let tried = self.with(|known| known.tried);
        tried
            .filter(|(one, _)| *one == encoder)
            .map(|(_, works)| works)
    }

    pub(super) fn has_tried(&self, encoder: Encoder, works: bool) {
        self.with(|known| known.tried = Some((encoder, works)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_tried_and_when_is_known_to_the_next() {
        let memory = TranscoderMemory::default();
        let next = memory.clone();
        memory.has_tried(Encoder::Vaapi, false);
        assert_eq!(next.tried(Encoder::Vaapi), Some(false));
        assert_eq!(next.tried(Encoder::Nvenc), None);
        let (now, mut restart_history) = (Duration::from_secs(9), RestartHistory::default());
        restart_history.begin(now);
        memory.keep(restart_history, || false);
        assert_eq!(next.restart_history(), restart_history);
        memory.keep(RestartHistory::default(), || true);
        assert_eq!(next.restart_history().rest(now), Duration::from_secs(1));
    }
}
