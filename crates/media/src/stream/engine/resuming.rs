//! What a process finds in the history when it begins to take in the stream.

use store::{Store, StoreError};

use super::history::History;
use super::{Broadcast, DISCONTINUITIES_PER_PROCESS, Engine};
use crate::hls;
use crate::transcoder::TranscoderMemory;

impl Engine {
    /// Reads the history. A broadcast that the last process did not end is resumed like a dropped one, so only the server
    /// that takes in the stream may call this.
    pub(in crate::stream) async fn resume(&mut self, store: &Store) -> Result<(), StoreError> {
        let stored = History::load(store).await?;
        // What was shown of another server goes on until more is known of this one.
        self.status.send_modify(|status| {
            status.last_connect = stored.status.last_connect;
            status.last_disconnect = stored.status.last_disconnect;
            status.overall_peak = stored.status.overall_peak;
        });
        if let Some((unfinished, resumed)) = stored.unfinished {
            let ends_at = self.shared.clock.uptime() + self.grace();
            let fresh = self.session_settings();
            self.broadcast = Some(Broadcast {
                id: unfinished.id,
                settings: hls::PackagerSettings {
                    // The previous process may have begun in this same second.
                    first_msn: fresh.first_msn + u64::from(resumed),
                    first_discontinuity: u64::from(resumed) * DISCONTINUITIES_PER_PROCESS,
                    ..fresh
                },
                live_since: Some(unfinished.started_at),
                peak: unfinished.peak_viewers,
                publisher: None,
                packager: None,
                resume: None,
                origin_us: 0,
                encoding: TranscoderMemory::default(),
                ends_at: Some(ends_at),
            });
        }
        self.show();
        Ok(())
    }
}
