//! One publisher's turn: it drives the session's packager and gives it back at the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::handle::Shared;
use super::health::Meter;
use super::ladder::Wishes;
use crate::flv::{self, Metadata};
use crate::hls::{self, Packager, Snapshot, Tracks};
use crate::ingest::{Ingest, Seen, Session, Unusable};
use crate::rtmp::{End, Rejected, Sink};
use crate::timeline::Kind;

/// The packager that is lent, or what is needed to make the session's first one.
#[derive(Debug)]
pub(super) struct Loan {
    pub(super) settings: hls::Settings,
    pub(super) shelf: watch::Sender<Option<Arc<Snapshot>>>,
    pub(super) packager: Option<Packager>,
    pub(super) wishes: Wishes,
}

impl Session for Loan {
    fn begin(&mut self, tracks: Tracks, at: Timestamp) -> &mut Packager {
        let goes_on = match &mut self.packager {
            Some(packager) => packager.adopt(tracks, at),
            empty => {
                *empty = Some(Packager::new(self.settings, tracks, at, self.shelf.clone()));
                false
            }
        };
        let packager = self.packager.as_mut().expect("put there a line above");
        if !goes_on {
            self.wishes.fulfil(packager);
        }
        packager
    }

    fn packager(&mut self) -> Option<&mut Packager> {
        self.packager.as_mut()
    }
}

/// What a publisher leaves behind.
#[derive(Debug)]
pub(super) struct Returned {
    pub(super) packager: Option<Packager>,
    pub(super) how: End,
}

/// What a publication is made of.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) ingest: Ingest,
    pub(super) loan: Loan,
    pub(super) meter: Arc<Meter>,
    pub(super) shared: Arc<Shared>,
    pub(super) revoked: CancellationToken,
    pub(super) idle_limit: Duration,
    pub(super) tracks: Tracks,
    pub(super) back: Option<oneshot::Sender<Returned>>,
}

impl Publication {
    fn give_back(&mut self, how: End) {
        if let Some(back) = self.back.take() {
            // After a panic in the middle of something the packager cannot be trusted.
            let packager = self
                .loan
                .packager
                .take()
                .filter(|_| !std::thread::panicking());
            // Nobody waits for it while the server is stopping.
            let _ = back.send(Returned { packager, how });
        }
    }

    fn after(
        &mut self,
        seen: Result<Seen, Unusable>,
        stamp: u32,
        bytes: usize,
    ) -> Result<(), Rejected> {
        let seen = seen.map_err(|Unusable(reason)| Rejected { reason })?;
        self.meter
            .note(seen, stamp, bytes, self.shared.clock.uptime());
        if let Some(packager) = &mut self.loan.packager {
            packager.rename(self.shared.names.load(Ordering::Relaxed));
        }
        if let Some(packager) = &self.loan.packager
            && *packager.tracks() != self.tracks
        {
            self.tracks = packager.tracks().clone();
            self.meter.note_tracks(&self.tracks, packager.targets());
        }
        Ok(())
    }
}

impl Sink for Publication {
    fn metadata(&mut self, metadata: Metadata) {
        self.meter.note_encoder(&metadata.encoder);
        self.ingest.metadata(&metadata);
    }

    fn video(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), Rejected> {
        let bytes = body.len();
        self.meter
            .note_further(Kind::Video, flv::further_video_tracks(&body));
        let seen = self
            .ingest
            .video(timestamp_ms, body, self.shared.clock.now(), &mut self.loan);
        self.after(seen, timestamp_ms, bytes)
    }

    fn audio(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), Rejected> {
        let bytes = body.len();
        self.meter
            .note_further(Kind::Audio, flv::further_audio_tracks(&body));
        let seen = self
            .ingest
            .audio(timestamp_ms, body, self.shared.clock.now(), &mut self.loan);
        self.after(seen, timestamp_ms, bytes)
    }

    fn revoked(&self) -> CancellationToken {
        self.revoked.clone()
    }

    fn idle_limit(&self) -> Duration {
        self.idle_limit
    }

    fn end(mut self: Box<Self>, how: End) {
        self.give_back(how);
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        // Only reached without `end` when the connection's task was dropped or panicked.
        self.give_back(End::Dropped("the connection was cut".into()));
    }
}
