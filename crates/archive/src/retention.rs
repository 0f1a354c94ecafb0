//! Deletes recordings that are too old or too much, and the files of those that are deleted.
//!
//! A recording is out of everybody's sight first, and its files go a while later: whoever reads one then can finish.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use model::recording::RecordingId;
use model::settings::Layers;
use model::settings::table::recording::{KEEP_DAYS, KEEP_GIGABYTES};
use store::Recording;

use crate::error::ArchiveError;
use crate::guard::GIGABYTE;
use crate::handle::Archive;

/// Files of a deleted recording stay for so long, for those who are reading them.
const FILES_STAY: Duration = Duration::from_secs(60);
/// A deleted recording whose files are on no machine of a cluster is forgotten after this time.
const ELSEWHERE_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

/// What the operator allows recordings to be; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepLimits {
    pub days: u32,
    pub gigabytes: u32,
}

impl KeepLimits {
    pub fn of(settings: &Layers) -> Self {
        Self {
            days: *settings.get(&KEEP_DAYS),
            gigabytes: *settings.get(&KEEP_GIGABYTES),
        }
    }

    fn is_none(self) -> bool {
        self == Self::default()
    }

    fn is_too_old(self, recording: &Recording, now: Timestamp) -> bool {
        let ended_at = recording.ended_at.unwrap_or(recording.started_at);
        let age_ms = now.as_millisecond() - ended_at.as_millisecond();
        self.days > 0 && age_ms > i64::from(self.days) * 24 * 3600 * 1000
    }

    fn is_too_much(self, bytes: u64) -> bool {
        self.gigabytes > 0 && bytes > u64::from(self.gigabytes) * GIGABYTE
    }
}

/// Why a recording is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excess {
    Age,
    Size,
}

/// What has to go of these recordings, the oldest of which is first; `bytes` is the size of everything there is.
fn excess(
    limits: KeepLimits,
    now: Timestamp,
    mut bytes: u64,
    oldest_first: Vec<Recording>,
) -> Vec<(Recording, Excess)> {
    let mut gone = Vec::new();
    for recording in oldest_first {
        let why = match limits.is_too_old(&recording, now) {
            true => Excess::Age,
            false if limits.is_too_much(bytes) => Excess::Size,
            false => continue,
        };
        bytes = bytes.saturating_sub(recording.bytes);
        gone.push((recording, why));
    }
    gone
}

/// Keeps recordings within their limits; somebody calls it from time to time.
#[derive(Debug)]
pub struct Retention {
    archive: Archive,
    /// Recordings whose files could not be deleted, which was said in the log.
    reported: HashSet<RecordingId>,
}

impl Retention {
    pub fn new(archive: Archive) -> Self {
        Self {
            archive,
            reported: HashSet::new(),
        }
    }

    /// Deletes complete recordings that are too old, then the oldest ones until the others are not too much. What the
    /// operator keeps stays, and so does what is being recorded; both count.
    pub async fn apply(&self, limits: KeepLimits) -> Result<(), ArchiveError> {
        if limits.is_none() {
            return Ok(());
        }
        let store = &self.archive.store;
        let now = self.archive.clock.now();
        let bytes = store.recorded_bytes().await?;
        let oldest_first = store.expendable_recordings().await?;
        for (recording, why) in excess(limits, now, bytes, oldest_first) {
            if !store.delete_recording(&recording.id, now).await? {
                continue;
            }
            let (id, title) = (&recording.id, &recording.title);
            match why {
                Excess::Age => tracing::info!(
                    recording = %id,
                    title,
                    days = limits.days,
                    "deleted a recording because of its age (recording_keep_days)"
                ),
                Excess::Size => tracing::info!(
                    recording = %id,
                    title,
                    bytes = recording.bytes,
                    gigabytes = limits.gigabytes,
                    "deleted the oldest recording to make room (recording_keep_gigabytes)"
                ),
            }
        }
        Ok(())
    }

    /// Removes the files of deleted recordings, and forgets those that have none.
    pub async fn remove_deleted(&mut self) -> Result<(), ArchiveError> {
        let now = self.archive.clock.now();
        let deleted = self.archive.store.deleted_recordings().await?;
        for recording in deleted {
            let deleted_at = recording.deleted_at.unwrap_or(now);
            if now < deleted_at + FILES_STAY || self.is_written(&recording.id) {
                continue;
            }
            match self.remove_files(&recording.id).await {
                Ok(was_here) => {
                    let is_nowhere =
                        !self.archive.store.is_shared() || now >= deleted_at + ELSEWHERE_FOR;
                    // Another machine of a cluster forgets it with the files that it has.
                    if was_here || is_nowhere {
                        self.archive.store.forget_recording(&recording.id).await?;
                    }
                    self.reported.remove(&recording.id);
                }
                Err(error) => {
                    if self.reported.insert(recording.id.clone()) {
                        let folder = self.archive.folder().recording(&recording.id);
                        let folder = folder.display();
                        tracing::warn!(%folder, %error, "cannot remove the files of a deleted recording");
                    }
                }
            }
        }
        Ok(())
    }

    /// Says in the log which folders belong to no recording: those of a database that was replaced by an older one. They
    /// stay, as they may be all that is left.
    pub async fn report_unknown(&self) -> Result<Vec<RecordingId>, ArchiveError> {
        let root = self.archive.folder().root().to_owned();
        let listing = tokio::task::spawn_blocking(move || recordings_in(&root));
        let mut unknown = Vec::new();
        for id in listing.await.map_err(io::Error::other)?? {
            if self.archive.store.recording(&id).await?.is_none() {
                unknown.push(id);
            }
        }
        if let Some(first) = unknown.first() {
            let folder = self.archive.folder().recording(first);
            tracing::warn!(
                count = unknown.len(),
                first = %folder.display(),
                "there are folders of recordings that the database does not know; delete them to free the space"
            );
        }
        Ok(unknown)
    }

    fn is_written(&self, id: &RecordingId) -> bool {
        let live = self.archive.live();
        let live = live.borrow();
        live.as_ref().is_some_and(|log| log.recording == *id)
    }

    /// False if there were none.
    async fn remove_files(&self, id: &RecordingId) -> io::Result<bool> {
        let folder = self.archive.folder().recording(id);
        let removing = tokio::task::spawn_blocking(move || fs::remove_dir_all(folder));
        match removing.await.map_err(io::Error::other)? {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The recordings that have a folder.
fn recordings_in(root: &Path) -> io::Result<Vec<RecordingId>> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        found.extend(name.to_str().and_then(RecordingId::parse));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::recording::{RecordingState, Visibility};
    use store::{DatabaseUrl, RecordingChange, Store};
    use testkit::ManualClock;

    use super::*;
    use crate::folder::Folder;

    const DAY: i64 = 24 * 3600;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + seconds).unwrap()
    }

    fn recording(number: u64, started: i64, gigabytes: u64) -> Recording {
        Recording {
            id: RecordingId::from_random(number.to_be_bytes()),
            stream_id: format!("stream {number}"),
            state: RecordingState::Recording,
            title: format!("show {number}"),
            summary: String::new(),
            tags: vec![],
            visibility: Visibility::Public,
            is_kept: false,
            keeps_chat: false,
            started_at: at(started),
            ended_at: Some(at(started + 3600)),
            trim_start_us: None,
            trim_end_us: None,
            duration_us: 3_600_000_000,
            bytes: gigabytes * GIGABYTE,
            deleted_at: None,
        }
    }

    fn limits(days: u32, gigabytes: u32) -> KeepLimits {
        KeepLimits { days, gigabytes }
    }

    fn gone(limits: KeepLimits, bytes: u64) -> Vec<(String, Excess)> {
        let recordings = vec![
            recording(1, -9 * DAY, 3),
            recording(2, -5 * DAY, 3),
            recording(3, -DAY, 3),
        ];
        let gone = excess(limits, at(0), bytes * GIGABYTE, recordings);
        gone.into_iter()
            .map(|(one, why)| (one.title, why))
            .collect()
    }

    fn show(number: u64, why: Excess) -> (String, Excess) {
        (format!("show {number}"), why)
    }

    #[test]
    fn what_is_older_than_so_many_days_goes() {
        assert_eq!(gone(limits(0, 0), 99), []);
        assert_eq!(gone(limits(9, 0), 99), []);
        let two = [show(1, Excess::Age), show(2, Excess::Age)];
        assert_eq!(gone(limits(4, 0), 99), two);
    }

    #[test]
    fn the_oldest_go_until_the_rest_is_not_too_much() {
        assert_eq!(gone(limits(0, 9), 9), []);
        let one = [show(1, Excess::Size)];
        assert_eq!(gone(limits(0, 6), 9), one);
        // Something that cannot go counts as well.
        let all = [1, 2, 3].map(|number| show(number, Excess::Size));
        assert_eq!(gone(limits(0, 6), 30), all);
        let both = [show(1, Excess::Age), show(2, Excess::Size)];
        assert_eq!(gone(limits(7, 5), 9), both);
    }

    struct House {
        _home: tempfile::TempDir,
        archive: Archive,
        clock: Arc<ManualClock>,
        store: Store,
    }

    async fn house() -> House {
        let home = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(home.path().join("test.db"));
        let store = Store::open(&url, &home.path().join("secret.key"));
        let store = store.await.unwrap();
        let clock = Arc::new(ManualClock::default());
        let folder = Folder::new(home.path().join("recordings"));
        let archive = Archive::new(folder, store.clone(), clock.clone());
        House {
            _home: home,
            archive,
            clock,
            store,
        }
    }

    impl House {
        /// A complete recording with a file.
        async fn keep(&self, recording: &Recording) {
            let started = Recording {
                ended_at: None,
                ..recording.clone()
            };
            self.store.begin_recording(started).await.unwrap();
            let (end, long) = (recording.ended_at.unwrap(), recording.duration_us);
            let finished = self
                .store
                .finish_recording(&recording.id, end, long, recording.bytes);
            assert!(finished.await.unwrap());
            let file = self.archive.folder().chunk(&recording.id, "0", 0).unwrap();
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "media").unwrap();
        }

        async fn state(&self, recording: &Recording) -> Option<RecordingState> {
            let known = self.store.recording(&recording.id).await.unwrap();
            known.map(|known| known.state)
        }

        fn has_files(&self, recording: &Recording) -> bool {
            let folder = self.archive.folder().recording(&recording.id);
            folder.try_exists().unwrap()
        }
    }

    #[tokio::test]
    async fn what_the_operator_keeps_stays_and_the_files_of_the_rest_go_after_a_minute() {
        let house = house().await;
        let (kept, old) = (recording(1, -9 * DAY, 3), recording(2, -8 * DAY, 3));
        house.keep(&kept).await;
        house.keep(&old).await;
        let keep = RecordingChange {
            is_kept: Some(true),
            ..RecordingChange::default()
        };
        let changed = house.store.change_recording(&kept.id, keep, at(0)).await;
        assert!(changed.unwrap().is_some());

        let mut retention = Retention::new(house.archive.clone());
        retention.apply(limits(1, 1)).await.unwrap();
        assert_eq!(house.state(&kept).await, Some(RecordingState::Finished));
        assert_eq!(house.state(&old).await, Some(RecordingState::Deleting));
        retention.remove_deleted().await.unwrap();
        assert!(house.has_files(&old));

        house.clock.advance(FILES_STAY);
        retention.remove_deleted().await.unwrap();
        assert!(!house.has_files(&old));
        assert_eq!(house.state(&old).await, None);
        assert!(house.has_files(&kept));
    }

    #[tokio::test]
    async fn a_deleted_recording_without_files_is_forgotten() {
        let house = house().await;
        let lost = recording(1, 0, 1);
        house.keep(&lost).await;
        fs::remove_dir_all(house.archive.folder().recording(&lost.id)).unwrap();
        assert!(house.store.delete_recording(&lost.id, at(0)).await.unwrap());
        house.clock.advance(FILES_STAY);
        let mut retention = Retention::new(house.archive.clone());
        retention.remove_deleted().await.unwrap();
        assert_eq!(house.state(&lost).await, None);
    }

    #[tokio::test]
    async fn folders_that_the_database_does_not_know_are_told_and_stay() {
        let house = house().await;
        let retention = Retention::new(house.archive.clone());
        assert_eq!(retention.report_unknown().await.unwrap(), []);
        let (known, stray) = (recording(1, 0, 1), recording(2, 0, 1));
        house.keep(&known).await;
        let folder = house.archive.folder().recording(&stray.id);
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(house.archive.folder().root().join("lost+found")).unwrap();
        let unknown = retention.report_unknown().await.unwrap();
        assert_eq!(unknown, [stray.id]);
        assert!(folder.try_exists().unwrap());
    }
}
