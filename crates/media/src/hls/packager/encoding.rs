//! The interface to an encoder: frames of the source go in, encoded frames come out.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use media_formats::codec::{AudioConfig, VideoConfig};

/// A picture of the source, as input for an encoder.
#[derive(Clone, Debug)]
pub struct PictureFrame {
    /// Decode time, in milliseconds of the session.
    pub at_ms: i64,
    /// How much later it is shown.
    pub composition_ms: i32,
    /// The same as the publisher sent it, before the picture was placed on the time line.
    pub sent_ms: i32,
    /// Whether decoding can start here.
    pub is_key: bool,
    /// The bytes as stored in files.
    pub data: Bytes,
}

impl PictureFrame {
    pub(super) fn shown_ms(&self) -> i64 {
        self.at_ms + i64::from(self.composition_ms)
    }
}

/// A frame of the source's sound, as input for an encoder.
#[derive(Clone, Debug)]
pub struct SoundFrame {
    /// When it begins, in milliseconds of the session.
    pub at_ms: i64,
    /// When it ends.
    pub end_ms: i64,
    /// Position in samples.
    pub place: i64,
    /// Length in samples.
    pub lasts: u32,
    /// The bytes as stored in files.
    pub data: Bytes,
}

/// An event from an encoder.
#[derive(Clone, Debug)]
pub enum EncoderEvent {
    /// This rung is offered from its next key frame that begins a segment.
    Show {
        rung: usize,
        config: Arc<VideoConfig>,
    },
    /// A picture of a rung that is offered.
    Picture {
        rung: usize,
        /// Whether it is a key frame where the source has one.
        is_aligned: bool,
        picture: PictureFrame,
    },
    /// This rung is no longer offered.
    Hide { rung: usize },
    /// The sound is offered from its next frame that begins a segment.
    ShowSound {
        /// The codec and its parameters.
        config: Arc<AudioConfig>,
    },
    /// A frame of sound that is offered.
    Sound {
        /// When it is heard, in milliseconds of the session.
        at_ms: i64,
        /// The bytes as stored in files.
        data: Bytes,
    },
    /// The sound is no longer offered.
    HideSound,
}

/// Encodes the source's frames. No call ever waits.
pub trait SourceEncoder: fmt::Debug + Send + Sync {
    /// Takes a picture.
    fn give(&mut self, picture: PictureFrame);
    /// Takes a frame of sound.
    fn give_sound(&mut self, sound: SoundFrame);
    /// Moves pending events into `into`.
    fn take(&mut self, into: &mut Vec<EncoderEvent>);
    /// Reports which rungs are listed as qualities now, and whether the sound is.
    fn note_listed(&mut self, rungs: &[usize], has_sound: bool);
}

/// A rung that may be offered.
#[derive(Clone, Copy, Debug)]
pub struct OfferedRung {
    /// It has one picture in this many of the source's.
    pub every: u32,
    /// Whether it uses the encoded sound, as long as that is offered.
    pub has_encoded_sound: bool,
}

/// What the multivariant playlist may list.
#[derive(Clone, Debug)]
pub struct LadderOffer {
    /// In playlist order.
    pub rungs: Vec<OfferedRung>,
    /// How many of them are listed above the source.
    pub above_source: usize,
    /// Whether every quality is listed with both the source's sound and the encoded one: some players cannot play the
    /// first, and those that can keep it when they change between qualities.
    pub lists_both_sounds: bool,
}
