//! Recordings of broadcasts: their rows. Media is in files, which the crate `archive` writes and reads.
//!
//! [`life`] is what becomes of one, [`list`] finds them, [`chunks`] knows the files of each, [`chapters`] the places in it
//! that have a name.

mod chapters;
mod chunks;
mod life;
mod list;
mod moments;

pub use chapters::{ARCHIVE_CURSOR, Chapter, ChapterKind, MAX_CHAPTERS};
pub use chunks::RecordingChunk;
pub use list::{RecordingPage, RecordingQuery};

use jiff::Timestamp;
use model::recording::{RecordingId, RecordingState, Visibility};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::users::{optional_time, time};

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub id: RecordingId,
    /// The broadcast in the history; nobody outside is told.
    pub stream_id: String,
    pub state: RecordingState,
    pub title: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub visibility: Visibility,
    /// It is not deleted to make room, nor because it is old.
    pub is_kept: bool,
    /// The chat's lines from its time are kept as long as it is.
    pub keeps_chat: bool,
    pub started_at: Timestamp,
    /// `None` while it goes on.
    pub ended_at: Option<Timestamp>,
    /// Where viewers see it begin, from its real beginning.
    pub trim_start_us: Option<i64>,
    /// Where viewers see it end, from its real beginning.
    pub trim_end_us: Option<i64>,
    /// All of it, whatever is trimmed.
    pub duration_us: i64,
    /// The size of its files.
    pub bytes: u64,
    pub deleted_at: Option<Timestamp>,
}

/// An operator's change of a recording; `None` leaves a value as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingChange {
    pub title: Option<String>,
    pub summary: Option<String>,
    pub tags: Option<Vec<String>>,
    pub visibility: Option<Visibility>,
    pub is_kept: Option<bool>,
    /// `Some(None)` takes the trim away.
    pub trim_start_us: Option<Option<i64>>,
    /// `Some(None)` takes the trim away.
    pub trim_end_us: Option<Option<i64>>,
}

impl RecordingChange {
    fn apply(self, recording: &mut Recording) {
        fn set<T>(value: &mut T, change: Option<T>) {
            if let Some(new) = change {
                *value = new;
            }
        }
        set(&mut recording.title, self.title);
        set(&mut recording.summary, self.summary);
        set(&mut recording.tags, self.tags);
        set(&mut recording.visibility, self.visibility);
        set(&mut recording.is_kept, self.is_kept);
        set(&mut recording.trim_start_us, self.trim_start_us);
        set(&mut recording.trim_end_us, self.trim_end_us);
    }
}

/// A new id for a recording.
pub fn new_recording_id() -> RecordingId {
    let mut bytes = [0; 8];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    RecordingId::from_random(bytes)
}

/// A query for whole recordings; a macro, because statements are static.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, stream_id, state, title, summary, tags, visibility, is_kept, keeps_chat, started_at, ended_at, ",
            "trim_start_us, trim_end_us, duration_us, bytes, deleted_at FROM recordings ",
            $rest
        )
    };
}
pub(crate) use columns;

fn from_row(row: &AnyRow) -> Result<Recording, StoreError> {
    let state: String = row.try_get("state")?;
    let visibility: String = row.try_get("visibility")?;
    let tags: String = row.try_get("tags")?;
    Ok(Recording {
        id: id(row, "id")?,
        stream_id: row.try_get("stream_id")?,
        state: RecordingState::parse(&state).ok_or_else(|| unreadable(state))?,
        title: row.try_get("title")?,
        summary: row.try_get("summary")?,
        tags: serde_json::from_str(&tags).map_err(unreadable)?,
        visibility: Visibility::parse(&visibility).ok_or_else(|| unreadable(visibility))?,
        is_kept: row.try_get::<i64, _>("is_kept")? != 0,
        keeps_chat: row.try_get::<i64, _>("keeps_chat")? != 0,
        started_at: time(row.try_get("started_at")?)?,
        ended_at: optional_time(row, "ended_at")?,
        trim_start_us: row.try_get("trim_start_us")?,
        trim_end_us: row.try_get("trim_end_us")?,
        duration_us: row.try_get("duration_us")?,
        bytes: unsigned(row, "bytes")?,
        deleted_at: optional_time(row, "deleted_at")?,
    })
}

fn id(row: &AnyRow, column: &str) -> Result<RecordingId, StoreError> {
    let text: String = row.try_get(column)?;
    RecordingId::parse(&text).ok_or_else(|| unreadable(text))
}

fn unsigned(row: &AnyRow, column: &str) -> Result<u64, StoreError> {
    let stored: i64 = row.try_get(column)?;
    u64::try_from(stored).map_err(unreadable)
}

fn unreadable(why: impl std::fmt::Display) -> StoreError {
    StoreError::unreadable("recording", why)
}
