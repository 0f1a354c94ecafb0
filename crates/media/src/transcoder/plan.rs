//! Chooses the rungs for a stream: what the operator wants, as far as it makes sense for the publisher's stream.
//!
//! A plan holds numbers only. It contains no text from the operator or the publisher, so none can reach the
//! command line that is built from it.

use std::fmt;

use media_formats::codec::AudioConfig;
use model::sentence::Sentence;
use model::settings::VideoVariant;

use super::sentences;
use crate::hls::Tracks;

/// Limit (broadcasters): qualities that are encoded at once; further ones are left out. Each costs as much as a stream
/// of its own.
const MAX_RUNGS: usize = 6;
/// Smallest width and height that is encoded; encoders refuse less.
const MIN_PIXELS: u32 = 16;
/// Largest width and height that is encoded, which is what the settings allow.
const MAX_PIXELS: u32 = 8192;
/// Lowest bit rate of a picture, in kbit/s; below it nothing can be seen.
const MIN_PICTURE_KBPS: u32 = 64;
/// Highest bit rate of a picture, in kbit/s, which is what the settings allow.
const MAX_PICTURE_KBPS: u32 = 100_000;
/// Lowest bit rate of the sound, in kbit/s.
const MIN_SOUND_KBPS: u32 = 32;
/// Highest bit rate of the sound, in kbit/s: two channels of AAC need no more.
const MAX_SOUND_KBPS: u32 = 320;
/// Bit rate of the sound when nobody named one, in kbit/s.
const USUAL_SOUND_KBPS: u32 = 128;
/// Channels the sound is encoded with at most; every player can play two.
const MAX_CHANNELS: u16 = 2;
/// The highest level of effort there is.
const MAX_EFFORT: u32 = 5;

/// Bits for a pixel when the operator named no bit rate: what a talking face with slides needs.
const BITS_PER_PIXEL: f64 = 0.08;
/// Frames in a second that are believed; what a stream says about itself may be nonsense.
const FASTEST: f64 = 240.0;

/// What the ladder has to know about the publisher's stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderSource {
    /// The picture, if there is one.
    pub picture: Option<SourcePicture>,
    /// The sound, if there is one.
    pub sound: Option<SourceSound>,
}

/// The publisher's picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourcePicture {
    /// In square pixels.
    pub width: u32,
    /// In square pixels.
    pub height: u32,
    /// Length of a frame.
    pub frame_us: f64,
}

/// The publisher's sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSound {
    /// Whether every player can play it as it is.
    pub plays_everywhere: bool,
    /// Number of channels that may be heard.
    pub channels: u16,
    /// The sample rate to encode it with.
    pub rate: u32,
}

impl LadderSource {
    /// The source of a publication.
    pub fn of(tracks: &Tracks) -> Self {
        let picture = tracks.video.as_ref().map(|track| {
            let (width, height) = track.config.display_size();
            SourcePicture {
                width,
                height,
                frame_us: track.frame_us,
            }
        });
        let sound = tracks.audio.as_ref().map(|track| SourceSound {
            // Opus and FLAC do not play everywhere, least of all on older Apple devices, and MP3 in MP4 files does not
            // play in Chromium.
            plays_everywhere: matches!(*track.config, AudioConfig::Aac(_)),
            channels: track.config.heard_channels(),
            rate: track.config.encoded_rate(),
        });
        Self { picture, sound }
    }
}

/// An encoded quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Position in the operator's list, which also has its name.
    pub variant: usize,
    /// In pixels, even.
    pub width: u32,
    /// In pixels, even.
    pub height: u32,
    /// Keeps one frame in this many, and every key frame.
    pub every: u32,
    /// Bit rate of the picture in kbit/s.
    pub kbps: u32,
    /// From 0 (least work) to 5 (best picture).
    pub effort: u8,
    /// Whether it uses the encoded sound instead of the publisher's.
    pub has_encoded_sound: bool,
}

impl Rung {
    /// Whether viewers could not tell them apart.
    fn looks_like(&self, other: &Self) -> bool {
        let what = |rung: &Self| {
            let sound = rung.has_encoded_sound;
            (rung.width, rung.height, rung.every, rung.kbps, sound)
        };
        what(self) == what(other)
    }
}

/// Sound encoded as AAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundRung {
    /// Bit rate in kbit/s.
    pub kbps: u32,
    /// Number of channels.
    pub channels: u16,
    /// Samples per second. Stated explicitly, because the part durations were promised with it.
    pub rate: u32,
}

/// A quality that the operator wants and this stream does not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmittedQuality {
    /// Position in the operator's list.
    pub variant: usize,
    pub reason: OmissionReason,
}

/// Why a quality is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionReason {
    /// The stream has no video.
    NoPicture,
    /// For this stream it equals the quality at this position.
    SameAs(usize),
    /// The plan is full.
    TooMany,
}

impl fmt::Display for OmissionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPicture => write!(f, "this stream has no video"),
            Self::SameAs(place) => write!(
                f,
                "for this stream it is the same as quality {}; remove one of them",
                place + 1
            ),
            Self::TooMany => write!(
                f,
                "at most {MAX_RUNGS} qualities are encoded at once; remove others above it"
            ),
        }
    }
}

impl OmissionReason {
    /// The same for pages, which say it in their language.
    pub fn sentence(self) -> Sentence {
        match self {
            Self::NoPicture => sentences::NO_PICTURE.plain(),
            Self::SameAs(place) => sentences::SAME_AS.with([(place as u64 + 1).into()]),
            Self::TooMany => sentences::ONE_TOO_MANY.with([(MAX_RUNGS as u64).into()]),
        }
    }
}

/// What is encoded for a stream. Without rungs and sound, no ffmpeg is needed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LadderPlan {
    /// In the operator's order.
    pub rungs: Vec<Rung>,
    /// A separate sound output, because the publisher's does not play everywhere or a quality wants fewer bits.
    pub sound: Option<SoundRung>,
    /// Whether the operator offers the publisher's own quality.
    pub offers_source: bool,
    /// Qualities that are not encoded, with reasons.
    pub left_out: Vec<OmittedQuality>,
}

impl LadderPlan {
    /// Chooses a plan from the operator's list.
    pub fn choose(variants: &[VideoVariant], source: &LadderSource) -> Self {
        let mut plan = Self {
            sound: encoded_sound(variants, source),
            ..Self::default()
        };
        for (place, variant) in variants.iter().enumerate() {
            if variant.video_passthrough {
                plan.offers_source = true;
                continue;
            }
            match plan.rung(place, variant, source) {
                Ok(rung) => plan.rungs.push(rung),
                Err(reason) => plan.left_out.push(OmittedQuality {
                    variant: place,
                    reason,
                }),
            }
        }
        // At least one quality has to be offered.
        plan.offers_source |= plan.rungs.is_empty();
        plan
    }

    /// Whether nothing has to be encoded.
    pub fn is_empty(&self) -> bool {
        self.rungs.is_empty() && self.sound.is_none()
    }

    fn rung(
        &self,
        place: usize,
        variant: &VideoVariant,
        source: &LadderSource,
    ) -> Result<Rung, OmissionReason> {
        let picture = source.picture.as_ref().ok_or(OmissionReason::NoPicture)?;
        let rate = frames_in_a_second(picture.frame_us);
        let every = every(rate, variant.framerate);
        let (width, height) = fit(
            (picture.width, picture.height),
            (variant.scaled_width, variant.scaled_height),
        );
        let kbps = match variant.video_bitrate {
            0 => usual_kbps(width, height, rate / f64::from(every)),
            asked => asked,
        };
        let rung = Rung {
            variant: place,
            width,
            height,
            every,
            kbps: kbps.clamp(MIN_PICTURE_KBPS, MAX_PICTURE_KBPS),
            effort: u8::try_from(variant.cpu_usage_level.min(MAX_EFFORT)).unwrap_or(0),
            has_encoded_sound: self.sound.is_some()
                && (wants_other_sound(variant)
                    || source.sound.is_some_and(|sound| !sound.plays_everywhere)),
        };
        if let Some(same) = self.rungs.iter().find(|other| rung.looks_like(other)) {
            return Err(OmissionReason::SameAs(same.variant));
        }
        if self.rungs.len() >= MAX_RUNGS {
            return Err(OmissionReason::TooMany);
        }
        Ok(rung)
    }
}

fn wants_other_sound(variant: &VideoVariant) -> bool {
    !variant.video_passthrough && !variant.audio_passthrough && variant.audio_bitrate > 0
}

/// One for all qualities: the sound is a rendition of its own, and encoding it twice to save a few kbit/s is not worth
/// it.
fn encoded_sound(variants: &[VideoVariant], source: &LadderSource) -> Option<SoundRung> {
    let sound = source.sound?;
    // Sound without a picture determines its own cuts and is passed through: an encoded copy would need a multivariant
    // playlist, which such a stream does not have.
    source.picture?;
    let asked = variants
        .iter()
        .filter(|variant| wants_other_sound(variant))
        .map(|variant| variant.audio_bitrate)
        .max();
    if asked.is_none() && sound.plays_everywhere {
        return None;
    }
    let kbps = asked.unwrap_or(USUAL_SOUND_KBPS);
    Some(SoundRung {
        kbps: kbps.clamp(MIN_SOUND_KBPS, MAX_SOUND_KBPS),
        channels: sound.channels.clamp(1, MAX_CHANNELS),
        rate: sound.rate,
    })
}

fn frames_in_a_second(frame_us: f64) -> f64 {
    let rate = 1e6 / frame_us;
    if rate.is_finite() {
        rate.clamp(1.0, FASTEST)
    } else {
        FASTEST
    }
}

/// The divisor of the frame rate that comes nearest to `asked`. It is a whole number, because frames stay where they
/// are: key frames have to be at the same positions in every quality.
fn every(rate: f64, asked: u32) -> u32 {
    let asked = f64::from(asked);
    if asked < 1.0 || asked >= rate {
        return 1;
    }
    let exact = rate / asked;
    let (more_frames, fewer_frames) = (exact.floor(), exact.ceil());
    let nearest = if exact / more_frames <= fewer_frames / exact {
        more_frames
    } else {
        fewer_frames
    };
    nearest as u32
}

/// The source's aspect ratio within the requested size, never larger than the source. Zero means no limit.
fn fit(source: (u32, u32), asked: (u32, u32)) -> (u32, u32) {
    let (width, height) = (f64::from(source.0.max(1)), f64::from(source.1.max(1)));
    let share = |asked: u32, whole: f64| match asked {
        0 => 1.0,
        asked => f64::from(asked) / whole,
    };
    let scale = share(asked.0, width).min(share(asked.1, height)).min(1.0);
    (even(width * scale), even(height * scale))
}

/// The nearest even number, because chroma has half the resolution of luma.
fn even(pixels: f64) -> u32 {
    let half = (pixels / 2.0).round() as u32;
    half.saturating_mul(2).clamp(MIN_PIXELS, MAX_PIXELS)
}

fn usual_kbps(width: u32, height: u32, rate: f64) -> u32 {
    let bits = f64::from(width) * f64::from(height) * rate * BITS_PER_PIXEL;
    (bits / 1000.0).round() as u32
}

#[cfg(test)]
mod tests;
