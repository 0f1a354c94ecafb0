//! Writes the log, and finds what is left of it after a crash.
//!
//! Whoever takes in the stream gives each new part to a [`Recorder`], which hands it to a thread of its own; `writer.rs`
//! decides there which chunk it belongs to, `chunk.rs` appends it, and `rows.rs` tells the database. At the start of the
//! server, `recover.rs` makes whole what was being written when it ended.

mod chunk;
mod hash;
pub(crate) mod position;
mod recorder;
pub(crate) mod recover;
mod rows;
pub(crate) mod salvage;
mod state;
mod update;
mod writer;

pub use recorder::Recorder;
pub use update::{LogUpdate, NewPart, NewRecording, RenditionUpdate};

pub(crate) use recorder::end_recording;
pub(crate) use state::{LogEnd, LogPosition, RecorderDeps, RecorderState};
pub(crate) use writer::{SHORTEST_WINDOW_US, empty_timeline};

#[cfg(test)]
mod tests;
