//! A plugin and its tests on the author's machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plugins::host::Assets;
use plugins::manifest::Manifest;

use crate::project::{self, ProjectError, TESTS};

/// A built plugin and its tests.
#[derive(Clone, Debug)]
pub struct Project {
    pub(super) manifest: Arc<Manifest>,
    pub(super) source: String,
    /// The file that its line numbers refer to.
    pub(super) file: String,
    remark: Option<String>,
    pub(super) assets: Assets,
    /// The folder of public files.
    pub(super) public: PathBuf,
    /// The test files' names and contents.
    pub(super) tests: Vec<(String, Result<String, String>)>,
}

impl Project {
    /// Reads the folder, with its tests if `with_tests`.
    ///
    /// # Errors
    /// When something is missing.
    pub fn open(folder: &Path, with_tests: bool) -> Result<Self, ProjectError> {
        let manifest = project::manifest(folder)?;
        let code = project::code(folder, &manifest)?;
        Ok(Self {
            manifest: Arc::new(manifest),
            source: code.source,
            file: code.file,
            remark: code.remark,
            assets: Assets::Folder(folder.join("assets")),
            public: folder.join("public"),
            tests: match with_tests {
                true => tests(&folder.join(TESTS))?,
                false => vec![],
            },
        })
    }

    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A remark for its author before the tests run.
    #[must_use]
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
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
