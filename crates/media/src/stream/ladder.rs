//! Which other qualities a broadcast gets: the operator's wishes, as they were when the publisher came.

use std::sync::Arc;

use model::Clock;
use model::settings::Variant;
use model::settings::table::video::{CODEC, FFMPEG_PATH, OUTPUT_VARIANTS};
use store::settings::Settings;
use tokio::sync::watch;

use super::handle::Shared;
use crate::cmaf;
use crate::hls::{Offer, OfferedRung, Packager};
use crate::ladder::{Encoder, Job, LadderStatus, Memory, Plan, Source};

/// Where people look for how the encoder is.
pub(super) type LadderShelf = watch::Sender<Option<Arc<LadderStatus>>>;

#[derive(Debug)]
pub(super) struct Wishes {
    variants: Arc<[Variant]>,
    encoder: Encoder,
    ffmpeg: String,
    clock: Arc<dyn Clock>,
    status: LadderShelf,
    memory: Memory,
}

impl Wishes {
    pub(super) fn read(settings: &Settings, shared: &Shared, memory: &Memory) -> Self {
        let layers = settings.now();
        Self {
            variants: layers.get(&OUTPUT_VARIANTS).as_slice().into(),
            encoder: Encoder::named(layers.text(&CODEC)).unwrap_or(Encoder::X264),
            ffmpeg: layers.text(&FFMPEG_PATH).trim().to_owned(),
            clock: Arc::clone(&shared.clock),
            status: shared.ladder.clone(),
            memory: memory.clone(),
        }
    }

    /// Starts the encoder for what is being packaged, if anything is to be encoded.
    pub(super) fn fulfil(&self, packager: &mut Packager) {
        let tracks = packager.tracks();
        let planned = Source::of(tracks);
        let plan = Plan::choose(&self.variants, &planned);
        if plan.is_empty() {
            return;
        }
        // What nobody encodes need not be read.
        let video = tracks.video.as_ref().filter(|_| !plan.rungs.is_empty());
        let audio = tracks.audio.as_ref().filter(|_| plan.sound.is_some());
        let picture = video.map(|track| &*track.config);
        let init = cmaf::init::together(picture, audio.map(|track| &*track.config));
        let picture_init = cmaf::init::together(picture, None);
        // Where the operator does not want it, it stands last, for players whose other qualities are gone.
        let mut variants = self.variants.iter();
        let source = variants.position(|one| one.video_passthrough);
        let source = source.unwrap_or(self.variants.len());
        let rungs = plan.rungs.iter();
        let above_source = rungs.clone().filter(|rung| rung.variant < source).count();
        let offer = Offer {
            rungs: rungs
                .map(|rung| OfferedRung {
                    every: rung.every,
                    has_encoded_sound: rung.has_encoded_sound,
                })
                .collect(),
            above_source,
            lists_both_sounds: planned.sound.is_some_and(|sound| !sound.plays_everywhere),
        };
        let job = Job {
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
