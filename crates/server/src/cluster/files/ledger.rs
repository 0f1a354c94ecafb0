//! What this machine and the bucket had in common when they last met, and what follows from it.
//!
//! Who has a file that the other has not may have got it, or the other may have lost it: only what both had decides.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Files of a folder that are gone here at once, all of them, are taken for lost: a disk is not there.
const LOST_HERE_FROM: usize = 5;
/// The same in the bucket. More, because the pages delete emoji there first, and somebody may delete a few of them
/// between two looks.
const LOST_THERE_FROM: usize = 20;

/// How a file here looks without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileMark {
    pub(super) bytes: u64,
    /// Seconds and nanoseconds.
    pub(super) modified: (i64, i64),
}

/// A file that was the same here and in the bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct AgreedFile {
    etag: String,
    here: FileMark,
}

/// What both had in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileLedger {
    /// Tells this bucket from another one, or from itself after it was emptied.
    bucket: String,
    files: BTreeMap<String, AgreedFile>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SyncStep {
    Fetch {
        key: String,
        etag: String,
    },
    Send {
        key: String,
        here: FileMark,
    },
    RemoveHere(String),
    RemoveThere(String),
    /// It is gone on both sides.
    Forget(String),
}

impl SyncStep {
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Fetch { key, .. }
            | Self::Send { key, .. }
            | Self::RemoveHere(key)
            | Self::RemoveThere(key)
            | Self::Forget(key) => key,
        }
    }
}

impl FileLedger {
    /// Nothing is agreed with a bucket that was not met before.
    pub(super) fn meet(&mut self, bucket: &str) {
        if self.bucket != bucket {
            self.files.clear();
            bucket.clone_into(&mut self.bucket);
        }
    }

    /// Forgets what was agreed on files of folders that are not there at all, such as one that is not mounted. Then they
    /// are not taken for deleted.
    pub(super) fn forget_below(&mut self, prefix: &str) {
        self.files.retain(|key, _| !key.starts_with(prefix));
    }

    /// Forgets what was agreed on folders of which one side has nothing left at once, and returns those. What is lost
    /// there must not be deleted on the other side too.
    pub(super) fn forget_lost(
        &mut self,
        here: &BTreeMap<String, FileMark>,
        there: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
        for key in self.files.keys() {
            *agreed.entry(folder_of(key)).or_default() += 1;
        }
        let mut lost = Vec::new();
        for (folder, count) in agreed {
            let is_here = here.keys().any(|key| key.starts_with(&folder));
            let is_there = there.keys().any(|key| key.starts_with(&folder));
            let is_lost = match (is_here, is_there) {
                (false, true) => count >= LOST_HERE_FROM,
                (true, false) => count >= LOST_THERE_FROM,
                _ => false,
            };
            if is_lost {
                self.forget_below(&folder);
                lost.push(folder);
            }
        }
        lost
    }

    pub(super) fn agree(&mut self, key: String, etag: String, here: FileMark) {
        self.files.insert(key, AgreedFile { etag, here });
    }

    pub(super) fn forget(&mut self, key: &str) {
        self.files.remove(key);
    }

    /// What makes both the same. A file that was changed on both sides is the bucket's, and one that was changed on one
    /// side and deleted on the other stays.
    pub(super) fn steps(
        &self,
        here: &BTreeMap<String, FileMark>,
        there: &BTreeMap<String, String>,
    ) -> Vec<SyncStep> {
        let keys: BTreeSet<&String> = self
            .files
            .keys()
            .chain(here.keys())
            .chain(there.keys())
            .collect();
        keys.into_iter()
            .filter_map(|key| {
                let agreed = self.files.get(key);
                let (ours, theirs) = (here.get(key).copied(), there.get(key));
                let is_changed_here = ours != agreed.map(|agreed| agreed.here);
                let is_changed_there = theirs != agreed.map(|agreed| &agreed.etag);
                let key = key.clone();
                match (ours, theirs) {
                    (_, Some(etag)) if is_changed_there => {
                        let etag = etag.clone();
                        Some(SyncStep::Fetch { key, etag })
                    }
                    (Some(here), _) if is_changed_here => Some(SyncStep::Send { key, here }),
                    (Some(_), None) => Some(SyncStep::RemoveHere(key)),
                    (None, Some(_)) => Some(SyncStep::RemoveThere(key)),
                    (None, None) => Some(SyncStep::Forget(key)),
                    (Some(_), Some(_)) => None,
                }
            })
            .collect()
    }
}

/// Such as `shared/emoji/`.
fn folder_of(key: &str) -> String {
    let mut parts = key.split('/');
    let (first, second) = (parts.next(), parts.next());
    format!("{}/{}/", first.unwrap_or(""), second.unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "shared/emoji/a.png";

    fn mark(bytes: u64) -> FileMark {
        FileMark {
            bytes,
            modified: (1, 2),
        }
    }

    /// What is done about one file: as it was agreed, as it is here, as it is in the bucket.
    fn step(
        agreed: Option<(&str, u64)>,
        here: Option<u64>,
        there: Option<&str>,
    ) -> Option<SyncStep> {
        let mut ledger = FileLedger::default();
        if let Some((etag, bytes)) = agreed {
            ledger.agree(KEY.into(), etag.into(), mark(bytes));
        }
        let here = here.map(|bytes| (KEY.to_owned(), mark(bytes)));
        let there = there.map(|etag| (KEY.to_owned(), etag.to_owned()));
        let steps = ledger.steps(&here.into_iter().collect(), &there.into_iter().collect());
        assert!(steps.len() <= 1);
        steps.into_iter().next()
    }

    fn fetch(etag: &str) -> Option<SyncStep> {
        Some(SyncStep::Fetch {
            key: KEY.into(),
            etag: etag.into(),
        })
    }

    fn send(bytes: u64) -> Option<SyncStep> {
        Some(SyncStep::Send {
            key: KEY.into(),
            here: mark(bytes),
        })
    }

    #[test]
    fn a_change_on_one_side_is_made_on_the_other() {
        let both = Some(("x", 1));
        assert_eq!(step(both, Some(1), Some("x")), None);
        assert_eq!(step(both, Some(2), Some("x")), send(2));
        assert_eq!(step(both, Some(1), Some("y")), fetch("y"));
        assert_eq!(step(None, Some(1), None), send(1));
        assert_eq!(step(None, None, Some("x")), fetch("x"));
    }

    #[test]
    fn a_file_deleted_on_one_side_is_deleted_on_the_other() {
        let both = Some(("x", 1));
        assert_eq!(
            step(both, None, Some("x")),
            Some(SyncStep::RemoveThere(KEY.into()))
        );
        assert_eq!(
            step(both, Some(1), None),
            Some(SyncStep::RemoveHere(KEY.into()))
        );
        assert_eq!(step(both, None, None), Some(SyncStep::Forget(KEY.into())));
    }

    #[test]
    fn of_two_changes_the_buckets_stays_and_a_change_outlives_a_deletion() {
        let both = Some(("x", 1));
        assert_eq!(step(both, Some(2), Some("y")), fetch("y"));
        assert_eq!(step(None, Some(2), Some("y")), fetch("y"));
        assert_eq!(step(both, Some(2), None), send(2));
        assert_eq!(step(both, None, Some("y")), fetch("y"));
    }

    #[test]
    fn a_bucket_that_was_emptied_deletes_nothing_here() {
        let mut ledger = FileLedger::default();
        ledger.meet("one");
        ledger.agree(KEY.into(), "x".into(), mark(1));
        let here = BTreeMap::from([(KEY.to_owned(), mark(1))]);
        ledger.meet("one");
        assert_eq!(
            ledger.steps(&here, &BTreeMap::new()),
            [SyncStep::RemoveHere(KEY.into())]
        );
        ledger.meet("another");
        assert_eq!(ledger.steps(&here, &BTreeMap::new()), [send(1).unwrap()]);
    }

    #[test]
    fn a_folder_of_which_one_side_has_nothing_left_at_once_was_not_deleted() {
        let agreed = |count: usize| {
            let mut ledger = FileLedger::default();
            let mut here = BTreeMap::new();
            let mut there = BTreeMap::new();
            for number in 0..count {
                let key = format!("shared/public/{number}");
                ledger.agree(key.clone(), "x".into(), mark(1));
                here.insert(key.clone(), mark(1));
                there.insert(key, "x".to_owned());
            }
            (ledger, here, there)
        };
        for (count, is_kept) in [(LOST_HERE_FROM - 1, false), (LOST_HERE_FROM, true)] {
            let (mut ledger, _, there) = agreed(count);
            let here = BTreeMap::from([("shared/emoji/a".to_owned(), mark(1))]);
            let lost = ledger.forget_lost(&here, &there);
            assert_eq!(lost == ["shared/public/"], is_kept);
            let steps = ledger.steps(&here, &there);
            let deletes = |step: &SyncStep| matches!(step, SyncStep::RemoveThere(_));
            assert_eq!(!steps.iter().any(deletes), is_kept);
        }
        for (count, is_kept) in [(LOST_THERE_FROM - 1, false), (LOST_THERE_FROM, true)] {
            let (mut ledger, here, _) = agreed(count);
            ledger.forget_lost(&here, &BTreeMap::new());
            let steps = ledger.steps(&here, &BTreeMap::new());
            let deletes = |step: &SyncStep| matches!(step, SyncStep::RemoveHere(_));
            assert_eq!(!steps.iter().any(deletes), is_kept);
        }
        let (mut ledger, _, _) = agreed(LOST_THERE_FROM);
        assert!(
            ledger
                .forget_lost(&BTreeMap::new(), &BTreeMap::new())
                .is_empty()
        );
    }

    #[test]
    fn a_folder_that_is_away_deletes_nothing_in_the_bucket() {
        let mut ledger = FileLedger::default();
        ledger.agree(KEY.into(), "x".into(), mark(1));
        let there = BTreeMap::from([(KEY.to_owned(), "x".to_owned())]);
        ledger.forget_below("shared/public/");
        assert_eq!(
            ledger.steps(&BTreeMap::new(), &there),
            [SyncStep::RemoveThere(KEY.into())]
        );
        ledger.forget_below("shared/emoji/");
        assert_eq!(
            ledger.steps(&BTreeMap::new(), &there),
            [fetch("x").unwrap()]
        );
    }
}
