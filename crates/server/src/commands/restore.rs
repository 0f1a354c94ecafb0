//! `rillcast restore`: puts a backup back, and nothing else if anything about it is wrong.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::{Clock, product};
use serde::Deserialize;
use store::{DatabaseUrl, Store, Vault};
use zip::ZipArchive;

use super::backup::{DATABASE, MANIFEST};
use crate::clock::SystemClock;
use crate::config::Config;
use crate::data_dir::{DataDir, secret_key};

/// A manifest is a few words; more is not one.
const MAX_MANIFEST_BYTES: u64 = 4096;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    product: String,
    version: String,
    created_at: String,
}

/// Unpacks beside, checks, and only then changes the data folder.
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
    // The lock: nobody may be serving from this folder.
    let _data_dir = DataDir::open(&config.data_dir)?;
    if database.try_exists()? && !force {
        bail!(
            "{} exists already; add --force to replace it (it will be kept aside)",
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
    println!(
        "Restored the backup of {} (Rillcast {}).",
        manifest.created_at, manifest.version
    );
    Ok(())
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

/// Opens the unpacked database with its key: whole, not newer than this binary, and a pair.
fn check(unpacked: &Path) -> anyhow::Result<()> {
    let database = unpacked.join(DATABASE);
    let key = secret_key(unpacked);
    for (what, path) in [("database", &database), ("secret key", &key)] {
        if !path.is_file() {
            bail!("the backup has no {what}");
        }
    }
    let vault = Vault::open(&key)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let opened = runtime.block_on(Store::open(&DatabaseUrl::Sqlite(database), vault));
    opened
        .map(drop)
        .context("the database in the backup cannot be used")
}

/// Moves what is there aside and the unpacked files in; the database comes last.
fn put_in_place(
    config: &Config,
    database: &Path,
    unpacked: &Path,
    stamp: &str,
) -> anyhow::Result<()> {
    let aside = config.data_dir.join(format!("before-restore-{stamp}"));
    let names = fs::read_dir(unpacked)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    let mut moves: Vec<(PathBuf, PathBuf)> = Vec::new();
    for name in names {
        let is_companion = name
            .to_str()
            .is_some_and(|name| name.ends_with("-wal") || name.ends_with("-shm"));
        let target = match name == DATABASE {
            true => database.to_owned(),
            false => config.data_dir.join(&name),
        };
        if !is_companion {
            moves.push((unpacked.join(&name), target));
        }
    }
    moves.sort_by_key(|(_, target)| target == database);
    let mut replaced: Vec<PathBuf> = moves.iter().map(|(_, target)| target.clone()).collect();
    for suffix in ["-wal", "-shm"] {
        let mut companion = database.as_os_str().to_owned();
        companion.push(suffix);
        replaced.push(companion.into());
    }
    for path in replaced {
        let Some(name) = path
            .file_name()
            .filter(|_| path.try_exists().unwrap_or(false))
        else {
            continue;
        };
        private_folder(&aside)?;
        fs::rename(&path, aside.join(name))
            .with_context(|| format!("cannot move {} aside", path.display()))?;
    }
    for (from, to) in moves {
        fs::rename(&from, &to).with_context(|| format!("cannot put {} in place", to.display()))?;
    }
    File::open(&config.data_dir)?.sync_all()?;
    if aside.is_dir() {
        println!("What was there before is in {}.", aside.display());
    }
    Ok(())
}
