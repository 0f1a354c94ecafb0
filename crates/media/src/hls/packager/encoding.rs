//! What goes to whoever encodes, and what comes back.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::{AudioConfig, VideoConfig};

/// A picture of the source, for whoever encodes it.
#[derive(Clone, Debug)]
pub struct PictureFrame {
    /// When it is decoded, in milliseconds of the session.
    pub at_ms: i64,
    /// How much later it is shown.
    pub composition_ms: i32,
    /// The same as the publisher sent it, before the picture found its place.
    pub sent_ms: i32,
    /// Decoding can begin here.
    pub is_key: bool,
    /// As files carry it.
    pub data: Bytes,
}

impl PictureFrame {
    pub(super) fn shown_ms(&self) -> i64 {
        self.at_ms + i64::from(self.composition_ms)
    }
}

/// A frame of the source's sound, for whoever encodes it.
#[derive(Clone, Debug)]
pub struct SoundFrame {
    /// When it is heard, in milliseconds of the session.
    pub at_ms: i64,
    /// Until when.
    pub end_ms: i64,
    /// When it is heard, in samples.
    pub place: i64,
    /// How many samples it lasts.
    pub lasts: u32,
    /// As files carry it.
    pub data: Bytes,
}

/// What comes back.
#[derive(Clone, Debug)]
pub enum EncoderEvent {
    /// This rung is offered from its next key frame on that begins a segment.
    Show {
        rung: usize,
        /// How its pictures are coded.
        config: Arc<VideoConfig>,
    },
    /// A picture of a rung that is offered.
    Picture {
        rung: usize,
        /// It stands where the source has a key frame, and is one.
        is_aligned: bool,
        picture: PictureFrame,
    },
    /// This rung is not offered any more.
    Hide { rung: usize },
    /// The sound is offered from its next frame on that begins a segment.
    ShowSound {
        /// How it is coded.
        config: Arc<AudioConfig>,
    },
    /// A frame of sound that is offered.
    Sound {
        /// When it is heard, in milliseconds of the session.
        at_ms: i64,
        /// As files carry it.
        data: Bytes,
    },
    /// The sound is not offered any more.
    HideSound,
}

/// Encodes what the source sends. No call ever waits.
pub trait SourceEncoder: fmt::Debug + Send + Sync {
    /// Gives it a picture.
    fn give(&mut self, picture: PictureFrame);
    /// Gives it a frame of sound.
    fn give_sound(&mut self, sound: SoundFrame);
    /// Takes what has come.
    fn take(&mut self, into: &mut Vec<EncoderEvent>);
    /// Notes which rungs are in the list of qualities now, and whether the sound is.
    fn note_listed(&mut self, rungs: &[usize], has_sound: bool);
}

/// A rung as it may be offered.
#[derive(Clone, Copy, Debug)]
pub struct OfferedRung {
    /// One picture of the source out of so many.
    pub every: u32,
    /// It is heard with the sound that is encoded, as long as that is offered.
    pub has_encoded_sound: bool,
}

/// What the list of qualities may hold.
#[derive(Clone, Debug)]
pub struct LadderOffer {
    /// In the order of the list.
    pub rungs: Vec<OfferedRung>,
    /// How many of them stand above the source.
    pub above_source: usize,
    /// Every quality is listed with the source's sound and with the one that is encoded: not everybody can play the
    /// first, and who can stays with it when changing between qualities.
    pub lists_both_sounds: bool,
}
