//! Measures an encoder's speed.

use std::time::Duration;

/// How long speed is measured before it is said.
const SPEED_WINDOW: Duration = Duration::from_secs(10);

/// How much is encoded in how much time.
#[derive(Debug, Default)]
pub(super) struct Speed {
    /// When the measurement began, and with which picture.
    began: Option<(Duration, i64)>,
    pub(super) percent: Option<u32>,
}

impl Speed {
    pub(super) fn note(&mut self, newest_ms: i64, now: Duration) {
        let Some((since, first_ms)) = self.began else {
            self.began = Some((now, newest_ms));
            return;
        };
        let elapsed = now.saturating_sub(since);
        if elapsed < SPEED_WINDOW {
            return;
        }
        let encoded_ms = u64::try_from(newest_ms - first_ms).unwrap_or(0);
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let percent = encoded_ms.saturating_mul(100) / elapsed_ms.max(1);
        self.percent = Some(u32::try_from(percent).unwrap_or(u32::MAX));
        self.began = Some((now, newest_ms));
    }
}
