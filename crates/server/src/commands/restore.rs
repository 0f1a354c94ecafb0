//! `rillcast restore`: restores a backup, and changes nothing if anything about it is wrong.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::Timestamp;
use model::{Clock, product};
use serde::Deserialize;
use store::{DatabaseUrl, Store};
use zip::ZipArchive;

use super::backup::{DATABASE, MANIFEST, with_suffix};
use crate::clock::SystemClock;
use crate::config::Config;
use crate::data_dir::{DataDir, RESTORE_MARKER, backup_note, secret_key};

/// A manifest is a few words; more is not one.
const MAX_MANIFEST_BYTES: u64 = 4096;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    product: String,
    version: String,
    created_at: String,
}

/// Unpacks beside the data folder, checks, and only then changes the data folder.
pub fn restore(config: &Config, file: &Path, force: bool) -> anyhow::Result<()> {
    let Some(database) = config.database.sqlite_path() else {
        bail!(
            "the database is PostgreSQL: put the dump back with `pg_restore`, and secret.key into the data folder"
        );
    };
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    let mut archive =
        ZipArchive::new(opened).with_context(|| format!("{} is not a backup", file.display()))?;
    let manifest = read_manifest(&mut archive)
        .with_context(|| format!("{} is not a backup", file.display()))?;
    // Take the lock: no server may be running on this folder.
    let _data_dir = DataDir::open(&config.data_dir)?;
    if database.try_exists()? && !force {
        bail!(
            "{} already exists; add --force to replace it (the old one is kept aside)",
            database.display()
        );
    }
    let stamp = SystemClock::new()
        .now()
        .strftime("%Y-%m-%d-%H%M%S")
        .to_string();
    let unpacked = config.data_dir.join(format!("restore-{stamp}.unfinished"));
    let restored = unpack(&mut archive, &unpacked)
        .and_then(|()| check(&unpacked))
        .and_then(|()| put_in_place(config, database, &unpacked, &stamp));
    if let Err(error) = fs::remove_dir_all(&unpacked)
        && error.kind() != io::ErrorKind::NotFound
    {
        eprintln!("rillcast: cannot remove {}: {error}", unpacked.display());
    }
    restored.context("nothing was restored")?;
    // Everything is back all the same; only the admin pages do not know of the backup.
    if let Err(error) = note_backup(&config.data_dir, &manifest) {
        eprintln!("rillcast: {error:#}");
    }
    println!(
        "Restored the backup of {} (Rillcast {}).",
        manifest.created_at, manifest.version
    );
    Ok(())
}

/// What was restored is saved in that file, so the last backup is as old as it; an older or newer one of what was there
/// before says nothing about it.
fn note_backup(data_dir: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    let made_at: Timestamp = manifest
        .created_at
        .parse()
        .context("the backup does not say when it was made")?;
    let note = backup_note(data_dir);
    fs::write(&note, format!("{made_at}\n"))
        .with_context(|| format!("cannot write {}", note.display()))
}

fn read_manifest(archive: &mut ZipArchive<File>) -> anyhow::Result<Manifest> {
    let mut text = String::new();
    let entry = archive.by_name(MANIFEST).context("it has no manifest")?;
    entry.take(MAX_MANIFEST_BYTES).read_to_string(&mut text)?;
    let manifest: Manifest = serde_json::from_str(&text).context("its manifest cannot be read")?;
    if manifest.product != product::NAME {
        bail!("it belongs to {:?}", manifest.product);
    }
    Ok(manifest)
}

fn unpack(archive: &mut ZipArchive<File>, target: &Path) -> anyhow::Result<()> {
    private_folder(target)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let shown = entry
            .name()
            .context("a name in the backup cannot be read")?
            .into_owned();
        if !entry.is_file() || shown == MANIFEST {
            continue;
        }
        let name = entry
            .enclosed_name()
            .with_context(|| format!("{shown:?} would leave the folder"))?;
        let path = target.join(name);
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        let mut file =
            File::create_new(&path).with_context(|| format!("cannot write {}", path.display()))?;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        io::copy(&mut entry, &mut file)
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.sync_all()?;
    }
    Ok(())
}

fn private_folder(path: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("cannot create {}", path.display()))
}

/// Opens the unpacked database with its key and checks that it is whole, not newer than this binary, and belongs to the
/// key.
fn check(unpacked: &Path) -> anyhow::Result<()> {
    let database = unpacked.join(DATABASE);
    let key = secret_key(unpacked);
    for (what, path) in [("database", &database), ("secret key", &key)] {
        if !path.is_file() {
            bail!("the backup has no {what}");
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = Store::open(&DatabaseUrl::Sqlite(database), &key)
            .await
            .context("the database in the backup cannot be used")?;
        store.close().await;
        Ok(())
    })
}

/// Moves existing files aside and the unpacked files in, the database last; a failure on the way is undone.
fn put_in_place(
    config: &Config,
    database: &Path,
    unpacked: &Path,
    stamp: &str,
) -> anyhow::Result<()> {
    let aside = config.data_dir.join(format!("before-restore-{stamp}"));
    let moves = plan(config, database, unpacked, &aside)?;
    private_folder(&aside)?;
    let marker = config.data_dir.join(RESTORE_MARKER);
    write_marker(&marker, &aside)?;
    for (done, (from, to)) in moves.iter().enumerate() {
        if let Err(error) = move_file(from, to) {
            for (from, to) in moves[..done].iter().rev() {
                move_file(to, from).with_context(|| {
                    format!(
                        "cannot undo: {} belongs to {}",
                        to.display(),
                        from.display()
                    )
                })?;
            }
            fs::remove_file(&marker)?;
            return Err(error)
                .with_context(|| format!("cannot move {} to {}", from.display(), to.display()));
        }
    }
    for folder in [
        Some(config.data_dir.as_path()),
        database.parent(),
        Some(aside.as_path()),
    ]
    .into_iter()
    .flatten()
    {
        sync_folder(folder)?;
    }
    fs::remove_file(&marker)?;
    sync_folder(&config.data_dir)?;
    // This removes only an empty folder, which means that nothing was there before.
    if fs::remove_dir(&aside).is_err() {
        println!("What was there before is in {}.", aside.display());
    }
    Ok(())
}

/// Tells a later start that this folder is neither the old nor the new one.
fn write_marker(marker: &Path, aside: &Path) -> anyhow::Result<()> {
    let mut file =
        File::create_new(marker).with_context(|| format!("cannot write {}", marker.display()))?;
    writeln!(file, "{}", aside.display())?;
    file.sync_all()?;
    marker.parent().map_or(Ok(()), sync_folder)
}

fn sync_folder(folder: &Path) -> anyhow::Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Renames, or copies if the database is on another disk than the data folder.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            fs::copy(from, to)?;
            File::open(to)?.sync_all()?;
            fs::remove_file(from)
        }
        other => other,
    }
}

/// All renames, in order.
fn plan(
    config: &Config,
    database: &Path,
    unpacked: &Path,
    aside: &Path,
) -> anyhow::Result<Vec<(PathBuf, PathBuf)>> {
    let mut incoming = Vec::new();
    for entry in fs::read_dir(unpacked)? {
        let name = entry?.file_name();
        let target = if name == DATABASE {
            database.to_owned()
        } else {
            config.data_dir.join(&name)
        };
        incoming.push((unpacked.join(&name), target));
    }
    incoming.sort_by_key(|(_, target)| target == database);
    // An old log beside a new database would be replayed into it, so the companion files go first.
    let mut outgoing = ["-wal", "-shm", "-journal"]
        .map(|suffix| with_suffix(database, suffix))
        .to_vec();
    outgoing.extend(incoming.iter().map(|(_, target)| target.clone()));
    let mut moves = Vec::new();
    for path in outgoing {
        if let Some(name) = path
            .file_name()
            .filter(|_| path.try_exists().unwrap_or(true))
        {
            moves.push((path.clone(), aside.join(name)));
        }
    }
    moves.extend(incoming);
    Ok(moves)
}
