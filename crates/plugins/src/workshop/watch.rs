//! Notices that a project was changed.

use std::collections::BTreeMap;
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

/// How a project looks at one moment: sizes and times of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Look {
    /// Looks at a project's folder, or at a package.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let mut look = Self::default();
        if !path.is_dir() {
            look.add(path);
            return look;
        }
        for name in WATCHED {
            look.add(&path.join(name));
        }
        for beside in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let beside = beside.path();
            if beside.extension().is_some_and(|suffix| suffix == "py") {
                look.add(&beside);
            }
        }
        look
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
        let mut last = Look::at(folder.path());
        for name in [
            "plugin.manifest.json",
            "bell.py",
            "src/parts/a.py",
            "public/x/y.css",
            "assets/z",
            "icon.png",
        ] {
            put(name, "1");
            let next = Look::at(folder.path());
            assert_ne!(last, next, "{name}");
            put(name, "12");
            assert_ne!(next, Look::at(folder.path()), "{name}");
            last = Look::at(folder.path());
        }
        for name in [
            "README.md",
            "bell.ocpkg",
            "__tests__/a.test.json",
            "src/__pycache__/a.pyc",
            ".service-dev-data/x",
        ] {
            put(name, "1");
            assert_eq!(last, Look::at(folder.path()), "{name}");
        }
        std::fs::remove_file(folder.path().join("bell.py")).unwrap();
        assert_ne!(last, Look::at(folder.path()));
    }
}
