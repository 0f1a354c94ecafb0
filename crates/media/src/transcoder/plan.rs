//! Which rungs a stream gets: what the operator wants, as far as it makes sense for what the publisher sends.
//!
//! A plan holds numbers only. No word that anybody wrote, operator or publisher, is in it, so none can reach the
//! command line that is made of it.

use std::fmt;

use model::settings::VideoVariant;

use crate::codec::AudioConfig;
use crate::hls::Tracks;

/// Rungs that are encoded at once; each costs as much as a stream of its own, and further ones are left out.
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

/// What the publisher sends, as far as a ladder has to know.
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
    /// On a screen with square pixels.
    pub width: u32,
    /// On a screen with square pixels.
    pub height: u32,
    /// Length of a frame.
    pub frame_us: f64,
}

/// The publisher's sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSound {
    /// Every player can play it as it is.
    pub plays_everywhere: bool,
    /// Number of channels that may be heard.
    pub channels: u16,
    /// Samples per second it is encoded with.
    pub rate: u32,
}

impl LadderSource {
    /// Of a publication.
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
            // Opus and FLAC are not for every player, above all older ones of Apple, and MP3 in files of this kind not
            // for Chromium.
            plays_everywhere: matches!(*track.config, AudioConfig::Aac(_)),
            channels: track.config.heard_channels(),
            rate: track.config.encoded_rate(),
        });
        Self { picture, sound }
    }
}

/// One quality that is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Place in the operator's list, which also has its name.
    pub variant: usize,
    /// In pixels, even.
    pub width: u32,
    /// In pixels, even.
    pub height: u32,
    /// One frame out of so many is kept, and every key frame.
    pub every: u32,
    /// Bit rate of the picture.
    pub kbps: u32,
    /// From 0, the least work for the machine, to 5, the best picture.
    pub effort: u8,
    /// It is heard with the sound that is encoded, and not with the publisher's.
    pub has_encoded_sound: bool,
}

impl Rung {
    /// Whether viewers could tell it from the other one.
    fn looks_like(&self, other: &Self) -> bool {
        let what = |rung: &Self| {
            let sound = rung.has_encoded_sound;
            (rung.width, rung.height, rung.every, rung.kbps, sound)
        };
        what(self) == what(other)
    }
}

/// Sound that is encoded, as AAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundRung {
    /// Bit rate.
    pub kbps: u32,
    /// Number of channels.
    pub channels: u16,
    /// Samples per second. It is said, because the lengths of parts were promised with it.
    pub rate: u32,
}

/// A quality that the operator wants and this stream does not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmittedQuality {
    /// Place in the operator's list.
    pub variant: usize,
    /// Why.
    pub reason: OmissionReason,
}

/// Why a quality is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionReason {
    /// There is nothing to look at.
    NoPicture,
    /// For this stream it comes to the same as the one at this place of the list.
    SameAs(usize),
    /// More than [`LadderPlan`] takes.
    TooMany,
}

impl fmt::Display for OmissionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPicture => write!(f, "this stream has no picture"),
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

/// What is encoded for a stream. Without rungs and without sound no ffmpeg is needed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LadderPlan {
    /// In the operator's order.
    pub rungs: Vec<Rung>,
    /// Sound as an output of its own, because the publisher's is not for everybody or because a quality wants less.
    pub sound: Option<SoundRung>,
    /// The operator wants the publisher's own quality to be offered.
    pub offers_source: bool,
    /// What is not encoded, and why.
    pub left_out: Vec<OmittedQuality>,
}

impl LadderPlan {
    /// From the operator's list.
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
        // Something has to be offered.
        plan.offers_source |= plan.rungs.is_empty();
        plan
    }

    /// Nothing has to be encoded.
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

/// One for all qualities: the sound is a rendition of its own, and a few kbit/s are no reason to encode it twice.
fn encoded_sound(variants: &[VideoVariant], source: &LadderSource) -> Option<SoundRung> {
    let sound = source.sound?;
    // Sound without a picture decides by itself where it is cut, and is passed through as it is: another that follows
    // it would need a list of qualities that has none.
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

/// Which share of the frames comes nearest to `asked` in a second. A whole share, because frames stay where they are:
/// key frames have to stand at the same place in every quality.
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

/// The source's shape within the size that was asked for, never larger than the source. Zero is no limit.
fn fit(source: (u32, u32), asked: (u32, u32)) -> (u32, u32) {
    let (width, height) = (f64::from(source.0.max(1)), f64::from(source.1.max(1)));
    let share = |asked: u32, whole: f64| match asked {
        0 => 1.0,
        asked => f64::from(asked) / whole,
    };
    let scale = share(asked.0, width).min(share(asked.1, height)).min(1.0);
    (even(width * scale), even(height * scale))
}

/// The nearest even number, because colour has half the resolution of light.
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
