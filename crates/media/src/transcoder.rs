//! The transcoder: other qualities of the stream, encoded by an ffmpeg beside it.
//!
//! The publisher's own picture is passed through and needs nobody. What an operator wants beside it is the ladder, and
//! each quality a rung of it: one ffmpeg is fed with the stream and hands every rung back through a pipe of its own.
//! Sound that not everybody can play, or that a quality wants less of, is encoded by the same one as AAC. Whatever
//! becomes of that program, the picture and the sound it was fed with play on.
//!
//! Everything here but `trial.rs`, `measure.rs`, `child.rs` and `driver.rs` is pure: no process, no pipe, no clock. In
//! reading order: `plan.rs` says which rungs a stream gets, `encoder.rs` and `arguments.rs` how ffmpeg is asked for them,
//! `feed.rs` holds what it is given, `output.rs` judges what comes back, `align.rs` puts it where the source's pictures
//! stand, `supervisor.rs` says when the program is started and ended, `trial.rs` which encoders work on this machine,
//! and `measure.rs` what it can afford. `driver.rs` does it, with the program in `child.rs`, `link.rs` is the way to the
//! packager and back, and `memory.rs` what one encoder of a broadcast leaves to the next.

mod align;
mod arguments;
mod child;
mod driver;
mod encoder;
mod feed;
mod link;
mod measure;
mod memory;
mod output;
mod plan;
mod status;
mod supervisor;
mod trial;

pub use align::{Alignment, FramePosition};
pub use arguments::{FIRST_PIPE, arguments, probe};
pub use driver::TranscodeJob;
pub use encoder::Encoder;
pub use feed::Feed;
pub use measure::{
    EncoderTrial, FfmpegInfo, MeasureError, Measurements, TrialOutcome, TrialPolicy, version,
};
pub use memory::TranscoderMemory;
pub use output::{EncodedFrame, OutputError, PictureOutput, SoundOutput};
pub use plan::{
    LadderPlan, LadderSource, OmissionReason, OmittedQuality, Rung, SoundRung, SourcePicture,
    SourceSound,
};
pub use status::{RungStatus, SoundStatus, SpeedSample, TranscoderStatus};
pub use supervisor::{
    Failure, FeedMode, Order, RestartHistory, RunId, Supervisor, TranscoderReport,
};
pub use trial::{TrialError, trial};
