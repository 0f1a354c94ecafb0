//! From tags to the packager: waits until the publisher's tracks are known, then passes every frame on.

mod frames;
mod start_buffer;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use media_formats::codec::{AudioConfig, VideoConfig, vp9};
use media_formats::flv::{self, AudioTag, Metadata, VideoCodec, VideoTag};
use media_formats::timeline::{TimestampMapper, TimestampVerdict, TrackKind};

use crate::hls::{AudioTrack, Packager, Tracks, VideoTrack};
use frames::{CodecHeader, FrameError, IngestFrame};
use start_buffer::StartBuffer;

/// Frames kept while it is undecided whether a clock has jumped; more are dropped, oldest first.
const MAX_HELD: usize = 256;
/// Bytes of such frames; more are dropped, oldest first.
const MAX_HELD_BYTES: usize = 16 * 1024 * 1024;
/// Frames in a row that cannot be read before the publisher is told so.
const MAX_MALFORMED: u32 = 200;
/// Composition offsets beyond this are nonsense.
const MAX_COMPOSITION_MS: i32 = 10_000;
/// Frame rates that are believed without being measured.
const BELIEVED_FRAME_RATES: std::ops::RangeInclusive<f64> = 5.0..=300.0;
/// Length of a frame when nobody says and nothing can be measured.
const USUAL_FRAME_US: f64 = 1e6 / 30.0;

/// Why a publisher's stream cannot be used, as a text for its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableStream(pub String);

/// Provides the packager of the session once the tracks are known; implemented by the session's owner.
pub trait PackagerProvider {
    /// Begins the session with these tracks, or continues it; the first frame was received at `at`.
    fn begin(&mut self, tracks: Tracks, at: Timestamp) -> &mut Packager;
    /// The packager, once begun.
    fn packager(&mut self) -> Option<&mut Packager>;
}

/// What a tag contained, for the meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagContent {
    Picture {
        /// Whether it is a key frame.
        is_key: bool,
    },
    /// A frame of sound.
    Sound,
    /// Parameters, or something unimportant.
    Other,
    /// Content of a further track, which is ignored.
    OtherTrack,
    Malformed,
}

/// One connection's frames.
#[derive(Debug, Default)]
pub struct Ingest {
    timeline: TimestampMapper,
    announced: AnnouncedTracks,
    video: Option<Arc<VideoConfig>>,
    audio: Option<Arc<AudioConfig>>,
    /// The record that a VP9 publisher sent before its first key frame.
    vp9_record: Option<vp9::Record>,
    /// Whether the parameters show that pictures declared as H.264 are HEVC.
    is_mislabelled: bool,
    start_buffer: Option<StartBuffer>,
    is_running: bool,
    /// The parameters differ from those being packaged; they take effect at the next key frame.
    has_changed: bool,
    held: VecDeque<IngestFrame>,
    /// Pictures were lost: the following ones cannot be decoded without a key frame.
    wants_key: bool,
    malformed: u32,
}

/// What the publisher says about itself, which may be wrong.
#[derive(Clone, Copy, Debug, Default)]
struct AnnouncedTracks {
    /// Whether it announces a picture. Only used to decide how long to wait for the first frames.
    video: Option<bool>,
    /// The same for sound.
    audio: Option<bool>,
    /// Frames per second. Only used if it agrees with the measurement.
    frame_rate: Option<f64>,
}

impl Ingest {
    /// Takes what the publisher says about itself.
    pub fn metadata(&mut self, metadata: &Metadata) {
        self.announced = AnnouncedTracks {
            video: metadata.has_video,
            audio: metadata.has_audio,
            frame_rate: metadata.frame_rate,
        };
    }

    pub fn video(
        &mut self,
        stamp: u32,
        body: Bytes,
        now: Timestamp,
        session: &mut dyn PackagerProvider,
    ) -> Result<TagContent, UnusableStream> {
        match flv::video(body) {
            Ok(VideoTag::Config { codec, record }) => {
                let header = frames::video_config(codec, record);
                self.is_mislabelled = matches!(header, Ok(CodecHeader::Mislabelled(_)));
                match header {
                    Ok(CodecHeader::Video(config)) => self.learn_video(Arc::new(config)),
                    Ok(CodecHeader::Mislabelled(config)) => {
                        self.learn_video(Arc::new(VideoConfig::Hevc(config)));
                    }
                    Ok(CodecHeader::Vp9(record)) => self.vp9_record = Some(record),
                    Ok(CodecHeader::Nothing) => {}
                    Err(FrameError::Broken) => return self.malformed(),
                    Err(FrameError::Unsupported(what)) => return Err(unsupported(&what)),
                }
                Ok(TagContent::Other)
            }
            Ok(VideoTag::Frame {
                codec,
                is_key,
                composition_ms,
                data,
            }) => {
                let codec = match codec {
                    VideoCodec::Avc if self.is_mislabelled => VideoCodec::Hevc,
                    said => said,
                };
                let known = self.video.as_deref();
                let unit = frames::picture(known, self.vp9_record.as_ref(), codec, data);
                let Ok(unit) = unit else {
                    return self.malformed();
                };
                if let Some(config) = unit.config {
                    self.learn_video(Arc::new(config));
                }
                self.malformed = 0;
                if !unit.has_picture {
                    return Ok(TagContent::Other);
                }
                let is_key = is_key && unit.is_key;
                self.frame(
                    IngestFrame {
                        kind: TrackKind::Video,
                        stamp,
                        composition_ms: composition_ms
                            .clamp(-MAX_COMPOSITION_MS, MAX_COMPOSITION_MS),
                        is_key,
                        data: unit.data,
                        received: now,
                    },
                    session,
                )?;
                Ok(TagContent::Picture { is_key })
            }
            Ok(VideoTag::Unsupported(what)) => Err(unsupported(&what)),
            Ok(VideoTag::OtherTrack) => Ok(TagContent::OtherTrack),
            Ok(VideoTag::End | VideoTag::Ignored) => Ok(TagContent::Other),
            Err(_) => self.malformed(),
        }
    }

    pub fn audio(
        &mut self,
        stamp: u32,
        body: Bytes,
        now: Timestamp,
        session: &mut dyn PackagerProvider,
    ) -> Result<TagContent, UnusableStream> {
        let sound = match flv::audio(body) {
            Ok(AudioTag::Config { codec, record }) => {
                let known = self.audio.as_deref();
                return match frames::audio_config(known, codec, &record) {
                    Ok(config) => {
                        if let Some(config) = config {
                            self.learn_audio(Arc::new(config));
                        }
                        Ok(TagContent::Other)
                    }
                    Err(FrameError::Broken) => self.malformed(),
                    Err(FrameError::Unsupported(what)) => Err(unsupported(&what)),
                };
            }
            Ok(AudioTag::Frame { codec, data }) => {
                frames::sound(self.audio.as_deref(), codec, data)
            }
            Ok(AudioTag::OtherTrack) => return Ok(TagContent::OtherTrack),
            Ok(AudioTag::Unsupported(what)) => return Err(unsupported(&what)),
            Ok(AudioTag::Ignored) => return Ok(TagContent::Other),
            Err(_) => return self.malformed(),
        };
        let Ok(sound) = sound else {
            return self.malformed();
        };
        if let Some(config) = sound.config {
            self.learn_audio(Arc::new(config));
        }
        self.malformed = 0;
        self.frame(
            IngestFrame {
                kind: TrackKind::Audio,
                stamp,
                composition_ms: 0,
                is_key: true,
                data: sound.data,
                received: now,
            },
            session,
        )?;
        Ok(TagContent::Sound)
    }

    fn malformed(&mut self) -> Result<TagContent, UnusableStream> {
        self.malformed += 1;
        if self.malformed > MAX_MALFORMED {
            return Err(UnusableStream(
                "Your software sends frames that cannot be read: use H.264 video and AAC sound."
                    .into(),
            ));
        }
        Ok(TagContent::Malformed)
    }

    fn learn_video(&mut self, config: Arc<VideoConfig>) {
        if self.video.as_ref() != Some(&config) {
            self.has_changed |= self.is_running;
            self.video = Some(config);
        }
    }

    fn learn_audio(&mut self, config: Arc<AudioConfig>) {
        if self.audio.as_ref() != Some(&config) {
            self.has_changed |= self.is_running;
            self.audio = Some(config);
        }
    }

    fn frame(
        &mut self,
        frame: IngestFrame,
        session: &mut dyn PackagerProvider,
    ) -> Result<(), UnusableStream> {
        if self.is_running {
            self.pass(frame, session);
            let is_overfull = session
                .packager()
                .is_some_and(|packager| packager.is_overfull());
            return if is_overfull {
                Err(UnusableStream(
                    "Your software sends far more data than a stream can have: lower the bitrate."
                        .into(),
                ))
            } else {
                Ok(())
            };
        }
        let mut start_buffer = self.start_buffer.take().unwrap_or_default();
        start_buffer.push(frame);
        if !start_buffer.is_ready(self.video.as_deref(), self.audio.is_some(), self.announced)? {
            self.start_buffer = Some(start_buffer);
            return Ok(());
        }
        let has_video = self.video.is_some() && start_buffer.has_key();
        let frame_us = self.video.as_deref().and_then(stated_frame_us);
        let frame_us = frame_us
            .or_else(|| start_buffer.measured_frame_us(self.announced))
            .unwrap_or(USUAL_FRAME_US);
        let frames = start_buffer.into_frames(has_video);
        let Some(first) = frames.first() else {
            return Ok(());
        };
        let video = self.video.clone().filter(|_| has_video);
        let tracks = Tracks {
            video: video.map(|config| VideoTrack { config, frame_us }),
            audio: self.audio.clone().map(|config| AudioTrack { config }),
        };
        session.begin(tracks, first.received);
        self.is_running = true;
        self.has_changed = self.video.is_some() && !has_video;
        for frame in frames {
            self.pass(frame, session);
        }
        Ok(())
    }

    /// Places a frame on the time line and hands it to the packager.
    fn pass(&mut self, frame: IngestFrame, session: &mut dyn PackagerProvider) {
        let Some(packager) = session.packager() else {
            return;
        };
        // A track that is not packaged does not influence the time line.
        let is_packaged = match frame.kind {
            TrackKind::Video => packager.tracks().video.is_some(),
            TrackKind::Audio => packager.tracks().audio.is_some(),
        };
        if !is_packaged && !self.has_changed {
            return;
        }
        match self
            .timeline
            .place(frame.kind, frame.stamp, packager.end_ms())
        {
            TimestampVerdict::At(at_ms) => {
                // Held frames of this track belong to a clock that is no longer trusted.
                let before = self.held.len();
                self.held.retain(|held| held.kind != frame.kind);
                self.wants_key |= before > self.held.len() && frame.kind == TrackKind::Video;
                self.deliver(at_ms, frame, session);
            }
            TimestampVerdict::Hold => self.hold(frame),
            TimestampVerdict::Rebased(at_ms) => {
                for frame in std::mem::take(&mut self.held) {
                    let resume = session.packager().map_or(0, |packager| packager.end_ms());
                    if let TimestampVerdict::At(at_ms) =
                        self.timeline.place(frame.kind, frame.stamp, resume)
                    {
                        self.deliver(at_ms, frame, session);
                    }
                }
                self.deliver(at_ms, frame, session);
            }
        }
    }

    fn hold(&mut self, frame: IngestFrame) {
        self.held.push_back(frame);
        let bytes =
            |held: &VecDeque<IngestFrame>| held.iter().map(|frame| frame.data.len()).sum::<usize>();
        while self.held.len() > MAX_HELD || bytes(&self.held) > MAX_HELD_BYTES {
            let lost = self.held.pop_front();
            self.wants_key |= lost.is_some_and(|frame| frame.kind == TrackKind::Video);
        }
    }

    fn deliver(&mut self, at_ms: i64, frame: IngestFrame, session: &mut dyn PackagerProvider) {
        let Some(packager) = session.packager() else {
            return;
        };
        let has_picture = self.video.is_some();
        if self.has_changed {
            let is_turn = frame.is_key && (frame.kind == TrackKind::Video || !has_picture);
            if !is_turn {
                // Frames with the parameters being packaged continue; the rest wait for the change.
                let tracks = packager.tracks();
                match frame.kind {
                    TrackKind::Audio
                        if tracks.audio.as_ref().map(|track| &track.config)
                            == self.audio.as_ref() =>
                    {
                        packager.audio(at_ms, frame.data);
                    }
                    TrackKind::Video
                        if tracks.video.as_ref().map(|track| &track.config)
                            == self.video.as_ref() =>
                    {
                        packager.video(at_ms, frame.composition_ms, frame.is_key, frame.data);
                    }
                    TrackKind::Audio | TrackKind::Video => {}
                }
                return;
            }
            self.adopt(frame.received, session);
        }
        let Some(packager) = session.packager() else {
            return;
        };
        match frame.kind {
            TrackKind::Video if self.wants_key && !frame.is_key => {}
            TrackKind::Video => {
                self.wants_key = false;
                packager.video(at_ms, frame.composition_ms, frame.is_key, frame.data);
            }
            TrackKind::Audio => packager.audio(at_ms, frame.data),
        }
    }

    fn adopt(&mut self, now: Timestamp, session: &mut dyn PackagerProvider) {
        let known = session
            .packager()
            .and_then(|packager| packager.tracks().video.clone());
        let frame_us = self.video.as_deref().and_then(stated_frame_us);
        let frame_us = frame_us
            .or(known.map(|track| track.frame_us))
            .unwrap_or(USUAL_FRAME_US);
        let tracks = Tracks {
            video: self
                .video
                .clone()
                .map(|config| VideoTrack { config, frame_us }),
            audio: self.audio.clone().map(|config| AudioTrack { config }),
        };
        session.begin(tracks, now);
        self.has_changed = false;
    }
}

/// The frame duration that the stream states, if plausible: some encoders write the resolution of their clock there
/// instead.
fn stated_frame_us(config: &VideoConfig) -> Option<f64> {
    let rate = config.frame_rate()?;
    BELIEVED_FRAME_RATES.contains(&rate).then(|| 1e6 / rate)
}

fn unsupported(what: &str) -> UnusableStream {
    UnusableStream(format!(
        "Your software sends {what}; this server takes H.264, HEVC, AV1 or VP9 video with AAC, MP3, Opus or FLAC sound."
    ))
}
