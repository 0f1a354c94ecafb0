//! Why an encoder is restarted.

use model::sentence::Sentence;

use crate::transcoder::{OutputError, sentences};

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

impl Failure {
    /// The same for pages, which say it in their language.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Missing(why) => sentences::NOT_STARTED.with([why.as_str().into()]),
            Self::GaveUp(complaint) => sentences::GAVE_UP.with([complaint.as_str().into()]),
            Self::BadOutput(reason) => sentences::BAD_OUTPUT.with([reason.to_string().into()]),
            Self::Silent => sentences::SILENT.plain(),
            Self::NoSound => sentences::NO_SOUND.plain(),
            Self::BadSound(reason) => sentences::BAD_SOUND.with([reason.to_string().into()]),
            Self::TooSlow => sentences::TOO_SLOW.plain(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_an_encoder_stopped_can_be_said_by_its_code() {
        let gave_up = Failure::GaveUp("no more".into()).sentence();
        assert_eq!(
            (gave_up.code(), gave_up.english().as_str()),
            ("ffmpeg-gave-up", "ffmpeg gave up: no more")
        );
        let bad = Failure::BadSound(OutputError::Mixed).sentence();
        assert!(bad.english().ends_with("mixes pictures and sound"));
    }
}
