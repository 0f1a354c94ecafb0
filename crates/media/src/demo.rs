//! A built-in test stream: a short clip that loops for ever, with increasing timestamps.
//!
//! It publishes like any publisher and yields to all others: a real broadcast replaces it, and it returns when that
//! one is over.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::SignedDuration;
use media_formats::flv::{FileReader, FileTag, FlvError, TagKind, metadata};
use model::{Clock, Secret};
use tokio_util::sync::CancellationToken;

use crate::rtmp::{MediaRejection, PublicationEnd, PublishRequest, Sink};
use crate::stream::{PublishGrant, Stream};

/// Made by `scripts/make-demo.mjs`; picture and sound have the same length, so that the clip loops seamlessly.
static CLIP: &[u8] = include_bytes!("../assets/demo.flv");
/// While somebody else is broadcasting.
const AGAIN: Duration = Duration::from_secs(2);
/// Length of the clip's last frame, should it have only one.
const USUAL_FRAME_MS: u32 = 33;

/// Publishes until `stop`.
pub async fn run(
    stream: Stream,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) -> Result<(), FlvError> {
    let clip = Clip::read(Bytes::from_static(CLIP))?;
    loop {
        let request = PublishRequest {
            key: Secret::new(""),
            app: "live".into(),
            peer: SocketAddr::from(([127, 0, 0, 1], 0)),
            encoder: "Rillcast demo".into(),
            is_tls: false,
        };
        let grant = PublishGrant {
            name: "demo".into(),
            may_take_over: false,
            is_recorded: false,
        };
        match stream.admit(request, grant, true).await {
            Ok(sink) => clip.publish(sink, clock.as_ref(), &stop).await,
            Err(refusal) => tracing::debug!(reason = refusal.reason, "the demo waits"),
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

#[derive(Debug)]
struct Clip {
    tags: Vec<FileTag>,
    length_ms: u32,
}

impl Clip {
    fn read(file: Bytes) -> Result<Self, FlvError> {
        let tags = FileReader::new(file)?.collect::<Result<Vec<_>, _>>()?;
        let mut pictures = tags
            .iter()
            .filter(|tag| tag.kind == TagKind::Video)
            .map(|tag| tag.timestamp_ms);
        let last = pictures.next_back().unwrap_or(0);
        let frame = pictures
            .next_back()
            .map_or(USUAL_FRAME_MS, |before| last.saturating_sub(before));
        Ok(Self {
            tags,
            length_ms: last + frame.max(1),
        })
    }

    async fn publish(&self, mut sink: Box<dyn Sink>, clock: &dyn Clock, stop: &CancellationToken) {
        let start = clock.now();
        let revoked = sink.revoked();
        let mut round: u32 = 0;
        loop {
            let base = self.length_ms.wrapping_mul(round);
            let elapsed_ms = i64::from(self.length_ms) * i64::from(round);
            for tag in &self.tags {
                let due =
                    start + SignedDuration::from_millis(elapsed_ms + i64::from(tag.timestamp_ms));
                tokio::select! {
                    () = stop.cancelled() => return sink.end(PublicationEnd::Revoked),
                    () = revoked.cancelled() => return sink.end(PublicationEnd::Revoked),
                    () = clock.sleep_until(due) => {}
                }
                if let Err(MediaRejection { reason }) = give(sink.as_mut(), base, tag) {
                    tracing::error!(reason, "the demo clip was not accepted");
                    return sink.end(PublicationEnd::Unpublished);
                }
            }
            round = round.wrapping_add(1);
        }
    }
}

fn give(sink: &mut dyn Sink, base: u32, tag: &FileTag) -> Result<(), MediaRejection> {
    let stamp = base.wrapping_add(tag.timestamp_ms);
    match tag.kind {
        TagKind::Video => sink.video(stamp, tag.body.clone()),
        TagKind::Audio => sink.audio(stamp, tag.body.clone()),
        TagKind::Script => {
            if let Some(metadata) = metadata(&tag.body) {
                sink.metadata(metadata);
            }
            Ok(())
        }
        TagKind::Other(_) => Ok(()),
    }
}
