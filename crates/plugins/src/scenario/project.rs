//! The folder of a plugin, as its author has it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::Assets;
use crate::manifest::Manifest;

/// The file every project has.
const MANIFEST: &str = "plugin.manifest.json";
/// The folder of its tests.
const TESTS: &str = "__tests__";

/// Why there is nothing to test.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// No manifest.
    #[error("there is no {MANIFEST} in {0}")]
    NoManifest(PathBuf),
    /// One that is wrong.
    #[error("{MANIFEST}: {0}")]
    Manifest(String),
    /// No code.
    #[error("there is no {0}: build the plugin first, with `service-plugin-py build`")]
    NotBuilt(PathBuf),
    /// No tests.
    #[error("there are no tests: {0} has no files that end in .test.json")]
    NoTests(PathBuf),
    /// The disk.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
}

/// A plugin that was built, and its tests.
#[derive(Clone, Debug)]
pub struct Project {
    pub(super) manifest: Arc<Manifest>,
    pub(super) source: String,
    pub(super) assets: Arc<dyn Assets>,
    /// Public files are served from here.
    pub(super) public: PathBuf,
    /// File names and what is in them.
    pub(super) tests: Vec<(String, Result<String, String>)>,
}

impl Project {
    /// Reads the folder; its tests too if `with_tests`.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(folder: &Path, with_tests: bool) -> Result<Self, ProjectError> {
        let text = read(&folder.join(MANIFEST))?
            .ok_or_else(|| ProjectError::NoManifest(folder.to_owned()))?;
        let manifest =
            Manifest::parse(&text).map_err(|error| ProjectError::Manifest(error.to_string()))?;
        let code = folder.join(format!("{}.py", manifest.slug));
        let source = read(&code)?.ok_or(ProjectError::NotBuilt(code))?;
        Ok(Self {
            manifest: Arc::new(manifest),
            source,
            assets: Arc::new(FolderAssets(folder.join("assets"))),
            public: folder.join("public"),
            tests: match with_tests {
                true => tests(&folder.join(TESTS))?,
                false => vec![],
            },
        })
    }

    /// What it is.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
}

/// The text of a file; nothing when it is not there.
fn read(path: &Path) -> Result<Option<String>, ProjectError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ProjectError::Unreadable(path.to_owned(), error)),
    }
}

/// The name of a file, and its text or why it cannot be read.
type TestFile = (String, Result<String, String>);

fn tests(folder: &Path) -> Result<Vec<TestFile>, ProjectError> {
    let none = || ProjectError::NoTests(folder.to_owned());
    let entries = std::fs::read_dir(folder).map_err(|_| none())?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".test.json"))
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        return Err(none());
    }
    let files = names.into_iter().map(|name| {
        let text = std::fs::read_to_string(folder.join(&name));
        (name, text.map_err(|error| error.to_string()))
    });
    Ok(files.collect())
}

/// The author's own folder; links in it are the author's business.
#[derive(Debug)]
struct FolderAssets(PathBuf);

impl Assets for FolderAssets {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(path)).ok()
    }
}
