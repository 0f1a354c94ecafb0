//! Copies of the packages that run with the operator's approval, one for each enabled plugin. All of it blocks.
//!
//! Files in the plugins folder are replaced at any time, in place or while the server is stopped, and a new version of the
//! server brings other plugins of its own. When the newer package asks for more than was approved, the copy is what runs
//! until the operator agrees.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use thiserror::Error;

use super::folder;
use crate::manifest::Slug;
use crate::package::{Package, PackageError};
use crate::permission::Permissions;

/// Why the approved package does not run while a newer one waits.
#[derive(Debug, Error)]
pub(super) enum RestoreError {
    #[error("there is no copy of the approved package")]
    Missing,
    #[error("the copy of the approved package cannot be used: {0}")]
    Package(#[from] PackageError),
    #[error(
        "the copy of the approved package is of another plugin or asks for more than was approved"
    )]
    Foreign,
}

/// Makes the folder, and deletes what is no copy of a plugin that is to run.
pub(super) fn prepare(copies: &Path, enabled: &[Slug]) -> io::Result<()> {
    folder::make(copies)?;
    for entry in std::fs::read_dir(copies)? {
        let path = entry?.path();
        let is_wanted = path.extension() == Some(OsStr::new(folder::SUFFIX))
            && enabled
                .iter()
                .any(|slug| path.file_stem() == Some(OsStr::new(slug.as_str())));
        if !is_wanted {
            folder::remove(&path)?;
        }
    }
    Ok(())
}

/// Makes the copy of a plugin one of this package. When that fails there is no copy: an older one would be a surprise.
pub(super) fn store(copies: &Path, package: &Package) -> Result<(), PackageError> {
    let target = folder::place(copies, &package.manifest().slug);
    let former = Package::open(&target);
    if former.is_ok_and(|former| former.is_copy_of(package).unwrap_or(false)) {
        return Ok(());
    }
    folder::make(copies)?;
    let stored = folder::install(
        &target,
        |file| package.write_to(file),
        |file| check(file, package),
    );
    if stored.is_err() {
        folder::remove(&target)?;
    }
    stored
}

/// A file that is overwritten while it is copied leaves a mixture of both.
fn check(copy: &Path, package: &Package) -> Result<(), PackageError> {
    let copy = Package::open(copy)?;
    copy.check_every_entry()?;
    match copy.manifest().text() == package.manifest().text() {
        true => Ok(()),
        false => Err(io::Error::other("its file was changed meanwhile").into()),
    }
}

/// The copy of a plugin, if it may run with these permissions.
pub(super) fn open(
    copies: &Path,
    slug: &Slug,
    approved: Permissions,
) -> Result<Package, RestoreError> {
    let package = match Package::open(&folder::place(copies, slug)) {
        Err(PackageError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Err(RestoreError::Missing);
        }
        opened => opened?,
    };
    package.check_every_entry()?;
    let manifest = package.manifest();
    match manifest.slug == *slug && approved.cover(manifest.permissions) {
        true => Ok(package),
        false => Err(RestoreError::Foreign),
    }
}

/// Deletes the copy of a plugin.
pub(super) fn remove(copies: &Path, slug: &Slug) -> io::Result<()> {
    folder::remove(&folder::place(copies, slug))
}
