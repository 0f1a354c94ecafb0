//! Other qualities of the picture: each follows the source's cuts exactly, with its own delay.
//!
//! Segment N of a rung holds the pictures of the source's segment N, so players can switch between them at any segment.
//! A rung begins with a key frame that begins a segment of the source, under the source's number. When it is hidden, it
//! is gone at once, and when it returns its playlist begins anew: the time line and the discontinuity count are the
//! source's, and a discontinuity of its own would put it out of step with the sound.

mod segmenter;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use media_formats::cmaf::{self, Track};
use media_formats::codec::VideoConfig;

use super::encoding::{EncoderEvent, LadderOffer, PictureFrame, SoundFrame, SourceEncoder};
use super::sound::EncodedSound;
use super::{Cut, Packager};
use crate::hls::rendition_writer::RenditionWriter;
use crate::hls::segment::SegmentStart;
use crate::hls::snapshot::{Ladder, ListedRung, PictureDescription};
use crate::hls::targets::Targets;
use segmenter::RungSegmenter;
pub(super) use segmenter::place;

/// Cuts of the source that are remembered for rungs that have not come to them; one further behind begins anew.
const MAX_CUTS: usize = 1024;
/// A rung that is no more than this many milliseconds behind the last picture of a source that has stopped has all that
/// it will get: its encoder may keep a few pictures for itself, and have left out some.
const KEPT_MS: i64 = 1_000;
/// Bytes of a rung that wait to become a whole segment; one that has more begins anew. The source may have twice as many
/// and is the larger one.
const MAX_RUNG_OPEN_BYTES: usize = 96 << 20;

/// Between the tokens of two renditions, which go by their init segments: odd, so that no two of a session are equal.
const TOKEN_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug, Default)]
enum RungState {
    #[default]
    Gone,
    /// Waits for a key frame that begins a segment.
    Waits(Arc<VideoConfig>),
    Runs(Box<RungSegmenter>),
}

/// All rungs.
#[derive(Debug)]
pub(super) struct Rungs {
    encoding: Box<dyn SourceEncoder>,
    offer: LadderOffer,
    /// The source's cuts, and the number of the first one.
    pub(super) cuts: VecDeque<Cut>,
    pub(super) first_cut: u64,
    states: Vec<RungState>,
    /// The encoded sound.
    pub(super) sound: EncodedSound,
    /// Presentation time of the newest picture given to the encoder.
    given_ms: i64,
    /// A rung or the sound was hidden since the last playlist.
    pub(super) has_lost_one: bool,
    inbox: Vec<EncoderEvent>,
}

impl Rungs {
    fn new(encoding: Box<dyn SourceEncoder>, offer: LadderOffer, start: SegmentStart) -> Self {
        let states = offer.rungs.iter().map(|_| RungState::Gone).collect();
        Self {
            encoding,
            offer,
            cuts: VecDeque::from([Cut::at(start.at_us, Some(start))]),
            first_cut: 0,
            states,
            sound: EncodedSound::default(),
            given_ms: start.at_us / 1000,
            has_lost_one: false,
            inbox: Vec::new(),
        }
    }

    /// Records cuts of the source.
    pub(super) fn expect(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            if self.cuts.len() >= MAX_CUTS {
                self.cuts.pop_front();
                self.first_cut += 1;
            }
            self.cuts.push_back(*cut);
        }
    }

    /// The same where time passed without a picture.
    pub(super) fn expect_without_picture(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.expect(&[Cut {
                is_without_picture: true,
                ..*cut
            }]);
        }
    }

    pub(super) fn give(&mut self, picture: PictureFrame) {
        self.given_ms = picture.shown_ms();
        self.encoding.give(picture);
    }

    pub(super) fn give_sound(&mut self, sound: SoundFrame) {
        self.encoding.give_sound(sound);
    }

    /// Whether something has changed that the playlists do not show yet.
    pub(super) fn is_dirty(&self) -> bool {
        self.has_lost_one
            || self.segmenters().any(|(_, segmenter)| segmenter.is_dirty)
            || self.sound.step().is_some_and(|sound| sound.is_dirty)
    }

    /// Records that the playlists show everything.
    pub(super) fn is_listed(&mut self) {
        self.has_lost_one = false;
        let listed: Vec<usize> = self.segmenters().map(|(place, _)| place).collect();
        let has_sound = self.sound.step().is_some();
        self.encoding.note_listed(&listed, has_sound);
        self.sound.is_listed();
        for state in &mut self.states {
            if let RungState::Runs(segmenter) = state {
                segmenter.is_dirty = false;
            }
        }
    }

    /// Ends all rungs: nothing follows.
    pub(super) fn end(&mut self, targets: &Targets) {
        self.sound.end(targets, &self.cuts, self.first_cut);
        for state in &mut self.states {
            if let RungState::Runs(segmenter) = state {
                let rest = self
                    .cuts
                    .iter()
                    .skip(place(segmenter.next_cut, self.first_cut));
                segmenter.end(rest);
            }
        }
    }

    fn segmenters(&self) -> impl Iterator<Item = (usize, &RungSegmenter)> {
        let states = self.states.iter().enumerate();
        states.filter_map(|(place, state)| match state {
            RungState::Runs(segmenter) if segmenter.writer.has_news => Some((place, &**segmenter)),
            RungState::Runs(_) | RungState::Waits(_) | RungState::Gone => None,
        })
    }

    /// The writers of all qualities and of the sound, listed or not.
    pub(super) fn writers_mut(&mut self) -> impl Iterator<Item = &mut RenditionWriter> {
        let pictures = self.states.iter_mut().filter_map(|state| match state {
            RungState::Runs(segmenter) => Some(&mut segmenter.writer),
            RungState::Waits(_) | RungState::Gone => None,
        });
        pictures.chain(self.sound.writer_mut())
    }

    fn leave(&mut self, rung: usize, next: RungState) {
        if let Some(state) = self.states.get_mut(rung)
            && let RungState::Runs(_) = std::mem::replace(state, next)
        {
            self.has_lost_one = true;
        }
    }

    /// The segment that begins with this picture.
    fn segment_at(&self, at_ms: i64, shown_ms: i64) -> Option<(u64, SegmentStart)> {
        let cuts = self.cuts.iter().enumerate().rev();
        let mut fitting = cuts.filter_map(|(place, cut)| {
            let is_here = match cut.key_shown_ms {
                Some(key_ms) => key_ms == shown_ms,
                None => cut.at_us == at_ms * 1000,
            };
            let start = cut.next_segment.filter(|_| is_here)?;
            Some((self.first_cut + place as u64, start))
        });
        fitting.next()
    }

    /// Follows all cuts that the rungs have reached.
    fn follow(&mut self) {
        for rung in 0..self.states.len() {
            let RungState::Runs(segmenter) = &mut self.states[rung] else {
                continue;
            };
            if segmenter.next_cut < self.first_cut || segmenter.open_bytes() > MAX_RUNG_OPEN_BYTES {
                // The encoder continues, and the rung resumes with the next key frame that fits.
                let config = Arc::clone(&segmenter.config);
                self.leave(rung, RungState::Waits(config));
                continue;
            }
            if segmenter.newest_ms < self.given_ms - KEPT_MS {
                continue;
            }
            // Pictures from before a silence that the encoder still holds come after it, if at all.
            let rest = self
                .cuts
                .range(place(segmenter.next_cut, self.first_cut).min(self.cuts.len())..);
            let silent = rest.clone().rposition(|cut| cut.is_without_picture);
            for cut in rest.take(silent.map_or(0, |last| last + 1)) {
                segmenter.pass(cut);
            }
        }
    }
}

impl Packager {
    /// Encodes the picture from now on.
    pub fn encode(&mut self, encoding: Box<dyn SourceEncoder>, offer: LadderOffer) {
        let Some(video) = &self.video else {
            return;
        };
        let open = &video.writer.window.open;
        let start = SegmentStart {
            msn: open.msn,
            at_us: open.start_us,
            date: open.date,
            is_discontinuity: open.is_discontinuity,
        };
        self.rungs = Some(Box::new(Rungs::new(encoding, offer, start)));
    }

    /// Takes the encoder's output.
    pub(super) fn follow_rungs(&mut self) {
        let Some(mut rungs) = self.rungs.take() else {
            return;
        };
        let mut inbox = std::mem::take(&mut rungs.inbox);
        rungs.encoding.take(&mut inbox);
        for one in inbox.drain(..) {
            match one {
                EncoderEvent::Show { rung, config } => rungs.leave(rung, RungState::Waits(config)),
                EncoderEvent::Hide { rung } => rungs.leave(rung, RungState::Gone),
                EncoderEvent::ShowSound { config } => {
                    rungs.has_lost_one |= rungs.sound.show(config)
                }
                EncoderEvent::HideSound => rungs.has_lost_one |= rungs.sound.hide(),
                EncoderEvent::Sound { at_ms, data } => rungs.sound.push(at_ms, data),
                EncoderEvent::Picture {
                    rung,
                    is_aligned,
                    picture,
                } => {
                    if is_aligned {
                        self.begin(&mut rungs, rung, &picture);
                    }
                    let Rungs {
                        states,
                        cuts,
                        first_cut,
                        ..
                    } = &mut *rungs;
                    if let Some(RungState::Runs(segmenter)) = states.get_mut(rung) {
                        segmenter.push(picture, cuts, *first_cut);
                    }
                }
            }
        }
        rungs.inbox = inbox;
        rungs.follow();
        self.follow_sound(&mut rungs);
        self.rungs = Some(rungs);
    }

    /// Begins the rendition of a waiting rung, if this picture begins a segment.
    fn begin(&mut self, rungs: &mut Rungs, rung: usize, picture: &PictureFrame) {
        let Some(RungState::Waits(config)) = rungs.states.get(rung) else {
            return;
        };
        let config = Arc::clone(config);
        let shown_ms = picture.shown_ms();
        let (Some((number, start)), Some(video)) =
            (rungs.segment_at(picture.at_ms, shown_ms), &self.video)
        else {
            return;
        };
        let discontinuities = video.writer.window.discontinuities_up_to(start.msn);
        let frame_us = self.tracks.video.as_ref().map_or(0.0, |one| one.frame_us);
        let every = rungs.offer.rungs.get(rung).map_or(1, |rung| rung.every);
        let described = PictureDescription::new(&config, frame_us * f64::from(every.max(1)));
        let init = cmaf::init::video(&config);
        let writer = self.further_writer(Track::Video, init, start, discontinuities);
        rungs.states[rung] = RungState::Runs(Box::new(RungSegmenter {
            config,
            writer,
            picture: described,
            targets: self.targets,
            next_cut: number + 1,
            pending: None,
            end_ms: start.at_us / 1000,
            newest_ms: shown_ms,
            is_dirty: false,
        }));
    }

    /// A rendition writer beside the source's, under names that were never used before.
    pub(super) fn further_writer(
        &mut self,
        track: Track,
        init: Bytes,
        start: SegmentStart,
        discontinuities: u64,
    ) -> RenditionWriter {
        let targets = self.targets;
        let start = SegmentStart {
            is_discontinuity: false,
            ..start
        };
        let init = self.init(init);
        let step = TOKEN_STEP.wrapping_mul(u64::from(init.version));
        let token = self.settings.token.wrapping_add(step) ^ self.names;
        RenditionWriter::new(track, token, init, start, discontinuities, &targets)
    }

    /// The rungs that can be listed.
    pub(super) fn ladder(&self) -> Ladder<'_> {
        let Some(rungs) = &self.rungs else {
            return Ladder::default();
        };
        let offered = &rungs.offer.rungs;
        let steps = rungs.segmenters().map(|(place, segmenter)| ListedRung {
            place,
            window: &segmenter.writer.window,
            picture: &segmenter.picture,
            has_encoded_sound: offered.get(place).is_some_and(|one| one.has_encoded_sound),
            is_dirty: segmenter.is_dirty,
        });
        Ladder {
            steps: steps.collect(),
            sound: rungs.sound.step(),
            lists_both_sounds: rungs.offer.lists_both_sounds,
            above_source: rungs.offer.above_source,
            places: rungs.states.len(),
        }
    }
}
