//! What is known about the encoder of a broadcast when its pictures change and another one takes its place.

use std::sync::{Arc, Mutex, PoisonError};

use super::encoder::Encoder;
use super::supervisor::Past;

/// Shared by all encoders of a broadcast, which come one after the other.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    past: Past,
    /// Hardware that was tried, and whether it works.
    tried: Option<(Encoder, bool)>,
}

impl Memory {
    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn past(&self) -> Past {
        self.with(|known| known.past)
    }

    /// Remembers it, unless somebody else has taken over.
    pub(super) fn keep(&self, past: Past, is_over: impl FnOnce() -> bool) {
        self.with(|known| {
            if !is_over() {
                known.past = past;
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
        let memory = Memory::default();
        let next = memory.clone();
        memory.has_tried(Encoder::Vaapi, false);
        assert_eq!(next.tried(Encoder::Vaapi), Some(false));
        assert_eq!(next.tried(Encoder::Nvenc), None);
        let (now, mut past) = (Duration::from_secs(9), Past::default());
        past.begin(now);
        memory.keep(past, || false);
        assert_eq!(next.past(), past);
        memory.keep(Past::default(), || true);
        assert_eq!(next.past().rest(now), Duration::from_secs(1));
    }
}
