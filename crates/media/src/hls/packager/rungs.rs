//! Other qualities of the picture: each follows the very cuts of the source, as late as it comes.
//!
//! Segment N of a rung holds the pictures of segment N of the source, so players change between them at any segment. A
//! rung begins with a key frame that begins a segment of the source, under the source's number. When it goes it is gone
//! at once, and when it comes back its list begins anew: the time line and the count of discontinuities are those of the
//! source, and a discontinuity of its own would put it out of step with the sound.

mod cutter;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::encoding::{Encoded, Encoding, Given, GivenSound, Offer};
use super::sound::EncodedSound;
use super::{Cut, Packager};
use crate::cmaf::{self, Track};
use crate::codec::VideoConfig;
use crate::hls::lane::{Lane, Start};
use crate::hls::snapshot::{Ladder, Picture, Step};
use crate::hls::targets::Targets;
use cutter::Cutter;
pub(super) use cutter::place;

/// Cuts of the source that are remembered for rungs that have not come to them; one further behind begins anew.
const MAX_CUTS: usize = 1024;
/// A rung that is no more than this many milliseconds behind the last picture of a source that has stopped has all that
/// it will get: its encoder may keep a few pictures for itself, and have left out some.
const KEPT_MS: i64 = 1_000;
/// Bytes of a rung that wait to become a whole segment; one that has more begins anew. The source may have twice as many
/// and is the larger one.
const MAX_RUNG_OPEN_BYTES: usize = 96 << 20;

/// Between the tokens of two lanes, which go by their init segments: odd, so that no two of a session are equal.
const TOKEN_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug, Default)]
enum State {
    #[default]
    Gone,
    /// For a key frame that begins a segment.
    Waits(Arc<VideoConfig>),
    Runs(Box<Cutter>),
}

/// All of them.
#[derive(Debug)]
pub(super) struct Rungs {
    encoding: Box<dyn Encoding>,
    offer: Offer,
    /// The source's cuts, and the number of the first of them.
    pub(super) cuts: VecDeque<Cut>,
    pub(super) first_cut: u64,
    states: Vec<State>,
    /// The sound, where it is encoded.
    pub(super) sound: EncodedSound,
    /// When the newest picture that was given is shown.
    given_ms: i64,
    /// A rung or the sound has gone since the last list.
    pub(super) has_lost_one: bool,
    inbox: Vec<Encoded>,
}

impl Rungs {
    fn new(encoding: Box<dyn Encoding>, offer: Offer, start: Start) -> Self {
        let states = offer.rungs.iter().map(|_| State::Gone).collect();
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

    /// The source was cut here.
    pub(super) fn expect(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            if self.cuts.len() >= MAX_CUTS {
                self.cuts.pop_front();
                self.first_cut += 1;
            }
            self.cuts.push_back(*cut);
        }
    }

    /// The same where time has passed without a picture.
    pub(super) fn expect_without_picture(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.expect(&[Cut {
                is_without_picture: true,
                ..*cut
            }]);
        }
    }

    pub(super) fn give(&mut self, picture: Given) {
        self.given_ms = picture.shown_ms();
        self.encoding.give(picture);
    }

    pub(super) fn give_sound(&mut self, sound: GivenSound) {
        self.encoding.give_sound(sound);
    }

    /// Something has changed that the lists do not show yet.
    pub(super) fn is_dirty(&self) -> bool {
        self.has_lost_one
            || self.cutters().any(|(_, cutter)| cutter.is_dirty)
            || self.sound.step().is_some_and(|sound| sound.is_dirty)
    }

    /// The lists show everything.
    pub(super) fn is_listed(&mut self) {
        self.has_lost_one = false;
        let listed: Vec<usize> = self.cutters().map(|(place, _)| place).collect();
        let has_sound = self.sound.step().is_some();
        self.encoding.hear_listed(&listed, has_sound);
        self.sound.is_listed();
        for state in &mut self.states {
            if let State::Runs(cutter) = state {
                cutter.is_dirty = false;
            }
        }
    }

    /// Nothing will come any more.
    pub(super) fn end(&mut self, targets: &Targets) {
        self.sound.end(targets, &self.cuts, self.first_cut);
        for state in &mut self.states {
            if let State::Runs(cutter) = state {
                let rest = self
                    .cuts
                    .iter()
                    .skip(place(cutter.next_cut, self.first_cut));
                cutter.end(rest);
            }
        }
    }

    fn cutters(&self) -> impl Iterator<Item = (usize, &Cutter)> {
        let states = self.states.iter().enumerate();
        states.filter_map(|(place, state)| match state {
            State::Runs(cutter) if cutter.lane.has_news => Some((place, &**cutter)),
            State::Runs(_) | State::Waits(_) | State::Gone => None,
        })
    }

    /// Those of all qualities and of the sound, listed or not.
    pub(super) fn lanes_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        let pictures = self.states.iter_mut().filter_map(|state| match state {
            State::Runs(cutter) => Some(&mut cutter.lane),
            State::Waits(_) | State::Gone => None,
        });
        pictures.chain(self.sound.lane_mut())
    }

    fn leave(&mut self, rung: usize, next: State) {
        if let Some(state) = self.states.get_mut(rung)
            && let State::Runs(_) = std::mem::replace(state, next)
        {
            self.has_lost_one = true;
        }
    }

    /// The segment that begins with this picture.
    fn segment_at(&self, at_ms: i64, shown_ms: i64) -> Option<(u64, Start)> {
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

    /// Follows every cut that a rung has come to.
    fn follow(&mut self) {
        for rung in 0..self.states.len() {
            let State::Runs(cutter) = &mut self.states[rung] else {
                continue;
            };
            if cutter.next_cut < self.first_cut || cutter.open_bytes() > MAX_RUNG_OPEN_BYTES {
                // Its encoder goes on, and so will the rung, with the next key frame that fits.
                let config = Arc::clone(&cutter.config);
                self.leave(rung, State::Waits(config));
                continue;
            }
            if cutter.newest_ms < self.given_ms - KEPT_MS {
                continue;
            }
            // What the encoder still keeps of the pictures before a silence comes after it, if it ever comes.
            let rest = self
                .cuts
                .range(place(cutter.next_cut, self.first_cut).min(self.cuts.len())..);
            let silent = rest.clone().rposition(|cut| cut.is_without_picture);
            for cut in rest.take(silent.map_or(0, |last| last + 1)) {
                cutter.pass(cut);
            }
        }
    }
}

impl Packager {
    /// From now on the picture is encoded, too.
    pub fn encode(&mut self, encoding: Box<dyn Encoding>, offer: Offer) {
        let Some(video) = &self.video else {
            return;
        };
        let open = &video.lane.open;
        let start = Start {
            msn: open.msn,
            at_us: open.start_us,
            date: open.date,
            is_discontinuity: open.is_discontinuity,
        };
        self.rungs = Some(Box::new(Rungs::new(encoding, offer, start)));
    }

    /// Takes what has been encoded.
    pub(super) fn follow_rungs(&mut self) {
        let Some(mut rungs) = self.rungs.take() else {
            return;
        };
        let mut inbox = std::mem::take(&mut rungs.inbox);
        rungs.encoding.take(&mut inbox);
        for one in inbox.drain(..) {
            match one {
                Encoded::Show { rung, config } => rungs.leave(rung, State::Waits(config)),
                Encoded::Hide { rung } => rungs.leave(rung, State::Gone),
                Encoded::ShowSound { config } => rungs.has_lost_one |= rungs.sound.show(config),
                Encoded::HideSound => rungs.has_lost_one |= rungs.sound.hide(),
                Encoded::Sound { at_ms, data } => rungs.sound.push(at_ms, data),
                Encoded::Picture {
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
                    if let Some(State::Runs(cutter)) = states.get_mut(rung) {
                        cutter.push(picture, cuts, *first_cut);
                    }
                }
            }
        }
        rungs.inbox = inbox;
        rungs.follow();
        self.follow_sound(&mut rungs);
        self.rungs = Some(rungs);
    }

    /// Begins the lane of a rung that waits, if this picture begins a segment.
    fn begin(&mut self, rungs: &mut Rungs, rung: usize, picture: &Given) {
        let Some(State::Waits(config)) = rungs.states.get(rung) else {
            return;
        };
        let config = Arc::clone(config);
        let shown_ms = picture.shown_ms();
        let (Some((number, start)), Some(video)) =
            (rungs.segment_at(picture.at_ms, shown_ms), &self.video)
        else {
            return;
        };
        let discontinuities = discontinuities(&video.lane, start.msn);
        let frame_us = self.tracks.video.as_ref().map_or(0.0, |one| one.frame_us);
        let every = rungs.offer.rungs.get(rung).map_or(1, |rung| rung.every);
        let described = Picture::new(&config, frame_us * f64::from(every.max(1)));
        let init = cmaf::init::video(&config);
        let lane = self.further_lane(Track::Video, init, start, discontinuities);
        rungs.states[rung] = State::Runs(Box::new(Cutter {
            config,
            lane,
            picture: described,
            targets: self.targets,
            next_cut: number + 1,
            held: None,
            end_ms: start.at_us / 1000,
            newest_ms: shown_ms,
            is_dirty: false,
        }));
    }

    /// A lane beside the source's, under names that no other ever had.
    pub(super) fn further_lane(
        &mut self,
        track: Track,
        init: Bytes,
        start: Start,
        discontinuities: u64,
    ) -> Lane {
        let targets = self.targets;
        let start = Start {
            is_discontinuity: false,
            ..start
        };
        let init = self.init(init);
        let step = TOKEN_STEP.wrapping_mul(u64::from(init.version));
        let token = self.settings.token.wrapping_add(step) ^ self.names;
        Lane::new(track, token, init, start, discontinuities, &targets)
    }

    /// What can be listed of the rungs.
    pub(super) fn ladder(&self) -> Ladder<'_> {
        let Some(rungs) = &self.rungs else {
            return Ladder::default();
        };
        let offered = &rungs.offer.rungs;
        let steps = rungs.cutters().map(|(place, cutter)| Step {
            place,
            lane: &cutter.lane,
            picture: &cutter.picture,
            has_encoded_sound: offered.get(place).is_some_and(|one| one.has_encoded_sound),
            is_dirty: cutter.is_dirty,
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

/// Discontinuities of the source up to the beginning of a segment.
pub(super) fn discontinuities(lane: &Lane, msn: u64) -> u64 {
    let open = Some(&lane.open).into_iter();
    let finished = lane.listed().map(AsRef::as_ref);
    let before = finished
        .chain(open)
        .filter(|segment| segment.is_discontinuity && segment.msn <= msn);
    lane.discontinuity_sequence + before.count() as u64
}
