//! `rillcast backup`: writes the whole data folder to one file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::{Clock, product};
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::clock::SystemClock;
use crate::config::Config;
use crate::data_dir::{RECORDINGS, SECRET_KEY};

/// Says what the file is; checked by `restore`.
pub(super) const MANIFEST: &str = "rillcast-backup.json";
/// The database inside the file, whatever it is called outside.
pub(super) const DATABASE: &str = "rillcast.db";

/// Which files of the data folder are saved.
#[derive(Clone, Copy)]
struct Selection<'a> {
    /// A copy of it is saved.
    database: &'a Path,
    with_recordings: bool,
}

/// Copies database, key and uploads, and recordings if that is wanted; the server may be running meanwhile.
pub async fn backup(
    config: &Config,
    target: Option<PathBuf>,
    with_recordings: bool,
) -> anyhow::Result<()> {
    let Some(database) = config.database.sqlite_path() else {
        bail!(
            "the database is PostgreSQL: save it with `pg_dump --format=custom`, and keep {} beside the dump",
            config.secret_key.display()
        );
    };
    if !database.is_file() {
        bail!(
            "there is no database at {}: is --data-dir right?",
            database.display()
        );
    }
    let now = SystemClock::new().now();
    let target = target.unwrap_or_else(|| {
        format!("rillcast-backup-{}.zip", now.strftime("%Y-%m-%d-%H%M%S")).into()
    });
    if target.try_exists()? {
        bail!("{} already exists; choose another name", target.display());
    }
    // A new folder of our own beside the target, and so on the same disk: nothing existing can be overwritten, and we
    // remove only what we made.
    let scratch = with_suffix(&target, &format!(".{}.unfinished", std::process::id()));
    DirBuilder::new()
        .mode(0o700)
        .create(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let selection = Selection {
        database,
        with_recordings,
    };
    let written = write(config, selection, &scratch, &target, &now.to_string()).await;
    if let Err(error) = fs::remove_dir_all(&scratch) {
        eprintln!("rillcast: cannot remove {}: {error}", scratch.display());
    }
    written.with_context(|| format!("cannot write the backup {}", target.display()))?;
    let note = crate::data_dir::backup_note(&config.data_dir);
    // The backup is there all the same; only the admin pages do not know of it.
    if let Err(error) = fs::write(&note, format!("{now}\n")) {
        eprintln!("rillcast: cannot write {}: {error}", note.display());
    }
    println!(
        "Backup written to {} ({} KiB).",
        target.display(),
        fs::metadata(&target)?.len() / 1024
    );
    println!("It holds your secrets: keep it where only you can read it.");
    let recordings = config.data_dir.join(RECORDINGS);
    let bytes = folder_bytes(&recordings);
    if !with_recordings && bytes > 0 {
        println!(
            "Your recordings are not part of it: {} MiB in {}. Add --with-recordings to save them too.",
            bytes.div_ceil(1024 * 1024),
            recordings.display()
        );
    }
    Ok(())
}

/// The size of all files below a folder, as far as they can be seen.
fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(file) if file.is_dir() => folder_bytes(&entry.path()),
        Ok(file) => file.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

async fn write(
    config: &Config,
    selection: Selection<'_>,
    scratch: &Path,
    target: &Path,
    at: &str,
) -> anyhow::Result<()> {
    let snapshot = scratch.join(DATABASE);
    let archive = scratch.join("backup.zip");
    store::snapshot_sqlite(selection.database, &snapshot)
        .await
        .context("cannot copy the database")?;
    write_archive(config, selection, &snapshot, &archive, at)?;
    fs::rename(&archive, target)?;
    Ok(())
}

fn write_archive(
    config: &Config,
    selection: Selection<'_>,
    snapshot: &Path,
    target: &Path,
    at: &str,
) -> anyhow::Result<()> {
    let file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(target)?;
    let mut archive = ZipWriter::new(file);
    let manifest =
        json!({ "product": product::NAME, "version": product::VERSION, "createdAt": at });
    archive.start_file(MANIFEST, options(MANIFEST))?;
    writeln!(archive, "{manifest}")?;
    add_file(&mut archive, DATABASE, snapshot)?;
    // Its name in the data folder, wherever it lies.
    add_file(&mut archive, SECRET_KEY, &config.secret_key)?;
    add_folder(&mut archive, &config.data_dir, &config.data_dir, selection)?;
    archive.finish()?.sync_all()?;
    Ok(())
}

fn options(name: &str) -> SimpleFileOptions {
    // Media does not get smaller.
    let method = match name.ends_with(".mp4") {
        true => CompressionMethod::Stored,
        false => CompressionMethod::Deflated,
    };
    SimpleFileOptions::default()
        .compression_method(method)
        .large_file(true)
        .unix_permissions(0o600)
}

fn add_file(archive: &mut ZipWriter<File>, name: &str, path: &Path) -> anyhow::Result<()> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    archive.start_file(name, options(name))?;
    io::copy(&mut file, archive)?;
    Ok(())
}

/// Adds everything else in the data folder, so that file types added later are not forgotten.
fn add_folder(
    archive: &mut ZipWriter<File>,
    root: &Path,
    folder: &Path,
    selection: Selection<'_>,
) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = path
            .strip_prefix(root)?
            .to_str()
            .context("a file name in the data folder is not valid Unicode")?;
        if is_left_out(name, &path, selection) {
            continue;
        }
        // Recordings may be on another disk.
        let kind = match name == RECORDINGS {
            true => fs::metadata(&path)?.file_type(),
            false => entry.file_type()?,
        };
        if kind.is_dir() {
            unless_deleted(name, add_folder(archive, root, &path, selection))?;
        } else if kind.is_file() {
            unless_deleted(name, add_file(archive, name, &path))?;
        }
    }
    Ok(())
}

/// Recordings are deleted while the server runs, to keep within their limits; those that are gone are left out.
fn unless_deleted(name: &str, added: anyhow::Result<()>) -> anyhow::Result<()> {
    let is_gone = |error: &anyhow::Error| {
        let cause = error.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
    };
    match added {
        Err(error) if Path::new(name).starts_with(RECORDINGS) && is_gone(&error) => Ok(()),
        added => added,
    }
}

/// Skips the live database (a copy is already in), its companion files, the lock, other backups, when the last one was
/// made, what a restore set aside, recordings unless they are wanted, and what every machine compiles for itself: the
/// engine and plugin code.
fn is_left_out(name: &str, path: &Path, selection: Selection<'_>) -> bool {
    let database = selection.database;
    let is_companion = |suffix: &str| path == with_suffix(database, suffix);
    path == database
        || name.starts_with("rillcast-backup-")
        || is_companion("-wal")
        || is_companion("-shm")
        || is_companion("-journal")
        || name == "lock"
        || name == crate::config::PLUGIN_ENGINE_FOLDER
        || name == crate::data_dir::PLUGIN_CODE
        || name == crate::data_dir::BACKUP_NOTE
        || (name == RECORDINGS && !selection.with_recordings)
        || name == DATABASE
        || name == SECRET_KEY
        || name.starts_with("before-restore-")
        || name.contains(".unfinished")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_saved(name: &str, with_recordings: bool) -> bool {
        let selection = Selection {
            database: Path::new("/data/rillcast.db"),
            with_recordings,
        };
        !is_left_out(name, &Path::new("/data").join(name), selection)
    }

    #[test]
    fn recordings_are_saved_only_if_that_is_wanted_and_everything_else_in_any_case() {
        assert!(!is_saved("recordings", false));
        assert!(is_saved("recordings", true));
        for name in ["public", "emoji", "recordings.txt"] {
            assert!(is_saved(name, false), "{name}");
        }
        assert!(!is_saved("rillcast.db-wal", true));
    }

    #[test]
    fn a_recording_that_is_deleted_meanwhile_is_left_out() {
        let gone = |name: &str| {
            let error = io::Error::from(io::ErrorKind::NotFound);
            unless_deleted(name, Err(error).context("cannot read it"))
        };
        assert!(gone("recordings/00/0/0.mp4").is_ok());
        assert!(gone("public/0.mp4").is_err());
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(unless_deleted("recordings/00", Err(denied.into())).is_err());
    }

    #[test]
    fn the_size_of_a_folder_is_that_of_all_files_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("recordings/00/0");
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join("0.mp4"), "media").unwrap();
        fs::write(below.join("0.idx"), "index").unwrap();
        assert_eq!(folder_bytes(folder.path()), 10);
        assert_eq!(folder_bytes(&folder.path().join("nowhere")), 0);
    }
}
