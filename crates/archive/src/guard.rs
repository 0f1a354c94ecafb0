//! Keeps the disk from filling up: recording pauses when there is too little room, and the stream goes on.
//!
//! The writer asks [`DiskGuard::may_write`] before it writes, and tells of a write that the disk refused. Somebody calls
//! [`DiskGuard::look`] every [`LOOK_EVERY`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::folder::Folder;

/// How often the room on the disk is looked at.
pub const LOOK_EVERY: Duration = Duration::from_secs(10);
/// A gigabyte, as disks are sold and settings count.
pub const GIGABYTE: u64 = 1_000_000_000;
/// How much more than the limit has to be free before recording goes on: on a disk that is nearly full, it would
/// otherwise stop and go on with every look.
const MARGIN: u64 = GIGABYTE;
/// After a write was refused, the disk is left alone for so many looks, whatever it says: a quota is not in its numbers.
const LOOKS_AFTER_REFUSAL: u32 = 6;

/// Room on the disk of the recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskRoom {
    /// Bytes this program can still write; `None` before the first look, and where the system does not say.
    pub free: Option<u64>,
    /// Nothing is recorded until there is more.
    pub is_paused: bool,
}

/// Decides whether there is room to record; cheap to clone.
#[derive(Clone, Debug)]
pub struct DiskGuard {
    root: PathBuf,
    state: Arc<watch::Sender<GuardState>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct GuardState {
    room: DiskRoom,
    /// Looks that are still to pass after a refused write.
    looks_to_wait: u32,
}

/// What a look or a refused write changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GuardChange {
    Nothing,
    Paused,
    Resumed,
}

impl DiskGuard {
    pub(crate) fn new(folder: &Folder) -> Self {
        Self {
            root: folder.root().to_owned(),
            state: Arc::new(watch::Sender::new(GuardState::default())),
        }
    }

    /// Whether there is room. It does not ask the system.
    pub fn may_write(&self) -> bool {
        !self.state.borrow().room.is_paused
    }

    /// The room on the disk when it was last looked at.
    pub fn room(&self) -> DiskRoom {
        self.state.borrow().room
    }

    /// Takes note of a write that failed. True if it failed for lack of room: the writer then pauses until
    /// [`DiskGuard::may_write`] says otherwise.
    pub fn note_failure(&self, error: &io::Error) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        if !matches!(error.kind(), StorageFull | QuotaExceeded) {
            return false;
        }
        if self.update(|state| state.refused()) == GuardChange::Paused {
            tracing::error!(folder = %self.root.display(), %error, "recording pauses: the disk is full; the stream goes on");
        }
        true
    }

    /// Looks at the disk; `min_free` is what has to stay free, 0 if the operator does not mind.
    pub async fn look(&self, min_free: u64) {
        let root = self.root.clone();
        // A disk that hangs must not hold up anything else.
        let free = tokio::task::spawn_blocking(move || free_bytes(&root)).await;
        let free = free.ok().flatten();
        let shown = self.root.display();
        match self.update(|state| state.looked(free, min_free)) {
            GuardChange::Nothing => {}
            GuardChange::Paused => tracing::error!(
                folder = %shown,
                free_bytes = free,
                min_free_bytes = min_free,
                "recording pauses: too little is free on the disk (recording_min_free_gigabytes); the stream goes on"
            ),
            GuardChange::Resumed => {
                tracing::info!(folder = %shown, free_bytes = free, "there is room on the disk again, recording goes on");
            }
        }
    }

    fn update(&self, change: impl FnOnce(&mut GuardState) -> GuardChange) -> GuardChange {
        let mut outcome = GuardChange::Nothing;
        self.state.send_modify(|state| outcome = change(state));
        outcome
    }
}

impl GuardState {
    fn looked(&mut self, free: Option<u64>, min_free: u64) -> GuardChange {
        self.room.free = free;
        self.looks_to_wait = self.looks_to_wait.saturating_sub(1);
        // A system that says nothing may still take what is written.
        let has = |needed: u64| free.is_none_or(|free| free >= needed);
        match self.room.is_paused {
            true if self.looks_to_wait == 0 && has(min_free.saturating_add(MARGIN)) => {
                self.room.is_paused = false;
                GuardChange::Resumed
            }
            false if !has(min_free) => {
                self.room.is_paused = true;
                GuardChange::Paused
            }
            _ => GuardChange::Nothing,
        }
    }

    fn refused(&mut self) -> GuardChange {
        self.looks_to_wait = LOOKS_AFTER_REFUSAL;
        match std::mem::replace(&mut self.room.is_paused, true) {
            true => GuardChange::Nothing,
            false => GuardChange::Paused,
        }
    }
}

/// What this program can still write at a path that may not be there yet.
fn free_bytes(root: &Path) -> Option<u64> {
    for place in root.ancestors() {
        match rustix::fs::statvfs(place) {
            Ok(disk) => return Some(disk.f_bavail.saturating_mul(disk.f_frsize)),
            Err(rustix::io::Errno::NOENT) => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 5 * GIGABYTE;

    fn paused() -> GuardState {
        let mut state = GuardState::default();
        assert_eq!(state.looked(Some(LIMIT - 1), LIMIT), GuardChange::Paused);
        state
    }

    #[test]
    fn recording_pauses_below_the_limit_and_goes_on_a_gigabyte_above_it() {
        let mut state = GuardState::default();
        assert_eq!(state.looked(Some(LIMIT), LIMIT), GuardChange::Nothing);
        let mut state = paused();
        for free in [0, LIMIT, LIMIT + MARGIN - 1] {
            assert_eq!(state.looked(Some(free), LIMIT), GuardChange::Nothing);
            assert!(state.room.is_paused);
        }
        let enough = state.looked(Some(LIMIT + MARGIN), LIMIT);
        assert_eq!(enough, GuardChange::Resumed);
        assert_eq!(state.looked(Some(LIMIT), LIMIT), GuardChange::Nothing);
    }

    #[test]
    fn another_limit_counts_from_the_next_look_on() {
        let mut state = paused();
        let lower = state.looked(Some(LIMIT - 1), LIMIT - 2 * GIGABYTE);
        assert_eq!(lower, GuardChange::Resumed);
        assert_eq!(state.looked(Some(0), 0), GuardChange::Nothing);
    }

    #[test]
    fn a_refused_write_pauses_for_a_minute_even_if_the_disk_says_that_there_is_room() {
        let mut state = GuardState::default();
        assert_eq!(state.refused(), GuardChange::Paused);
        assert_eq!(state.refused(), GuardChange::Nothing);
        for _ in 1..LOOKS_AFTER_REFUSAL {
            let early = state.looked(Some(u64::MAX), 0);
            assert_eq!(early, GuardChange::Nothing);
        }
        assert_eq!(state.looked(Some(u64::MAX), 0), GuardChange::Resumed);
    }

    #[test]
    fn a_disk_that_says_nothing_is_written_to() {
        let mut state = GuardState::default();
        assert_eq!(state.looked(None, LIMIT), GuardChange::Nothing);
        assert_eq!(state.refused(), GuardChange::Paused);
        let looks = (0..LOOKS_AFTER_REFUSAL).map(|_| state.looked(None, LIMIT));
        let changes: Vec<_> = looks.collect();
        assert_eq!(changes.last(), Some(&GuardChange::Resumed));
    }

    #[tokio::test]
    async fn the_room_is_that_of_the_disk_the_folder_will_be_on() {
        let home = tempfile::tempdir().unwrap();
        let guard = DiskGuard::new(&Folder::new(home.path().join("not/there/yet")));
        assert_eq!(guard.room().free, None);
        assert!(guard.may_write());
        guard.look(0).await;
        assert!(guard.room().free.is_some_and(|free| free > 0));
        assert!(guard.may_write());
        guard.look(u64::MAX).await;
        assert!(!guard.may_write());
    }

    #[test]
    fn only_a_lack_of_room_pauses() {
        let guard = DiskGuard::new(&Folder::new("/nowhere".into()));
        assert!(!guard.note_failure(&io::ErrorKind::PermissionDenied.into()));
        assert!(guard.may_write());
        for full in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(guard.note_failure(&full.into()));
            assert!(!guard.may_write());
        }
    }
}
