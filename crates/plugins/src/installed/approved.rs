//! Copies of approved packages, one for each enabled plugin. Everything here blocks.
//!
//! Files in the plugins folder may be replaced at any time, in place or while the server is stopped, and a new server
//! version brings other included plugins. If the newer package asks for more than was approved, the copy runs until the
//! operator approves.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

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

/// What the names of copies of included packages have behind the slug, which has no dot. An included package runs only with
/// the approval of an included one, and what was approved is known by this after a restart.
const INCLUDED: &str = ".included";

fn place(copies: &Path, slug: &Slug, is_included: bool) -> PathBuf {
    let mark = if is_included { INCLUDED } else { "" };
    copies.join(format!("{slug}{mark}.{}", folder::SUFFIX))
}

/// Creates the folder and deletes everything that is not a copy of an enabled plugin.
pub(super) fn prepare(copies: &Path, enabled: &[Slug]) -> io::Result<()> {
    folder::make(copies)?;
    for entry in std::fs::read_dir(copies)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let stem = stem.strip_suffix(INCLUDED).unwrap_or(stem);
        let is_wanted = path.extension() == Some(OsStr::new(folder::SUFFIX))
            && enabled.iter().any(|slug| stem == slug.as_str());
        if !is_wanted {
            folder::remove(&path)?;
        }
    }
    Ok(())
}

/// Replaces a plugin's copy with this package. If that fails there is no copy, because an older one would be a
/// surprise.
pub(super) fn store(
    copies: &Path,
    package: &Package,
    is_included: bool,
) -> Result<(), PackageError> {
    let slug = &package.manifest().slug;
    folder::remove(&place(copies, slug, !is_included))?;
    let target = place(copies, slug, is_included);
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

/// Detects a file that was overwritten while it was copied, which leaves a mixture of both.
fn check(copy: &Path, package: &Package) -> Result<(), PackageError> {
    let copy = Package::open(copy)?;
    copy.check_every_entry()?;
    match copy.manifest().text() == package.manifest().text() {
        true => Ok(()),
        false => Err(io::Error::other("its file was changed meanwhile").into()),
    }
}

/// The copy of a plugin, if these permissions cover it.
pub(super) fn open(
    copies: &Path,
    slug: &Slug,
    approved: Permissions,
) -> Result<Package, RestoreError> {
    let package = match Package::open(&place(copies, slug, is_of_included(copies, slug))) {
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

/// Whether the approved package is an included one.
pub(super) fn is_of_included(copies: &Path, slug: &Slug) -> bool {
    place(copies, slug, true).is_file()
}

pub(super) fn remove(copies: &Path, slug: &Slug) -> io::Result<()> {
    folder::remove(&place(copies, slug, true))?;
    folder::remove(&place(copies, slug, false))
}
