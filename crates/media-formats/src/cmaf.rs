//! Writes CMAF: the init segment of a track, and fragments of coded samples (ISO/IEC 23000-19, 14496-12).
//!
//! Pure functions from slices to bytes. One track per file, track id 1, and no notion of time: the caller
//! decides how long a sample lasts and where a fragment begins. Only the encoder, which has one input, gets
//! picture and sound in one file.
//! Composition offsets are signed, so the first picture shows at its decode time and no edit list is needed.

mod boxes;
mod entry;
pub mod fragment;
pub mod init;

use bytes::Bytes;

/// Units per second in which video tracks count: every usual frame rate is a whole number of them.
pub const VIDEO_TIMESCALE: u32 = 90_000;

/// What a track carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Track {
    /// Pictures, in units of [`VIDEO_TIMESCALE`].
    Video,
    /// Sound, in units of its sample rate.
    Audio,
}

impl Track {
    /// The one track of every file.
    const ID: u32 = 1;

    /// The track id in a file with both tracks.
    const fn id_together(self) -> u32 {
        match self {
            Self::Video => Self::ID,
            Self::Audio => Self::ID + 1,
        }
    }
}

/// One coded picture, or one frame of sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The coded bytes: NAL units after four-byte lengths, OBUs, a VP9 frame, or a raw audio frame.
    pub data: Bytes,
    /// Time until the next sample, in the track's units.
    pub duration: u32,
    /// How much later than its decode time it is shown, in the track's units; may be negative.
    pub composition: i32,
    /// Whether decoding can start here; sound always can.
    pub is_sync: bool,
}
