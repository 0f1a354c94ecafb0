//! What plugins keep in files and databases of their own. Only the machine that runs them writes there.
//!
//! It takes over from the bucket before plugins run, sends what has changed while they do, and the rest when they ended.
//! While it runs them its own files count: a machine that was replaced may still have sent one. If it could not get
//! everything, though, what the bucket has stays as it is: plugins that begin with nothing must not replace what they
//! kept for years.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use blobs::{BlobError, Blobs, MAX_BLOB_BYTES};

use super::bucket_name::recognise;
use super::folders::{self, MAX_FILES, blocking};
use super::ledger::{FileLedger, FileMark, SyncStep};

/// Before the names of these files in the bucket.
const STORAGE: &str = "storage";
/// The folder with all of them, in the data folder.
const FOLDER: &str = "plugin-storage";
/// The database of a plugin, below its folder.
const DATABASE: &str = "db/plugin.db";
/// What SQLite keeps beside a database in use.
const BESIDE_DATABASE: [&str; 2] = ["db/plugin.db-wal", "db/plugin.db-shm"];
/// A copy of a database until it is sent.
const COPY: &str = ".copy.db";
/// Files that are not complete yet.
const UNFINISHED: [&str; 2] = [".unfinished~", ".shared.part"];
/// Folders inside each other; plugins have fewer.
const MAX_DEPTH: usize = 40;

/// Whose files count where both sides have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncWinner {
    Bucket,
    Machine,
    /// Those of a machine that could not get everything: what only one side has changed is taken, and nothing removed.
    Neither,
}

/// Makes both sides the same; returns whether this machine now has whatever it should get. An error means that the
/// bucket is away; what one file is in the way of is logged once.
pub(super) async fn sync(
    blobs: &Blobs,
    data: &Path,
    ledger: &mut FileLedger,
    complaints: &mut BTreeSet<String>,
    winner: SyncWinner,
) -> anyhow::Result<bool> {
    let root = data.join(FOLDER);
    let (here, is_gone) = blocking(move || Ok((scan(&root)?, is_gone(&root)?))).await?;
    // What is lost as a whole, such as a disk that is not there or a bucket that was emptied, was not deleted. Plugins
    // may have begun anew by the time the bucket answers.
    if is_gone {
        ledger.forget_below(&format!("{STORAGE}/"));
    }
    let listed = blobs.list(STORAGE, MAX_FILES).await?;
    recognise(blobs, STORAGE, &listed, ledger).await?;
    let there: BTreeMap<String, String> = listed
        .into_iter()
        .filter(|file| place(&file.key).is_some())
        .map(|file| (file.key, file.etag))
        .collect();
    if there.is_empty() {
        ledger.forget_below(&format!("{STORAGE}/"));
    }
    let mut is_whole = true;
    for step in ledger.steps(&here, &there) {
        let Some(step) = counting(step, &here, winner) else {
            continue;
        };
        let Err(error) = take(blobs, data, ledger, &step).await else {
            complaints.remove(step.key());
            continue;
        };
        if matches!(
            error.downcast_ref::<BlobError>(),
            Some(BlobError::Away(_) | BlobError::Refused(_))
        ) {
            return Err(error);
        }
        is_whole &= !matches!(step, SyncStep::Fetch { .. } | SyncStep::RemoveHere(_));
        if complaints.insert(step.key().to_owned()) {
            tracing::warn!(file = %step.key(), error = %format!("{error:#}"), "cannot share a file of a plugin");
        }
    }
    Ok(is_whole)
}

/// The step that is taken, depending on whose files count.
fn counting(
    step: SyncStep,
    here: &BTreeMap<String, FileMark>,
    winner: SyncWinner,
) -> Option<SyncStep> {
    match (winner, step) {
        (SyncWinner::Bucket, step) => Some(step),
        (SyncWinner::Machine, SyncStep::Fetch { key, .. } | SyncStep::RemoveHere(key)) => {
            let here = here.get(&key).copied()?;
            Some(SyncStep::Send { key, here })
        }
        (
            SyncWinner::Neither,
            SyncStep::Fetch { .. } | SyncStep::RemoveHere(_) | SyncStep::RemoveThere(_),
        ) => None,
        (SyncWinner::Machine | SyncWinner::Neither, step) => Some(step),
    }
}

async fn take(
    blobs: &Blobs,
    data: &Path,
    ledger: &mut FileLedger,
    step: &SyncStep,
) -> anyhow::Result<()> {
    let Some(place) = place(step.key()) else {
        return Ok(());
    };
    let path = data.join(&place);
    match step {
        SyncStep::Fetch { key, etag } => {
            let bytes = match blobs.get(key).await {
                // Deleted since the list was made.
                Err(BlobError::Missing(_)) => return Ok(()),
                bytes => bytes?,
            };
            let data = data.to_owned();
            let mark = blocking(move || {
                remove_beside(&path)?;
                folders::write(&data, &place, &bytes)
            })
            .await?;
            ledger.agree(key.clone(), etag.clone(), mark);
        }
        SyncStep::Send { key, here } => {
            if here.bytes > MAX_BLOB_BYTES as u64 {
                anyhow::bail!("it has more than {} MiB", MAX_BLOB_BYTES >> 20);
            }
            let bytes = match is_database(key) {
                true => Some(copy_of_database(data, &path).await?),
                false => blocking(move || folders::read(&path)).await?,
            };
            if let Some(bytes) = bytes {
                let etag = blobs.put(key, bytes.into()).await?;
                // If it was written meanwhile, it looks otherwise in the next round.
                ledger.agree(key.clone(), etag, *here);
            }
        }
        SyncStep::RemoveHere(key) => {
            blocking(move || {
                remove_beside(&path)?;
                folders::remove(&path)
            })
            .await?;
            ledger.forget(key);
        }
        SyncStep::RemoveThere(key) => {
            blobs.delete(key).await?;
            ledger.forget(key);
        }
        SyncStep::Forget(key) => ledger.forget(key),
    }
    Ok(())
}

/// A database may be written meanwhile, so it is asked for a copy.
async fn copy_of_database(data: &Path, database: &Path) -> anyhow::Result<Vec<u8>> {
    let copy = data.join(FOLDER).join(COPY);
    folders::remove(&copy)?;
    store::snapshot_sqlite(database, &copy).await?;
    let bytes = blocking(move || {
        let bytes = fs::read(&copy)?;
        folders::remove(&copy)?;
        Ok(bytes)
    });
    bytes.await
}

/// Removes what belongs to the database that was there. Nothing for other files.
fn remove_beside(path: &Path) -> io::Result<()> {
    if !path.ends_with(DATABASE) {
        return Ok(());
    }
    let plugin = path.parent().and_then(Path::parent);
    for name in BESIDE_DATABASE {
        if let Some(plugin) = plugin {
            folders::remove(&plugin.join(name))?;
        }
    }
    Ok(())
}

fn is_database(key: &str) -> bool {
    let path = key.strip_prefix(STORAGE).unwrap_or_default();
    path.split_once('/')
        .and_then(|(_, path)| path.split_once('/'))
        .is_some_and(|(_, path)| path == DATABASE)
}

/// Where a file of the bucket is below the data folder. `None` if it is none of ours.
fn place(key: &str) -> Option<PathBuf> {
    let path = key.strip_prefix(STORAGE)?.strip_prefix('/')?;
    let (plugin, inner) = path.split_once('/')?;
    let is_inside = match inner.strip_prefix("files/") {
        Some(names) => names.split('/').count() <= MAX_DEPTH && names.split('/').all(is_name),
        None => inner == DATABASE,
    };
    let is_ours = is_inside && is_name(plugin) && !plugin.starts_with('.');
    is_ours.then(|| Path::new(FOLDER).join(path))
}

fn is_name(name: &str) -> bool {
    (1..=255).contains(&name.len())
        && name != "."
        && name != ".."
        && !UNFINISHED.contains(&name)
        && !name.contains(|c: char| c.is_control() || matches!(c, '/' | '\\' | '#'))
}

fn scan(root: &Path) -> io::Result<BTreeMap<String, FileMark>> {
    let mut found = BTreeMap::new();
    for (plugin, path) in names_in(root)? {
        if plugin.starts_with('.') {
            continue;
        }
        let key = format!("{STORAGE}/{plugin}");
        if let Some(mark) = mark_of_database(&path)? {
            found.insert(format!("{key}/{DATABASE}"), mark);
        }
        walk(&path.join("files"), &format!("{key}/files"), 1, &mut found)?;
    }
    Ok(found)
}

/// Whether there is no trace of any plugin.
fn is_gone(root: &Path) -> io::Result<bool> {
    let names = names_in(root)?;
    Ok(names.iter().all(|(name, _)| name.starts_with('.')))
}

fn walk(
    folder: &Path,
    key: &str,
    depth: usize,
    found: &mut BTreeMap<String, FileMark>,
) -> io::Result<()> {
    for (name, path) in names_in(folder)? {
        let key = format!("{key}/{name}");
        // Links are neither.
        match fs::symlink_metadata(&path) {
            Ok(file) if file.is_file() => {
                found.insert(key, folders::mark(&file));
            }
            Ok(inner) if inner.is_dir() && depth < MAX_DEPTH => {
                walk(&path, &key, depth + 1, found)?;
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if found.len() > MAX_FILES {
            return Err(io::Error::other(format!(
                "plugins keep more than {MAX_FILES} files"
            )));
        }
    }
    Ok(())
}

/// What is in a folder, with names that can be shared. Nothing if it is not there.
fn names_in(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str().filter(|name| is_name(name)) {
            names.push((name.to_owned(), entry.path()));
        }
    }
    Ok(names)
}

/// How a database looks with what was written last, which is beside it.
fn mark_of_database(plugin: &Path) -> io::Result<Option<FileMark>> {
    let mut whole: Option<FileMark> = None;
    for name in [DATABASE, BESIDE_DATABASE[0]] {
        let mark = match fs::symlink_metadata(plugin.join(name)) {
            Ok(file) if file.is_file() => folders::mark(&file),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => break,
        };
        whole = Some(match whole {
            None => mark,
            Some(main) => FileMark {
                bytes: main.bytes + mark.bytes,
                modified: main.modified.max(mark.modified),
            },
        });
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bucket_names_cannot_lead_out_of_what_plugins_keep() {
        let file = place("storage/poll/files/a/.b");
        assert_eq!(file, Some(PathBuf::from("plugin-storage/poll/files/a/.b")));
        assert!(place("storage/poll/db/plugin.db").is_some());
        assert!(is_database("storage/poll/db/plugin.db"));
        assert!(!is_database("storage/poll/files/db/plugin.db"));
        for key in [
            "",
            "storage",
            "storage/.bucket",
            "storage/poll",
            "storage/poll/files/",
            "storage/poll/files/../x",
            "storage/poll/db/other.db",
            "storage/poll/db/plugin.db-wal",
            "storage/../files/x",
            "storage/.trial-1/files/x",
            "storage/poll/files/.unfinished~",
            "shared/poll/files/x",
        ] {
            assert_eq!(place(key), None, "{key:?}");
        }
    }
}
