//! The files of the working tree, without what tools put there.

use std::fs;
use std::path::{Path, PathBuf};

/// Names that are never our sources. `.git` is a file in a linked working tree.
const NOT_OURS: [&str; 10] = [
    ".git",
    ".tools",
    ".venv",
    ".vite",
    "__pycache__",
    "artifacts",
    "corpus",
    "coverage",
    "dist",
    "node_modules",
];

/// What building and running leaves at the root.
const LEFT_AT_ROOT: [&str; 2] = ["data", "target"];

/// A text file of the tree; `path` is relative to the root, with `/` between its parts.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = self.name().rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extensions.contains(&extension))
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned()
}

/// All text files of the tree. Symbolic links and files that are not UTF-8 are left out.
pub(crate) fn files() -> Vec<File> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    assert!(found.len() > 20, "the tree was not found");
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<File>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().unwrap();
        let kind = entry.file_type().unwrap();
        let path = format!("{prefix}{name}");
        if NOT_OURS.contains(&name.as_str()) || LEFT_AT_ROOT.contains(&path.as_str()) {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
        } else if kind.is_file() {
            // Read errors are not reported: another test may just have deleted its scratch file.
            if let Ok(text) = fs::read_to_string(entry.path()) {
                found.push(File { path, text });
            }
        }
    }
}

#[test]
fn finds_itself_and_nothing_that_was_built() {
    let files = files();
    let has = |path: &str| files.iter().any(|file| file.path == path);
    assert!(has("crates/testkit/tests/tidy/tree.rs"));
    assert!(!files.iter().any(|file| file.path.contains("node_modules/")));
}

#[test]
fn takes_the_last_extension_of_the_name() {
    assert!(File::new("a.b/c.test.ts", "").has_extension(&["ts"]));
    assert!(!File::new("a.rs/c", "").has_extension(&["rs"]));
}
