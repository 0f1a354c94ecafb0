//! Why a package is unusable.

use std::io;

use thiserror::Error;

use super::limits::MAX_ENTRIES;
use crate::manifest::ManifestError;

/// Why a package is unusable; each text is one line for the operator.
#[derive(Debug, Error)]
pub enum PackageError {
    /// The file is empty.
    #[error("the package is empty")]
    Empty,
    /// The file is too large.
    #[error("the package is larger than 50 MiB")]
    TooLarge,
    /// Not an archive, or a corrupt one.
    #[error("the package is not a ZIP archive that can be read: {0}")]
    NotZip(&'static str),
    #[error("the package has {0} entries, at most {MAX_ENTRIES} are allowed")]
    TooManyEntries(usize),
    /// It unpacks to too many bytes.
    #[error("the package unpacks to more than 256 MiB")]
    TooMuch,
    /// An invalid or dangerous entry.
    #[error("the entry {name:?} {why}")]
    Entry {
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    #[error("the package has no plugin.manifest.json")]
    NoManifest,
    /// The manifest is invalid.
    #[error("the manifest is invalid: {0}")]
    Manifest(#[from] ManifestError),
    #[error("the package has no plugin.py: the code of a plugin is missing")]
    NoCode,
    /// The code is not Python source.
    #[error(
        "the package contains {0}, which this server does not run: plugins are written in Python, in plugin.py"
    )]
    ForeignCode(&'static str),
    #[error("the package contains {0} beside plugin.py: there must be only one code file")]
    SeveralCodes(&'static str),
    /// The file cannot be read.
    #[error("the package cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl PackageError {
    pub(super) fn entry(name: &str, why: &'static str) -> Self {
        Self::Entry {
            name: name.to_owned(),
            why,
        }
    }
}
