//! Detects changes of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files of one project that are watched. A change of one more is not noticed.
const MOST_FILES: usize = 4_000;

/// What a package is made of, besides `<slug>.py` and other code beside the manifest.
const WATCHED: [&str; 6] = [
    crate::project::MANIFEST,
    "src",
    "icon.png",
    "INSTRUCTIONS.md",
    "public",
    "assets",
];

/// The end of names of tests. Whatever else lies beside them, such as results, is not watched.
const TEST: &str = ".test.json";

/// The state of a project at one time: sizes and modification times of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSnapshot(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl FileSnapshot {
    /// Takes a snapshot of a project's folder or of a package.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let mut snapshot = Self::default();
        if !path.is_dir() {
            snapshot.add(path);
            return snapshot;
        }
        for name in WATCHED {
            snapshot.add(&path.join(name));
        }
        for beside in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let beside = beside.path();
            if beside.extension().is_some_and(|suffix| suffix == "py") {
                snapshot.add(&beside);
            }
        }
        snapshot
    }

    /// Takes a snapshot of a project's folder and its tests.
    #[must_use]
    pub fn with_tests(folder: &Path) -> Self {
        let mut snapshot = Self::at(folder);
        let tests = std::fs::read_dir(folder.join(crate::project::TESTS));
        for test in tests.into_iter().flatten().flatten() {
            if test.file_name().to_string_lossy().ends_with(TEST) {
                snapshot.add(&test.path());
            }
        }
        snapshot
    }

    /// Files that were changed, added or removed since then.
    #[must_use]
    pub fn changed_since(&self, former: &Self) -> Vec<PathBuf> {
        let files: BTreeSet<&PathBuf> = self.0.keys().chain(former.0.keys()).collect();
        let changed = files
            .into_iter()
            .filter(|file| self.0.get(*file) != former.0.get(*file));
        changed.cloned().collect()
    }

    fn add(&mut self, path: &Path) {
        let is_cache = path.file_name().is_some_and(|name| name == "__pycache__");
        if is_cache || self.0.len() >= MOST_FILES {
            return;
        }
        let Ok(facts) = std::fs::metadata(path) else {
            return;
        };
        if facts.is_dir() {
            for inside in std::fs::read_dir(path).into_iter().flatten().flatten() {
                self.add(&inside.path());
            }
        } else {
            let facts = (facts.len(), facts.modified().ok());
            self.0.insert(path.to_owned(), facts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_is_made_of_is_watched_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut last = FileSnapshot::at(folder.path());
        for name in [
            "plugin.manifest.json",
            "bell.py",
            "src/parts/a.py",
            "public/x/y.css",
            "assets/z",
            "icon.png",
        ] {
            put(name, "1");
            let next = FileSnapshot::at(folder.path());
            assert_ne!(last, next, "{name}");
            put(name, "12");
            assert_ne!(next, FileSnapshot::at(folder.path()), "{name}");
            last = FileSnapshot::at(folder.path());
        }
        for name in [
            "README.md",
            "bell.ocpkg",
            "__tests__/a.test.json",
            "src/__pycache__/a.pyc",
            ".service-dev-data/x",
        ] {
            put(name, "1");
            assert_eq!(last, FileSnapshot::at(folder.path()), "{name}");
        }
        std::fs::remove_file(folder.path().join("bell.py")).unwrap();
        assert_ne!(last, FileSnapshot::at(folder.path()));
    }

    #[test]
    fn tests_are_watched_by_who_plays_them_and_what_changed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let tests = folder.path().join("__tests__");
        std::fs::create_dir(&tests).unwrap();
        std::fs::write(folder.path().join("bell.py"), "1").unwrap();
        let first = FileSnapshot::with_tests(folder.path());
        std::fs::write(tests.join("a.test.json"), "1").unwrap();
        std::fs::write(tests.join("junit.xml"), "1").unwrap();
        let second = FileSnapshot::with_tests(folder.path());
        assert_eq!(second.changed_since(&first), [tests.join("a.test.json")]);
        std::fs::remove_file(folder.path().join("bell.py")).unwrap();
        std::fs::write(tests.join("a.test.json"), "12").unwrap();
        let third = FileSnapshot::with_tests(folder.path());
        let changed = [tests.join("a.test.json"), folder.path().join("bell.py")];
        assert_eq!(third.changed_since(&second), changed);
        assert!(third.changed_since(&third).is_empty());
    }
}
