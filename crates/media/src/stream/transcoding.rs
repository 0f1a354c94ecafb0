//! The qualities that a broadcast is transcoded to: the operator's settings when the publisher connected.

use std::sync::Arc;

use media_formats::cmaf;
use model::Clock;
use model::settings::VideoVariant;
use model::settings::table::video::{CODEC, FFMPEG_PATH, OUTPUT_VARIANTS};
use store::settings::Settings;
use tokio::sync::watch;

use super::handle::StreamShared;
use crate::hls::{LadderOffer, OfferedRung, Packager};
use crate::transcoder::{
    Encoder, LadderPlan, LadderSource, TranscodeJob, TranscoderMemory, TranscoderStatus,
};

/// Publishes the encoder's status.
pub(super) type TranscoderStatusSender = watch::Sender<Option<Arc<TranscoderStatus>>>;

#[derive(Debug)]
pub(super) struct LadderRequest {
    variants: Arc<[VideoVariant]>,
    encoder: Encoder,
    ffmpeg: String,
    clock: Arc<dyn Clock>,
    status: TranscoderStatusSender,
    memory: TranscoderMemory,
}

impl LadderRequest {
    pub(super) fn read(
        settings: &Settings,
        shared: &StreamShared,
        memory: &TranscoderMemory,
    ) -> Self {
        let layers = settings.now();
        Self {
            variants: layers.get(&OUTPUT_VARIANTS).as_slice().into(),
            encoder: Encoder::named(layers.text(&CODEC)).unwrap_or(Encoder::X264),
            ffmpeg: layers.text(&FFMPEG_PATH).trim().to_owned(),
            clock: Arc::clone(&shared.clock),
            status: shared.transcoder_status.clone(),
            memory: memory.clone(),
        }
    }

    /// Starts the encoder for the packaged tracks, if anything is to be encoded.
    pub(super) fn start_transcoder(&self, packager: &mut Packager) {
        let tracks = packager.tracks();
        let planned = LadderSource::of(tracks);
        let plan = LadderPlan::choose(&self.variants, &planned);
        if plan.is_empty() {
            return;
        }
        // A track that is not encoded need not be read.
        let video = tracks.video.as_ref().filter(|_| !plan.rungs.is_empty());
        let audio = tracks.audio.as_ref().filter(|_| plan.sound.is_some());
        let picture = video.map(|track| &*track.config);
        let init = cmaf::init::together(picture, audio.map(|track| &*track.config));
        let picture_init = cmaf::init::together(picture, None);
        // If the operator does not want the source offered, it is listed last, as a fallback for players.
        let mut variants = self.variants.iter();
        let source = variants.position(|one| one.video_passthrough);
        let source = source.unwrap_or(self.variants.len());
        let rungs = plan.rungs.iter();
        let above_source = rungs.clone().filter(|rung| rung.variant < source).count();
        let offer = LadderOffer {
            rungs: rungs
                .map(|rung| OfferedRung {
                    every: rung.every,
                    has_encoded_sound: rung.has_encoded_sound,
                })
                .collect(),
            above_source,
            lists_both_sounds: planned.sound.is_some_and(|sound| !sound.plays_everywhere),
        };
        let job = TranscodeJob {
            variants: Arc::clone(&self.variants),
            plan,
            encoder: self.encoder,
            ffmpeg: self.ffmpeg.clone(),
            init,
            picture_init,
            clock: Arc::clone(&self.clock),
            memory: self.memory.clone(),
            status: self.status.clone(),
        };
        packager.encode(job.start(), offer);
    }
}
