//! The transcoder: encodes other qualities of the stream with an ffmpeg beside the server.
//!
//! The publisher's own picture is passed through and needs no encoder. The other qualities an operator wants are the
//! ladder, and each quality is a rung: one ffmpeg reads the stream and returns every rung through a pipe of its own.
//! It also encodes sound as AAC if some players cannot play it, or if a quality wants fewer bits. Whatever happens to
//! that process, the publisher's picture and sound play on.
//!
//! Everything except `trial.rs`, `measure.rs`, `child.rs` and `driver.rs` is pure: no process, no pipe, no clock. In
//! reading order: `plan.rs` chooses the rungs for a stream, `encoder.rs` and `arguments.rs` build ffmpeg's arguments,
//! `feed.rs` queues its input, `output.rs` validates its output, `align.rs` aligns that with the source's pictures,
//! `supervisor.rs` decides when the process is started and ended, `trial.rs` finds the encoders that work on this
//! machine, and `measure.rs` how fast they are. `driver.rs` runs it all, with the process in `child.rs`; `link.rs`
//! connects it with the packager, and `memory.rs` holds what one encoder of a broadcast passes on to the next.

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
pub mod sentences;
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
