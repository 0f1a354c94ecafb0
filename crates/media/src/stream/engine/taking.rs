//! Which server takes in the stream, and what it finds in the history.

use std::pin::pin;
use std::time::Duration;

use store::{Lease, LeaseName, Leases, Store, StoreError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::history::History;
use super::{Broadcast, DISCONTINUITIES_PER_PROCESS, Engine, StreamCommand};
use crate::hls;
use crate::transcoder::TranscoderMemory;

/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

impl Engine {
    /// Reads the history. A broadcast that the last process did not end is resumed like a dropped one, so only the server
    /// that takes in the stream may call this.
    pub(in crate::stream) async fn resume(&mut self, store: &Store) -> Result<(), StoreError> {
        let stored = History::load(store).await?;
        self.status.send_replace(stored.status);
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
                encoding: TranscoderMemory::default(),
                ends_at: Some(ends_at),
            });
        }
        self.show();
        Ok(())
    }

    /// Waits until this server is the one that takes in the stream, and resumes; `None` if it stops before. Publishers are
    /// refused meanwhile.
    pub(in crate::stream) async fn take_over(
        &mut self,
        leases: &Leases,
        store: &Store,
        inbox: &mut mpsc::Receiver<StreamCommand>,
        stop: &CancellationToken,
    ) -> Option<Lease> {
        loop {
            let lease = {
                let mut taking = pin!(leases.take(LeaseName::Ingest));
                loop {
                    tokio::select! {
                        biased;
                        lease = &mut taking => break lease,
                        () = stop.cancelled() => return None,
                        Some(command) = inbox.recv() => refuse(command),
                    }
                }
            };
            match self.resume(&store.under(&lease)).await {
                Ok(()) => return Some(lease),
                Err(error) => {
                    tracing::error!(%error, "cannot read the stream's history, trying again");
                }
            }
            leases.give_back(lease).await;
            tokio::select! {
                () = stop.cancelled() => return None,
                () = tokio::time::sleep(DATABASE_PAUSE) => {}
            }
        }
    }
}

fn refuse(command: StreamCommand) {
    match command {
        StreamCommand::Publish(admission) => {
            let reason = "Another server of this stream takes broadcasts right now. Try again.";
            let _ = admission.answer.send(Err(reason.into()));
        }
        StreamCommand::Disconnect(answer) => {
            let _ = answer.send(false);
        }
        StreamCommand::RenewNames => {}
    }
}
