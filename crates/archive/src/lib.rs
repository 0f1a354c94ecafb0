//! Recordings: the stream as it was served, appended to files, and everything that is a view of them.
//!
//! Nothing is encoded or cut again. The bytes of a part are final the moment they are written for live viewers, so
//! recording is appending those very bytes: for each broadcast and rendition, chunk files of at most five minutes with a
//! small index beside each. A replay, rewinding in a live stream and what comes after them read the same files.
//!
//! In reading order: [`index`] (what is in an index, without any IO), [`Folder`] (where files are), [`log`] (who writes
//! them, and what is left of them after a crash), [`timeline`] (which segment is where and when) and [`Archive`], which
//! everybody else holds. [`guard`] pauses recording before the disk is full, [`retention`] deletes what is too old or too
//! much.
//!
//! The crate does not know where parts come from: it must never use `media` or `web`. Nobody waits for it: what cannot be
//! written in time is lost from the recording, and from nothing else.

mod complaints;
mod crc32c;
mod description;
mod error;
mod folder;
mod fragment;
#[doc(hidden)]
pub mod fuzzing;
pub mod guard;
mod handle;
pub mod index;
mod live_log;
mod live_position;
pub mod log;
mod reader;
mod replays;
pub mod retention;
pub mod rewind;
pub mod timeline;
mod timelines;
mod unfinished;
pub mod vod;

pub use description::ChunkDescription;
pub use error::ArchiveError;
pub use folder::Folder;
pub use handle::{Archive, RecordRequest};
pub use live_log::LiveLog;
pub use log::{LogUpdate, NewPart, NewRecording, Recorder, RenditionUpdate};
pub use reader::Blocks;
pub use replays::FilesFound;
pub use unfinished::UnfinishedRecording;
