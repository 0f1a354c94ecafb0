//! FLV tag bodies, as RTMP messages and FLV files carry them.
//!
//! Pure functions from bytes to values; nothing here knows time, the network or a codec's bytes. Bodies are
//! sliced, never copied. Old headers follow "Video File Format Specification 10.1", those with a FourCC follow
//! Enhanced RTMP v2. Unsupported codecs are named, so that the publisher learns what to change.

mod audio;
mod file;
mod fourcc;
mod metadata;
mod pipe;
mod video;

pub(crate) use audio::FOURCCS as AUDIO_FOURCCS;
pub use audio::{AudioCodec, AudioTag, audio, further_audio_tracks};
pub use file::{FileReader, FileTag, TagKind};
pub use fourcc::FurtherTracks;
pub(crate) use metadata::clean_name;
pub use metadata::{Metadata, metadata};
pub use pipe::PipeReader;
pub(crate) use video::FOURCCS as VIDEO_FOURCCS;
pub use video::{VideoCodec, VideoTag, further_video_tracks, video};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlvError {
    /// The bytes end inside the named part.
    #[error("the {0} is cut short")]
    Truncated(&'static str),
    #[error("not an FLV file")]
    NotFlv,
    #[error("a tag announces {0} bytes, which is more than any has")]
    TooLong(usize),
    /// The named part contradicts the bytes around it.
    #[error("{0} is wrong")]
    Inconsistent(&'static str),
}
