//! One publication: drives the session's packager and returns it at the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use media_formats::flv::{self, Metadata};
use media_formats::timeline::TrackKind;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::handle::StreamShared;
use super::health::Meter;
use super::transcoding::LadderRequest;
use crate::hls::{self, Packager, Snapshot, Tracks};
use crate::ingest::{Ingest, PackagerProvider, TagContent, UnusableStream};
use crate::rtmp::{MediaRejection, PublicationEnd, Sink};

/// The packager on loan, or what is needed to make the session's first one.
#[derive(Debug)]
pub(super) struct PackagerLease {
    pub(super) settings: hls::PackagerSettings,
    pub(super) live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    pub(super) packager: Option<Packager>,
    /// Where the first packager goes on, if the broadcast was another server's.
    pub(super) resume: Option<hls::ResumePoint>,
    /// Where the time line of the first packager begins at the earliest.
    pub(super) origin_us: i64,
    pub(super) ladder: LadderRequest,
}

impl PackagerProvider for PackagerLease {
    fn begin(&mut self, tracks: Tracks, at: Timestamp) -> &mut Packager {
        let goes_on = match &mut self.packager {
            Some(packager) => packager.adopt(tracks, at),
            empty => {
                let (settings, shown) = (self.settings, self.live_snapshot.clone());
                *empty = Some(match self.resume.take() {
                    Some(point) => Packager::resume(settings, point, tracks, at, shown),
                    None => Packager::new_at(settings, self.origin_us, tracks, at, shown),
                });
                false
            }
        };
        let packager = self.packager.as_mut().expect("put there a line above");
        if !goes_on {
            self.ladder.start_transcoder(packager);
        }
        packager
    }

    fn packager(&mut self) -> Option<&mut Packager> {
        self.packager.as_mut()
    }
}

#[derive(Debug)]
pub(super) struct PublicationResult {
    pub(super) packager: Option<Packager>,
    pub(super) how: PublicationEnd,
}

#[derive(Debug)]
pub(super) struct Publication {
    pub(super) ingest: Ingest,
    pub(super) lease: PackagerLease,
    pub(super) meter: Arc<Meter>,
    pub(super) shared: Arc<StreamShared>,
    pub(super) revoked: CancellationToken,
    pub(super) idle_limit: Duration,
    pub(super) tracks: Tracks,
    pub(super) back: Option<oneshot::Sender<PublicationResult>>,
}

impl Publication {
    fn give_back(&mut self, how: PublicationEnd) {
        if let Some(back) = self.back.take() {
            // The packager cannot be trusted after a panic in the middle of a call.
            let packager = self
                .lease
                .packager
                .take()
                .filter(|_| !std::thread::panicking());
            // Nobody waits for it while the server is stopping.
            let _ = back.send(PublicationResult { packager, how });
        }
    }

    fn after(
        &mut self,
        seen: Result<TagContent, UnusableStream>,
        stamp: u32,
        bytes: usize,
    ) -> Result<(), MediaRejection> {
        let seen = seen.map_err(|UnusableStream(reason)| MediaRejection { reason })?;
        self.meter
            .note(seen, stamp, bytes, self.shared.clock.uptime());
        if let Some(packager) = &mut self.lease.packager {
            packager.rename(self.shared.names.load(Ordering::Relaxed));
        }
        if let Some(packager) = &self.lease.packager
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

    fn video(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection> {
        let bytes = body.len();
        self.meter
            .note_further(TrackKind::Video, flv::further_video_tracks(&body));
        let seen = self
            .ingest
            .video(timestamp_ms, body, self.shared.clock.now(), &mut self.lease);
        self.after(seen, timestamp_ms, bytes)
    }

    fn audio(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection> {
        let bytes = body.len();
        self.meter
            .note_further(TrackKind::Audio, flv::further_audio_tracks(&body));
        let seen = self
            .ingest
            .audio(timestamp_ms, body, self.shared.clock.now(), &mut self.lease);
        self.after(seen, timestamp_ms, bytes)
    }

    fn revoked(&self) -> CancellationToken {
        self.revoked.clone()
    }

    fn idle_limit(&self) -> Duration {
        self.idle_limit
    }

    fn end(mut self: Box<Self>, how: PublicationEnd) {
        self.give_back(how);
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        // Without `end`, the connection's task was dropped or panicked.
        self.give_back(PublicationEnd::Dropped("the connection was cut".into()));
    }
}
