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
use crate::data_dir::SECRET_KEY;

/// Says what the file is; checked by `restore`.
pub(super) const MANIFEST: &str = "rillcast-backup.json";
/// The database inside the file, whatever it is called outside.
pub(super) const DATABASE: &str = "rillcast.db";

/// Copies database, key and uploads; the server may be running meanwhile.
pub async fn backup(config: &Config, target: Option<PathBuf>) -> anyhow::Result<()> {
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
    let written = write(config, database, &scratch, &target, &now.to_string()).await;
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
    Ok(())
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

async fn write(
    config: &Config,
    database: &Path,
    scratch: &Path,
    target: &Path,
    at: &str,
) -> anyhow::Result<()> {
    let snapshot = scratch.join(DATABASE);
    let archive = scratch.join("backup.zip");
    store::snapshot_sqlite(database, &snapshot)
        .await
        .context("cannot copy the database")?;
    write_archive(config, database, &snapshot, &archive, at)?;
    fs::rename(&archive, target)?;
    Ok(())
}

fn write_archive(
    config: &Config,
    database: &Path,
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
    archive.start_file(MANIFEST, options())?;
    writeln!(archive, "{manifest}")?;
    add_file(&mut archive, DATABASE, snapshot)?;
    // Its name in the data folder, wherever it lies.
    add_file(&mut archive, SECRET_KEY, &config.secret_key)?;
    add_folder(&mut archive, &config.data_dir, &config.data_dir, database)?;
    archive.finish()?.sync_all()?;
    Ok(())
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(true)
        .unix_permissions(0o600)
}

fn add_file(archive: &mut ZipWriter<File>, name: &str, path: &Path) -> anyhow::Result<()> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    archive.start_file(name, options())?;
    io::copy(&mut file, archive)?;
    Ok(())
}

/// Adds everything else in the data folder, so that file types added later are not forgotten.
fn add_folder(
    archive: &mut ZipWriter<File>,
    root: &Path,
    folder: &Path,
    database: &Path,
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
        if is_left_out(name, &path, database) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            add_folder(archive, root, &path, database)?;
        } else if kind.is_file() {
            add_file(archive, name, &path)?;
        }
    }
    Ok(())
}

/// Skips the live database (a copy is already in), its companion files, the lock, other backups, when the last one was
/// made, what a restore set aside, and what every machine compiles for itself: the engine and plugin code.
fn is_left_out(name: &str, path: &Path, database: &Path) -> bool {
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
        || name == DATABASE
        || name == SECRET_KEY
        || name.starts_with("before-restore-")
        || name.contains(".unfinished")
}
