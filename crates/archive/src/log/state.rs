//! What a recording is written with, and where it stands.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

use model::Clock;
use store::Store;
use tokio::sync::watch;

use crate::folder::Folder;
use crate::guard::DiskGuard;
use crate::live_log::LiveLog;

/// What a recorder needs around it.
#[derive(Clone, Debug)]
pub(crate) struct RecorderDeps {
    pub(crate) folder: Folder,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) guard: DiskGuard,
    pub(crate) live: watch::Sender<Option<LiveLog>>,
}

/// What the thread and those who give it work know of each other.
#[derive(Debug)]
pub(crate) struct RecorderState {
    /// Of the parts that wait.
    pub(crate) queued_bytes: AtomicU64,
    /// When the oldest of them was offered, in milliseconds since the start of the process.
    pub(crate) waits_since: AtomicU64,
    pub(crate) is_ring: AtomicBool,
    /// How far back can be rewound.
    pub(crate) window_us: AtomicI64,
    /// Parts that are missing.
    pub(crate) lost: AtomicU64,
}

/// What is there of a recording that goes on.
#[derive(Clone, Debug)]
pub(crate) struct LogPosition {
    pub(crate) session: u32,
    pub(crate) end_us: i64,
    pub(crate) next_ordinal: u64,
    /// Of each rendition.
    pub(crate) next_numbers: BTreeMap<String, u32>,
    pub(crate) chunks: VecDeque<ClosedChunk>,
}

/// A chunk that is complete.
#[derive(Clone, Debug)]
pub(crate) struct ClosedChunk {
    pub(crate) rendition: String,
    pub(crate) number: u32,
    pub(crate) end_us: i64,
    pub(crate) bytes: u64,
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEnd {
    pub(crate) duration_us: i64,
    pub(crate) bytes: u64,
}
