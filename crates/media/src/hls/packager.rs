//! Cuts the stream into parts and segments.
//!
//! One track is the reference: the picture, or the sound of a stream without one. It decides where parts and segments
//! end; the other track follows to the nearest frame, so that segment N covers the same time in every rendition.
//!
//! Listed durations are windows of time. With a constant frame rate a window is a whole number of frames; with a
//! variable frame rate the promised durations still hold, because a frame belongs to the window that contains its
//! decode time, and a window without frames is listed as an empty fragment.

mod audio;
mod encoding;
mod rename;
mod resume;
mod rungs;
mod sound;
mod video;

use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use media_formats::cmaf::{self, Track};
use media_formats::codec::{AudioConfig, VideoConfig};
use tokio::sync::watch;

use super::rendition_writer::RenditionWriter;
use super::segment::{Init, SegmentStart};
use super::snapshot::{Snapshot, TrackDescriptions};
use super::targets::{LatencyLevel, Targets};
use audio::AudioSegmenter;
pub use encoding::{
    EncoderEvent, LadderOffer, OfferedRung, PictureFrame, SoundFrame, SourceEncoder,
};
pub use resume::ResumePoint;
use rungs::Rungs;
use video::VideoSegmenter;

/// Where a session's time line begins, in milliseconds: room for composition offsets below zero.
pub(crate) const ORIGIN_MS: i64 = 10_000;

/// Bytes of media that wait to become a whole segment. More is no stream anybody could watch, and ends the publication.
const MAX_OPEN_BYTES: usize = 192 * 1024 * 1024;
/// Silence that is listed at most, in milliseconds; a longer one would list windows for hours at once.
const MAX_STEP_MS: i64 = 60_000;

/// The part that was announced always comes, even when the segment ends right where the part before it ended.
const SHORTEST_LAST_US: i64 = 1_000;

/// The fixed settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct PackagerSettings {
    /// Determines the targets.
    pub level: LatencyLevel,
    /// Whether to list the sound as a variant of its own.
    pub lists_audio: bool,
    /// Part of every file name.
    pub token: u64,
    /// The first media sequence number; higher than any a player may have seen before.
    pub first_msn: u64,
    /// The first discontinuity number. Keep it small: players keep a table with a row for each.
    pub first_discontinuity: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VideoTrack {
    /// Codec and parameters.
    pub config: Arc<VideoConfig>,
    /// Frame duration, as far as it is known before the first part.
    pub frame_us: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AudioTrack {
    /// Codec and parameters.
    pub config: Arc<AudioConfig>,
}

/// The publisher's tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    /// The picture, if any.
    pub video: Option<VideoTrack>,
    /// The sound, if any.
    pub audio: Option<AudioTrack>,
}

impl Tracks {
    /// Whether the parameters are the same, so that a reconnect continues without a discontinuity.
    fn is_equal(&self, other: &Self) -> bool {
        let video = |tracks: &Self| tracks.video.as_ref().map(|track| Arc::clone(&track.config));
        video(self) == video(other) && self.audio == other.audio
    }
}

/// A cut in the reference track.
#[derive(Clone, Copy, Debug)]
struct Cut {
    at_us: i64,
    /// Set if the segment ends here, too: the start of the next one.
    next_segment: Option<SegmentStart>,
    /// Set if a key frame begins here: its presentation time.
    key_shown_ms: Option<i64>,
    /// Time passed without a picture.
    is_without_picture: bool,
}

impl Cut {
    fn at(at_us: i64, next_segment: Option<SegmentStart>) -> Self {
        Self {
            at_us,
            next_segment,
            key_shown_ms: None,
            is_without_picture: false,
        }
    }
}

/// Cuts one session's frames into parts and segments.
#[derive(Debug)]
pub struct Packager {
    settings: PackagerSettings,
    targets: Targets,
    tracks: Tracks,
    video: Option<VideoSegmenter>,
    audio: Option<AudioSegmenter>,
    /// Other qualities of the picture.
    rungs: Option<Box<Rungs>>,
    /// Wall clock at [`ORIGIN_MS`]; reset only where the playlist has a discontinuity.
    anchor: Timestamp,
    live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    described: TrackDescriptions,
    /// At the start and after a discontinuity, nothing is published until every track has something to list.
    waits_for_part: bool,
    dirty: [bool; 2],
    /// Number of init segments so far.
    inits: u32,
    /// Mixed into the tokens of all renditions; see [`Packager::rename`].
    names: u64,
}

impl Packager {
    /// Begins a session whose first frame was received at `now`.
    pub fn new(
        settings: PackagerSettings,
        tracks: Tracks,
        now: Timestamp,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    ) -> Self {
        Self::new_at(settings, 0, tracks, now, live_snapshot)
    }

    /// A session whose first segment is this one.
    fn start_at(
        settings: PackagerSettings,
        tracks: Tracks,
        start: SegmentStart,
        anchor: Timestamp,
        live_snapshot: watch::Sender<Option<Arc<Snapshot>>>,
    ) -> Self {
        let video_us = tracks.video.as_ref().map(|track| track.frame_us);
        let audio_us = tracks.audio.as_ref().map(|track| {
            f64::from(track.config.frame_samples()) / f64::from(track.config.sample_rate()) * 1e6
        });
        let encoded_us = tracks.audio.as_ref();
        let encoded_us = encoded_us.and_then(|track| sound::encoded_frame_us(&track.config));
        let targets = Targets::choose_beside(settings.level, video_us, audio_us, encoded_us);
        let mut packager = Self {
            described: TrackDescriptions::default(),
            settings,
            targets,
            tracks: Tracks::default(),
            video: None,
            audio: None,
            rungs: None,
            anchor,
            live_snapshot,
            waits_for_part: true,
            dirty: [false; 2],
            inits: 0,
            names: 0,
        };
        packager.open_writers(&tracks, start);
        packager.tracks = tracks;
        packager
    }

    /// The durations promised to players.
    pub fn targets(&self) -> Targets {
        self.targets
    }

    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// The earliest position of the next frame, in milliseconds of the session.
    pub fn end_ms(&self) -> i64 {
        let video = self.video.as_ref().map(VideoSegmenter::end_ms);
        let audio = self.audio.as_ref().map(AudioSegmenter::end_ms);
        video.max(audio).unwrap_or(ORIGIN_MS)
    }

    fn open_writers(&mut self, tracks: &Tracks, start: SegmentStart) {
        let sequence = self.discontinuities();
        let targets = self.targets;
        if let Some(track) = &tracks.video {
            let init = self.init(cmaf::init::video(&track.config));
            match &mut self.video {
                Some(segmenter) => segmenter.change(init, start),
                None => {
                    let token = self.settings.token ^ self.names;
                    let writer =
                        RenditionWriter::new(Track::Video, token, init, start, sequence, &targets);
                    self.video = Some(VideoSegmenter::new(writer));
                }
            }
        }
        if let Some(track) = &tracks.audio {
            let init = self.init(cmaf::init::audio(&track.config));
            match &mut self.audio {
                Some(segmenter) => segmenter.change(init, start, &track.config),
                None => {
                    // Without a picture, the sound is also served under the picture's address.
                    let token = !self.settings.token ^ self.names;
                    let writer =
                        RenditionWriter::new(Track::Audio, token, init, start, sequence, &targets);
                    self.audio = Some(AudioSegmenter::new(writer, &track.config));
                }
            }
        }
        self.described = TrackDescriptions::new(tracks, self.settings.lists_audio);
    }

    /// The discontinuity number for a playlist that begins now, as counted by the continuing renditions.
    fn discontinuities(&self) -> u64 {
        let video = self
            .video
            .as_ref()
            .map(|segmenter| segmenter.writer.window.discontinuities());
        let audio = self
            .audio
            .as_ref()
            .map(|segmenter| segmenter.writer.window.discontinuities());
        video
            .max(audio)
            .unwrap_or(self.settings.first_discontinuity)
    }

    /// The next init segment of the session.
    fn init(&mut self, bytes: Bytes) -> Init {
        self.inits += 1;
        Init {
            version: self.inits,
            bytes,
        }
    }

    /// Another publisher, or the same one with other parameters, takes over at `now`.
    ///
    /// With equal parameters the time line continues. Otherwise everything open is finished, and the next part begins
    /// after a discontinuity; players must see both in one update, so nothing new is published until then. In that case
    /// it returns false and drops the encoded renditions, which were made from the old parameters.
    pub fn adopt(&mut self, tracks: Tracks, now: Timestamp) -> bool {
        if self.tracks.is_equal(&tracks) {
            self.end_segment();
            if let Some(audio) = &mut self.audio {
                audio.forget_clock();
            }
            self.publish();
            return true;
        }
        self.rungs = None;
        let end_us = self.end_ms() * 1000;
        self.end_segment();
        let msn = self.open_msn();
        // The wall clock may be set back; dates in the playlist never go back.
        let date = now.max(self.clock().date(end_us));
        self.anchor = date - SignedDuration::from_micros(end_us - ORIGIN_MS * 1000);
        if tracks.video.is_none() {
            self.video = None;
        }
        if tracks.audio.is_none() {
            self.audio = None;
        }
        let start = SegmentStart {
            msn,
            at_us: end_us,
            date,
            is_discontinuity: true,
        };
        self.open_writers(&tracks, start);
        self.tracks = tracks;
        self.waits_for_part = true;
        false
    }

    /// Whether too many bytes wait to become a whole segment.
    pub fn is_overfull(&self) -> bool {
        let video = self.video.as_ref().map_or(0, VideoSegmenter::open_bytes);
        let audio = self.audio.as_ref().map_or(0, AudioSegmenter::open_bytes);
        video + audio > MAX_OPEN_BYTES
    }

    /// Adds a picture, on the session's time line.
    pub fn video(&mut self, at_ms: i64, composition_ms: i32, is_key: bool, data: Bytes) {
        let clock = self.clock();
        let Some(segmenter) = &mut self.video else {
            return;
        };
        let at_ms = at_ms.min(segmenter.end_ms() + MAX_STEP_MS);
        let mut cuts = Vec::new();
        let copy = self.rungs.as_ref().map(|_| data.clone());
        let (at_ms, shown_ms) = segmenter.push(
            &self.targets,
            clock,
            at_ms,
            composition_ms,
            is_key,
            data,
            &mut cuts,
        );
        if let (Some(rungs), Some(data)) = (&mut self.rungs, copy) {
            rungs.expect(&cuts);
            rungs.give(PictureFrame {
                at_ms,
                composition_ms: i32::try_from(shown_ms - at_ms).unwrap_or_default(),
                sent_ms: composition_ms,
                is_key,
                data,
            });
        }
        self.after_cuts(&cuts);
    }

    /// Adds a frame of sound, on the session's time line.
    pub fn audio(&mut self, at_ms: i64, data: Bytes) {
        let clock = self.clock();
        let Some(audio) = &mut self.audio else {
            return;
        };
        let copy = self.rungs.as_ref().map(|_| data.clone());
        let placed = audio.push(at_ms.min(audio.end_ms() + MAX_STEP_MS), data);
        if let (Some(rungs), Some(data), Some((place, lasts))) = (&mut self.rungs, copy, placed) {
            rungs.give_sound(SoundFrame {
                at_ms: audio.us(place) / 1000,
                end_ms: audio.us(place + lasts) / 1000,
                place,
                lasts: u32::try_from(lasts).unwrap_or(u32::MAX),
                data,
            });
        }
        match &mut self.video {
            Some(video) => {
                // If the picture has stopped, time still passes.
                let mut cuts = Vec::new();
                video.stall(&self.targets, clock, audio.end_ms(), &mut cuts);
                self.dirty[0] |= !cuts.is_empty();
                audio.expect(&cuts);
                self.dirty[1] |= audio.follow(&self.targets);
                if let Some(rungs) = &mut self.rungs {
                    rungs.expect_without_picture(&cuts);
                }
                self.follow_rungs();
            }
            None => self.dirty[1] |= audio.lead(&self.targets, clock),
        }
        self.publish();
    }

    fn clock(&self) -> WallClock {
        WallClock {
            anchor: self.anchor,
        }
    }

    fn after_cuts(&mut self, cuts: &[Cut]) {
        if cuts.is_empty() && self.rungs.is_none() {
            return;
        }
        self.dirty[0] |= !cuts.is_empty();
        if let Some(audio) = self.audio.as_mut().filter(|_| !cuts.is_empty()) {
            audio.expect(cuts);
            self.dirty[1] |= audio.follow(&self.targets);
        }
        self.follow_rungs();
        self.publish();
    }

    /// Finishes what is open in every rendition; all end at the same position, so that no gap follows.
    fn end_segment(&mut self) {
        let clock = self.clock();
        let end_ms = self.end_ms();
        let mut cuts = Vec::new();
        if let Some(video) = &mut self.video {
            video.end_segment(&self.targets, clock, end_ms, &mut cuts);
            if let Some(rungs) = &mut self.rungs {
                rungs.expect(&cuts);
            }
        }
        if let Some(audio) = &mut self.audio {
            if self.video.is_some() {
                audio.expect(&cuts);
                audio.give_up_waiting(&self.targets, end_ms);
            } else {
                audio.end_segment(&self.targets, clock, end_ms);
            }
        }
        self.dirty = [true; 2];
        self.follow_rungs();
    }

    fn open_msn(&self) -> u64 {
        let writer = self.video.as_ref().map(|segmenter| &segmenter.writer);
        let writer = writer.or(self.audio.as_ref().map(|segmenter| &segmenter.writer));
        writer.map_or(self.settings.first_msn, |writer| writer.window.open.msn)
    }

    /// The stream is over: lists everything, and ends the playlists.
    pub fn finish(mut self) {
        self.end_segment();
        if let Some(rungs) = &mut self.rungs {
            rungs.end(&self.targets);
        }
        let is_listed = self
            .live_snapshot
            .borrow()
            .as_ref()
            .is_some_and(|snapshot| snapshot.token == self.settings.token);
        if is_listed || !self.waits_for_part {
            self.render(true);
        }
    }

    fn publish(&mut self) {
        let has_rung_news = self.rungs.as_ref().is_some_and(|rungs| rungs.is_dirty());
        if self.dirty == [false; 2] && !has_rung_news {
            return;
        }
        if self.waits_for_part {
            let video = self
                .video
                .as_ref()
                .is_none_or(|segmenter| segmenter.writer.has_news);
            let audio = self
                .audio
                .as_ref()
                .is_none_or(|segmenter| segmenter.writer.has_news);
            if !(video && audio) {
                return;
            }
            self.waits_for_part = false;
            self.dirty = [true; 2];
        }
        self.render(false);
    }

    fn render(&mut self, is_ended: bool) {
        let video = self.video.as_ref();
        let audio = self.audio.as_ref();
        let windows = [
            video.map(|segmenter| &segmenter.writer.window),
            audio.map(|segmenter| &segmenter.writer.window),
        ];
        let before = self.live_snapshot.borrow().clone();
        let snapshot = Snapshot::render(
            before.as_deref(),
            windows,
            self.dirty,
            &self.targets,
            self.settings.token,
            &self.described,
            &self.ladder(),
            is_ended,
        );
        self.dirty = [false; 2];
        if let Some(rungs) = &mut self.rungs {
            rungs.is_listed();
        }
        self.live_snapshot.send_replace(Some(Arc::new(snapshot)));
    }
}

/// Maps positions on the time line to the wall clock.
#[derive(Clone, Copy, Debug)]
struct WallClock {
    anchor: Timestamp,
}

impl WallClock {
    fn date(self, at_us: i64) -> Timestamp {
        self.anchor + SignedDuration::from_micros(at_us - ORIGIN_MS * 1000)
    }
}
