//! Everything viewers can fetch at one moment.

use std::sync::Arc;

use bytes::Bytes;
use jiff::SignedDuration;
use media_formats::codec::{AudioConfig, VideoConfig};

use super::compress::gzip;
use super::delivery_directives::{DeliveryDirectives, DirectivesError};
use super::master;
use super::name::{Rendition, RungIndex};
use super::packager::{ResumePoint, Tracks};
use super::playlist::{MediaPlaylist, RenditionReport, RenditionReports};
use super::rendition_description::RenditionDescription;
use super::rendition_window::RenditionWindow;
use super::segment::{Init, PartialSegment, Segment};
use super::targets::Targets;

/// A request for a segment further ahead than this is a mistake, and waiting for it would be in vain.
const FURTHEST_AHEAD: u64 = 2;

/// A text, plain and compressed.
#[derive(Clone, Debug)]
pub struct RenderedText {
    /// UTF-8.
    pub plain: Bytes,
    /// The same, compressed with gzip.
    pub gzip: Bytes,
}

impl RenderedText {
    pub(super) fn new(text: String) -> Self {
        let gzip = gzip(text.as_bytes());
        Self {
            plain: Bytes::from(text),
            gzip,
        }
    }
}

/// One rendition at one moment.
#[derive(Debug)]
pub struct RenditionView {
    /// What the playlists were written from.
    pub(super) window: RenditionWindow,
    /// What they say about the other renditions.
    pub(super) reports: Arc<RenditionReports>,
    /// Each with the token of its name.
    inits: Vec<(u64, Arc<Init>)>,
    pub full: RenderedText,
    /// The playlist without the segments a player already knows, if there are any.
    pub delta: Option<RenderedText>,
}

impl RenditionView {
    pub(super) fn render(
        rendition: Rendition,
        window: &RenditionWindow,
        reports: &Arc<RenditionReports>,
        is_ended: bool,
    ) -> Self {
        let playlist = MediaPlaylist {
            rendition,
            window,
            reports,
            is_ended,
        };
        let skippable = playlist.skippable();
        Self {
            window: window.clone(),
            reports: Arc::clone(reports),
            inits: window.inits(),
            full: RenderedText::new(playlist.write(0)),
            delta: (skippable > 0).then(|| RenderedText::new(playlist.write(skippable))),
        }
    }

    /// The init segment with this version.
    pub fn init(&self, token: u64, version: u32) -> Option<&Arc<Init>> {
        let mut inits = self.inits.iter();
        let found = inits.find(|(own, init)| (*own, init.version) == (token, version));
        found.map(|(_, init)| init)
    }

    /// A finished segment.
    pub fn segment(&self, token: u64, msn: u64) -> Option<&Arc<Segment>> {
        let segment = self.window.finished(msn);
        segment.filter(|segment| segment.token == token)
    }

    /// The token of all files that are still to come; no two renditions have the same.
    fn token(&self) -> u64 {
        self.window.token()
    }

    /// A part of a finished or the open segment.
    pub fn part(&self, token: u64, msn: u64, index: usize) -> Option<&PartialSegment> {
        let open = &self.window.open;
        if (token, msn) == (open.token, open.msn) {
            return open.parts.get(index);
        }
        self.segment(token, msn)
            .and_then(|segment| segment.parts.get(index))
    }

    /// Whether the playlist announces this part as the next one.
    pub fn is_next_part(&self, token: u64, msn: u64, index: usize) -> bool {
        let open = &self.window.open;
        token == open.token
            && self.window.lists_parts()
            && (msn, index) == (open.msn, open.parts.len())
    }

    /// The newest finished segments at which a player can begin, oldest first; all need the same init segment.
    pub fn openings(&self, most: usize) -> Vec<Arc<Segment>> {
        let newest = self.window.fetchable().rev();
        let mut openings = newest.filter(|segment| segment.is_independent()).peekable();
        let init = openings.peek().map(|newest| newest.init.version);
        let mut found: Vec<_> = openings
            .take_while(|segment| Some(segment.init.version) == init)
            .take(most)
            .cloned()
            .collect();
        found.reverse();
        found
    }

    /// Number of the first segment in the playlist.
    pub fn first_listed(&self) -> u64 {
        self.window.first_listed()
    }

    /// Complete segments that can be fetched, oldest first; those before [`Self::first_listed`] have left the playlist.
    pub fn fetchable(&self) -> impl DoubleEndedIterator<Item = &Arc<Segment>> {
        self.window.fetchable()
    }

    /// How many discontinuities have left the playlist.
    pub fn discontinuity_sequence(&self) -> u64 {
        self.window.discontinuity_sequence
    }

    /// The end of what is listed, on the session's time line.
    pub fn end_us(&self) -> i64 {
        let open = &self.window.open;
        open.start_us + open.duration_us
    }

    /// Number of the segment under construction.
    pub fn open_msn(&self) -> u64 {
        self.window.open.msn
    }

    fn resume_point(&self) -> ResumePoint {
        let open = &self.window.open;
        ResumePoint {
            msn: open.msn,
            parts: open.parts.len() as u64,
            discontinuities: self.window.discontinuities_up_to(open.msn),
            end_us: open.start_us + open.duration_us,
            date: open.date + SignedDuration::from_micros(open.duration_us),
        }
    }

    /// Whether part `index` of segment `msn` is listed; an index past the end means the next segment's first part.
    pub(super) fn has_part(&self, msn: u64, index: usize) -> bool {
        let open = &self.window.open;
        if msn == open.msn {
            return index < open.parts.len();
        }
        if msn > open.msn {
            return false;
        }
        let finished = self.window.finished(msn);
        let is_past_the_end = finished.is_some_and(|segment| index >= segment.parts.len());
        !is_past_the_end || msn + 1 < open.msn || !open.is_empty()
    }

    /// Whether segment `msn`, or its beginning where parts are listed, is in the playlist.
    pub(super) fn has_segment(&self, msn: u64) -> bool {
        let open = &self.window.open;
        msn < open.msn || (self.window.lists_parts() && msn == open.msn && !open.is_empty())
    }
}

// Not beside the parser, which is fuzzed without playlists.
impl DeliveryDirectives {
    /// Whether the playlist contains what was asked for.
    pub fn is_met(&self, view: &RenditionView) -> Result<bool, DirectivesError> {
        let Some(msn) = self.msn else {
            return Ok(true);
        };
        if msn > view.open_msn().saturating_add(FURTHEST_AHEAD) {
            return Err(DirectivesError::TooFarAhead);
        }
        Ok(match self.part {
            Some(part) => view.has_part(msn, part),
            None => view.has_segment(msn),
        })
    }
}

/// What the multivariant playlist says about the tracks.
#[derive(Clone, Debug, Default)]
pub(super) struct TrackDescriptions {
    pub(super) video: Option<PictureDescription>,
    pub(super) audio: Option<SoundDescription>,
    pub(super) lists_audio: bool,
}

#[derive(Clone, Debug)]
pub(super) struct PictureDescription {
    pub(super) codecs: String,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) frame_rate: f64,
}

impl PictureDescription {
    pub(super) fn new(config: &VideoConfig, frame_us: f64) -> Self {
        Self {
            codecs: config.codec_string(),
            width: config.width(),
            height: config.height(),
            frame_rate: 1e6 / frame_us.max(1.0),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct SoundDescription {
    pub(super) codecs: String,
    pub(super) channels: u16,
}

impl SoundDescription {
    pub(super) fn new(config: &AudioConfig) -> Self {
        Self {
            codecs: config.codec_string(),
            channels: config.channels(),
        }
    }
}

impl TrackDescriptions {
    pub(super) fn new(tracks: &Tracks, lists_audio: bool) -> Self {
        Self {
            video: tracks
                .video
                .as_ref()
                .map(|track| PictureDescription::new(&track.config, track.frame_us)),
            audio: tracks
                .audio
                .as_ref()
                .map(|track| SoundDescription::new(&track.config)),
            lists_audio,
        }
    }
}

/// An offered rung.
#[derive(Debug)]
pub(super) struct ListedRung<'a> {
    pub(super) place: usize,
    pub(super) window: &'a RenditionWindow,
    pub(super) picture: &'a PictureDescription,
    /// Whether it uses the encoded sound, if that is offered.
    pub(super) has_encoded_sound: bool,
    pub(super) is_dirty: bool,
}

/// Offered encoded sound.
#[derive(Debug)]
pub(super) struct ListedSound<'a> {
    pub(super) window: &'a RenditionWindow,
    pub(super) sound: &'a SoundDescription,
    pub(super) is_dirty: bool,
}

/// The offered rungs; most streams have none.
#[derive(Debug, Default)]
pub(super) struct Ladder<'a> {
    /// In playlist order.
    pub(super) steps: Vec<ListedRung<'a>>,
    /// The encoded sound.
    pub(super) sound: Option<ListedSound<'a>>,
    /// Whether every quality is listed with both that sound and the source's.
    pub(super) lists_both_sounds: bool,
    /// How many positions are above the source, which is always listed: players keep the playlist they began with, and
    /// all rungs may be gone a moment later.
    pub(super) above_source: usize,
    /// The maximum number of rungs.
    pub(super) places: usize,
}

impl Ladder<'_> {
    /// How many of the offered rungs are above the source.
    pub(super) fn source_at(&self) -> usize {
        let steps = self.steps.iter();
        let above = steps.filter(|step| step.place < self.above_source);
        above.count()
    }
}

/// Everything viewers can fetch at one moment; immutable and shared.
#[derive(Debug)]
pub struct Snapshot {
    /// The token of its session.
    pub token: u64,
    /// The multivariant playlist.
    pub master: RenderedText,
    /// `/hls/0/`
    pub main: Option<Arc<RenditionView>>,
    /// `/hls/audio/`
    pub audio: Option<Arc<RenditionView>>,
    /// `/hls/aac/`, while it is offered.
    pub aac: Option<Arc<RenditionView>>,
    /// `/hls/1/` and so on, if offered.
    pub rungs: Vec<Option<Arc<RenditionView>>>,
    /// Whether the stream has ended.
    pub is_ended: bool,
    /// The promised durations.
    pub targets: Targets,
    /// What is known of the renditions; nothing where another server told of them.
    pub(crate) described: Arc<Vec<(Rendition, RenditionDescription)>>,
}

impl Snapshot {
    /// Renders the renditions (picture, sound, rungs) that changed, and keeps the rest of the snapshot `before`.
    #[expect(
        clippy::too_many_arguments,
        reason = "a snapshot is everything there is"
    )]
    pub(super) fn render(
        before: Option<&Snapshot>,
        windows: [Option<&RenditionWindow>; 2],
        is_dirty: [bool; 2],
        targets: &Targets,
        token: u64,
        described: &TrackDescriptions,
        ladder: &Ladder<'_>,
        is_ended: bool,
    ) -> Self {
        let reports = Arc::new(reports(windows, ladder));
        // Every playlist reports on all others, even if it has no news of its own.
        let renders_all =
            is_ended || before.is_some_and(|before| before.has_other_encodings(ladder));
        let view = |rendition,
                    window: &RenditionWindow,
                    is_dirty: bool,
                    old: Option<&Arc<RenditionView>>| {
            let is_current = |old: &&Arc<RenditionView>| {
                old.token() == window.token() && !is_dirty && !renders_all
            };
            let old = old.filter(is_current).cloned();
            let render = || RenditionView::render(rendition, window, &reports, is_ended);
            old.unwrap_or_else(|| Arc::new(render()))
        };
        let old_main = before.and_then(|before| before.main.as_ref());
        let old_audio = before.and_then(|before| before.audio.as_ref());
        let (main, audio) = match windows {
            [Some(video), sound] => {
                let main = view(Rendition::Main, video, is_dirty[0], old_main);
                let audio =
                    sound.map(|window| view(Rendition::Audio, window, is_dirty[1], old_audio));
                (Some(main), audio)
            }
            [None, Some(sound)] => {
                let view = view(Rendition::Audio, sound, is_dirty[1], old_audio);
                (Some(Arc::clone(&view)), Some(view))
            }
            [None, None] => (None, None),
        };
        let old_aac = before.and_then(|before| before.aac.as_ref());
        let aac = ladder.sound.as_ref();
        let aac = aac.map(|one| view(Rendition::Aac, one.window, one.is_dirty, old_aac));
        let mut rungs = vec![None; ladder.places];
        for step in &ladder.steps {
            let old = before.and_then(|before| before.rungs.get(step.place)?.as_ref());
            if let Some(place) = RungIndex::new(step.place) {
                let view = view(Rendition::Rung(place), step.window, step.is_dirty, old);
                rungs[step.place] = Some(view);
            }
        }
        // It changes once per segment at most; usually the existing one is still valid.
        let text = master::write(windows, described, ladder);
        let is_known = |before: &&Snapshot| {
            before.master.plain == text.as_bytes() && !before.described.is_empty()
        };
        let known = before.filter(is_known);
        let (master, described) = match known {
            Some(known) => (known.master.clone(), Arc::clone(&known.described)),
            None => {
                let described = RenditionDescription::all(described, ladder);
                (RenderedText::new(text), Arc::new(described))
            }
        };
        Self {
            token,
            master,
            main,
            audio,
            aac,
            rungs,
            is_ended,
            targets: *targets,
            described,
        }
    }

    /// Whether an encoded rendition was added or removed since.
    fn has_other_encodings(&self, ladder: &Ladder<'_>) -> bool {
        let known_sound = self.aac.as_ref().map(|view| view.token());
        let sound = ladder.sound.as_ref().map(|one| one.window.token());
        let known = self.rungs.iter().enumerate();
        let known = known.filter_map(|(place, view)| Some((place, view.as_ref()?.token())));
        let steps = ladder.steps.iter();
        known_sound != sound || !known.eq(steps.map(|step| (step.place, step.window.token())))
    }

    /// Where the playlists stand, for whoever has to go on with them.
    pub fn resume_point(&self) -> Option<ResumePoint> {
        self.main.as_ref().map(|main| main.resume_point())
    }

    /// The rendition with the picture; `None` if there is only sound.
    pub fn picture(&self) -> Option<&Arc<RenditionView>> {
        let is_sound = |main: &Arc<RenditionView>| {
            let audio = self.audio.as_ref();
            audio.is_some_and(|audio| Arc::ptr_eq(main, audio))
        };
        self.main.as_ref().filter(|main| !is_sound(main))
    }

    /// The rendition of this folder.
    pub fn view(&self, rendition: Rendition) -> Option<&Arc<RenditionView>> {
        match rendition {
            Rendition::Main => self.main.as_ref(),
            Rendition::Audio => self.audio.as_ref(),
            Rendition::Aac => self.aac.as_ref(),
            Rendition::Rung(rung) => self.rungs.get(rung.index())?.as_ref(),
        }
    }
}

/// The state of the listed renditions; sound without a picture has no others.
fn reports(windows: [Option<&RenditionWindow>; 2], ladder: &Ladder<'_>) -> RenditionReports {
    let [video, sound] = windows;
    let report =
        |rendition, window: Option<&RenditionWindow>| RenditionReport::of(rendition, window?);
    let rungs = ladder.steps.iter().filter_map(|step| {
        let rendition = Rendition::Rung(RungIndex::new(step.place)?);
        report(rendition, Some(step.window))
    });
    let aac = ladder.sound.as_ref().map(|one| one.window);
    RenditionReports {
        usual: [
            report(Rendition::Main, video),
            report(Rendition::Audio, sound.filter(|_| video.is_some())),
        ],
        encoded: rungs.chain(report(Rendition::Aac, aac)).collect(),
    }
}
