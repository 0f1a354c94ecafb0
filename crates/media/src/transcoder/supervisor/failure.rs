//! Why an encoder is started again.

use crate::transcoder::OutputError;

/// Why a run was ended, or ended by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no such program, or it does not start.
    #[error(
        "ffmpeg cannot be started ({0}); install it, or say where it is with the setting ffmpeg_path"
    )]
    Missing(String),
    /// It ended by itself; its own words.
    #[error("ffmpeg gave up: {0}")]
    GaveUp(String),
    /// It wrote what nobody asked for.
    #[error("what ffmpeg wrote cannot be used: {0}")]
    BadOutput(#[from] OutputError),
    /// It was given something and did not answer.
    #[error("ffmpeg does not answer")]
    Silent,
    /// It wrote pictures, and no sound of what it was given.
    #[error(
        "ffmpeg makes no sound of what it is given; set another codec for it in your broadcasting program, such as AAC"
    )]
    NoSound,
    /// It wrote pictures, and sound that nobody asked for.
    #[error("the sound that ffmpeg wrote cannot be used: {0}")]
    BadSound(OutputError),
    /// This machine is too slow for it.
    #[error(
        "this machine is too slow for these qualities: remove one, or lower its size, frame rate or CPU level"
    )]
    TooSlow,
}
