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
/// The same where the operator does not mind a full disk: enough to be worth a try.
const LEAST_MARGIN: u64 = 50_000_000;
/// After a write was refused, the disk is left alone for so many looks (a minute), whatever it says: a quota is not in
/// its numbers. Each further refusal doubles that.
const LOOKS_AFTER_REFUSAL: u32 = 6;
/// The longest pause after a refusal: 64 minutes.
const MAX_DOUBLINGS: u32 = 6;
/// Refusals are forgotten after so many looks (ten minutes) at a disk that took everything.
const LOOKS_UNTIL_TRUSTED: u32 = 60;

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
    /// Writes that were refused, one for each pause.
    refusals: u32,
    /// Looks since recording went on.
    looks_since: u32,
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

    /// What can still be written on the disk of the recordings; `None` where the system does not say.
    pub async fn free(&self) -> Option<u64> {
        let root = self.root.clone();
        // A disk that hangs must not hold up anything else.
        let free = tokio::task::spawn_blocking(move || free_bytes(&root)).await;
        free.ok().flatten()
    }

    /// Looks at the disk; `min_free` is what has to stay free, 0 if the operator does not mind.
    pub async fn look(&self, min_free: u64) {
        let free = self.free().await;
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
        if outcome != GuardChange::Nothing {
            let paused = if self.may_write() { 0.0 } else { 1.0 };
            metrics::gauge!("rillcast_recording_paused").set(paused);
        }
        outcome
    }
}

impl GuardState {
    fn looked(&mut self, free: Option<u64>, min_free: u64) -> GuardChange {
        self.room.free = free;
        self.looks_to_wait = self.looks_to_wait.saturating_sub(1);
        // A system that says nothing may still take what is written.
        let has = |needed: u64| free.is_none_or(|free| free >= needed);
        if self.room.is_paused {
            let margin = if min_free == 0 { LEAST_MARGIN } else { MARGIN };
            if self.looks_to_wait > 0 || !has(min_free.saturating_add(margin)) {
                return GuardChange::Nothing;
            }
            self.room.is_paused = false;
            self.looks_since = 0;
            return GuardChange::Resumed;
        }
        self.looks_since = self.looks_since.saturating_add(1);
        if self.looks_since >= LOOKS_UNTIL_TRUSTED {
            self.refusals = 0;
        }
        if has(min_free) {
            return GuardChange::Nothing;
        }
        self.room.is_paused = true;
        GuardChange::Paused
    }

    fn refused(&mut self) -> GuardChange {
        if std::mem::replace(&mut self.room.is_paused, true) {
            // What was on its way when recording paused is refused as well.
            return GuardChange::Nothing;
        }
        self.looks_to_wait = LOOKS_AFTER_REFUSAL << self.refusals.min(MAX_DOUBLINGS);
        self.refusals = self.refusals.saturating_add(1);
        GuardChange::Paused
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

    /// Looks until recording goes on after a refused write.
    fn looks_after_refusal(state: &mut GuardState) -> u32 {
        assert_eq!(state.refused(), GuardChange::Paused);
        let mut looks = 1;
        while state.looked(Some(u64::MAX), 0) != GuardChange::Resumed {
            looks += 1;
        }
        looks
    }

    #[test]
    fn a_disk_that_refuses_again_and_again_is_tried_less_and_less_until_it_is_trusted() {
        let mut state = GuardState::default();
        let pauses = [(); 8].map(|()| looks_after_refusal(&mut state));
        assert_eq!(pauses, [6, 12, 24, 48, 96, 192, 384, 384]);
        for _ in 0..LOOKS_UNTIL_TRUSTED {
            assert_eq!(state.looked(Some(u64::MAX), 0), GuardChange::Nothing);
        }
        assert_eq!(looks_after_refusal(&mut state), 6);
    }

    #[test]
    fn where_a_full_disk_is_no_matter_a_little_room_is_enough_to_go_on() {
        let mut state = GuardState::default();
        assert_eq!(state.refused(), GuardChange::Paused);
        for _ in 0..2 * LOOKS_AFTER_REFUSAL {
            let full = state.looked(Some(LEAST_MARGIN - 1), 0);
            assert_eq!(full, GuardChange::Nothing);
        }
        let room = state.looked(Some(LEAST_MARGIN), 0);
        assert_eq!(room, GuardChange::Resumed);
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
