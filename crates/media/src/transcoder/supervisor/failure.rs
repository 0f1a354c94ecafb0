//! Why an encoder is restarted.

use crate::transcoder::OutputError;

/// Why a run was ended, or ended by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error(
        "ffmpeg cannot be started ({0}); install it, or say where it is with the setting ffmpeg_path"
    )]
    Missing(String),
    /// The process exited; its error output.
    #[error("ffmpeg gave up: {0}")]
    GaveUp(String),
    #[error("what ffmpeg wrote cannot be used: {0}")]
    BadOutput(#[from] OutputError),
    #[error("ffmpeg does not answer")]
    Silent,
    /// It wrote pictures, but no sound although it was given some.
    #[error(
        "ffmpeg cannot encode the sound it is given; set another audio codec in your broadcasting software, such as AAC"
    )]
    NoSound,
    /// It wrote pictures, and sound that was not asked for.
    #[error("the sound that ffmpeg wrote cannot be used: {0}")]
    BadSound(OutputError),
    #[error(
        "this machine is too slow for these qualities: remove one, or lower its size, frame rate or CPU level"
    )]
    TooSlow,
}
