//! Where the engine's machine code comes from: embedded in the program, compressed, and unpacked once into a folder; or
//! a file named by the operator.
//!
//! Mapped code runs as part of this process. So a file in the folder is used only if it matches the hash embedded in
//! the program, and no file is used that somebody else could write to.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use aws_lc_rs::digest;
use flate2::read::ZlibDecoder;

/// Engines that are kept in a folder, for two versions of the program beside each other; older ones are deleted.
const KEPT: usize = 2;
/// Permissions of others that make a folder or file unusable: writing, for group and for all.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const SUFFIX: &str = "cwasm";
/// Held while the engine is unpacked, so that of several programs that start together one does it.
const LOCK: &str = "lock";
/// What is read at once.
const PIECE: usize = 256 * 1024;
/// The first bytes of WebAssembly that was not compiled.
const UNCOMPILED: &[u8] = b"\0asm";

/// Where the engine comes from.
#[derive(Clone, Debug)]
pub enum EngineSource {
    /// Embedded in the program.
    Embedded(EmbeddedEngine),
    /// A file that the operator vouches for.
    File(PathBuf),
}

/// The embedded engine.
#[derive(Clone, Copy)]
pub struct EmbeddedEngine {
    /// Its machine code, compressed with zlib.
    pub deflated: &'static [u8],
    /// SHA-256 of the code, in hexadecimal.
    pub sha256: &'static str,
}

/// Why the engine is unavailable.
#[derive(Debug, thiserror::Error)]
pub enum EngineSourceError {
    /// Reading or writing failed.
    #[error("the plugin engine cannot be read from {path}: {cause}")]
    Io {
        path: String,
        /// The underlying error.
        cause: io::Error,
    },
    /// Somebody else could have modified the file.
    #[error(
        "{path} {problem}: the plugin engine is run only from where nobody else can write; delete it or repair it with chmod and chown"
    )]
    Unsafe { path: String, problem: &'static str },
    /// The file does not exist.
    #[error(
        "there is no plugin engine at {0}: `python3 scripts/engine.py build` makes one, and prints the path"
    )]
    Missing(String),
    /// The file is what the engine is compiled from.
    #[error(
        "{0} is WebAssembly and not machine code: `python3 scripts/engine.py build` makes that, and prints the path"
    )]
    Uncompiled(String),
    /// The embedded engine is corrupt.
    #[error("the plugin engine inside this program is damaged: {0}")]
    Damaged(String),
}

/// Machine code in a checked file.
pub(super) struct EngineCode {
    file: File,
    path: PathBuf,
    /// SHA-256 in hexadecimal.
    pub(super) hash: String,
}

impl EngineCode {
    /// A path that leads to exactly the checked file, even if its name was reused since.
    pub(super) fn path(&self) -> PathBuf {
        let open = PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        match open.try_exists() {
            Ok(true) => open,
            _ => self.path.clone(),
        }
    }
}

impl EngineSource {
    /// The code in a file: the operator's, or one in `folder`, which is unpacked if missing.
    pub(super) fn provide(&self, folder: &Path) -> Result<EngineCode, EngineSourceError> {
        match self {
            Self::Embedded(engine) => engine.provide(folder),
            Self::File(path) => named(path),
        }
    }
}

impl std::fmt::Debug for EmbeddedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EmbeddedEngine").field(&self.sha256).finish()
    }
}

impl EmbeddedEngine {
    fn provide(&self, folder: &Path) -> Result<EngineCode, EngineSourceError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(at(folder))?;
        // The checked path is the one that is used: no link in between can change later.
        let folder = folder.canonicalize().map_err(at(folder))?;
        check(&folder, &folder.metadata().map_err(at(&folder))?)?;
        let path = folder.join(format!("engine-{}.{SUFFIX}", &self.sha256[..16]));
        if let Some(code) = self.find(&path)? {
            return Ok(code);
        }
        let lock = folder.join(LOCK);
        let lock = File::create(&lock).map_err(at(&lock))?;
        if let Err(error) = lock.lock() {
            tracing::debug!(%error, "the folder of the plugin engine cannot be locked");
        }
        // Another process may have unpacked it while we waited.
        if let Some(code) = self.find(&path)? {
            return Ok(code);
        }
        self.unpack(&path)?;
        forget_old(&folder, &path);
        let unpacked = self.find(&path)?;
        unpacked.ok_or_else(|| {
            EngineSourceError::Damaged("it was changed while it was unpacked".into())
        })
    }

    /// The unpacked engine, if it exists and is intact.
    fn find(&self, path: &Path) -> Result<Option<EngineCode>, EngineSourceError> {
        let Some(file) = open(path)? else {
            return Ok(None);
        };
        let hash = sha256(&file).map_err(at(path))?;
        if hash != self.sha256 {
            tracing::warn!(file = %path.display(), "the unpacked plugin engine is damaged: it is unpacked again");
            return Ok(None);
        }
        Ok(Some(EngineCode {
            file,
            path: path.to_owned(),
            hash,
        }))
    }

    /// Writes a temporary file and renames it, so that readers see a whole file or none.
    fn unpack(&self, path: &Path) -> Result<(), EngineSourceError> {
        let beside = path.with_extension("unfinished");
        // Left over from an interrupted start, and not necessarily a file.
        drop(fs::remove_file(&beside));
        let mut new = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)
            .map_err(at(&beside))?;
        let mut code = ZlibDecoder::new(self.deflated);
        let mut hash = digest::Context::new(&digest::SHA256);
        let mut piece = vec![0; PIECE];
        loop {
            let length = code.read(&mut piece);
            let length = length.map_err(|cause| EngineSourceError::Damaged(cause.to_string()))?;
            if length == 0 {
                break;
            }
            hash.update(&piece[..length]);
            new.write_all(&piece[..length]).map_err(at(&beside))?;
        }
        if hexadecimal(hash.finish()) != self.sha256 {
            return Err(EngineSourceError::Damaged("it has another hash".into()));
        }
        new.sync_all().map_err(at(&beside))?;
        fs::rename(&beside, path).map_err(at(path))
    }
}

/// The file named by the operator.
fn named(path: &Path) -> Result<EngineCode, EngineSourceError> {
    let missing = || EngineSourceError::Missing(path.display().to_string());
    let mut file = open(path)?.ok_or_else(missing)?;
    let mut start = Vec::new();
    let beginning = (&file)
        .take(UNCOMPILED.len() as u64)
        .read_to_end(&mut start);
    beginning.map_err(at(path))?;
    if start == UNCOMPILED {
        return Err(EngineSourceError::Uncompiled(path.display().to_string()));
    }
    file.rewind().map_err(at(path))?;
    let hash = sha256(&file).map_err(at(path))?;
    Ok(EngineCode {
        file,
        path: path.to_owned(),
        hash,
    })
}

/// A failure here only costs disk space.
fn forget_old(folder: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut others: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path != newest && path.extension().is_some_and(|end| end == SUFFIX))
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    others.sort();
    let surplus = (others.len() + 1).saturating_sub(KEPT);
    for (_, old) in others.into_iter().take(surplus) {
        // Earlier versions stored a hash beside each.
        drop(fs::remove_file(old.with_extension("sha256")));
        drop(fs::remove_file(old));
    }
}

/// Opens a file to be mapped; `None` if it does not exist. Rejects one that others could have written.
fn open(path: &Path) -> Result<Option<File>, EngineSourceError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(at(path))?,
    };
    check(path, &file.metadata().map_err(at(path))?)?;
    Ok(Some(file))
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), EngineSourceError> {
    let ours = [rustix::process::geteuid().as_raw(), 0];
    let problem = if !ours.contains(&metadata.uid()) {
        "belongs to another user"
    } else if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        "may be written by others"
    } else {
        return Ok(());
    };
    Err(EngineSourceError::Unsafe {
        path: path.display().to_string(),
        problem,
    })
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> EngineSourceError + use<> {
    let path = path.display().to_string();
    move |cause| EngineSourceError::Io { path, cause }
}

/// SHA-256 of a reader in hexadecimal. It is read in pieces because the engine is large.
fn sha256(mut bytes: impl Read) -> io::Result<String> {
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut piece = vec![0; PIECE];
    loop {
        match bytes.read(&mut piece)? {
            0 => return Ok(hexadecimal(hash.finish())),
            length => hash.update(&piece[..length]),
        }
    }
}

pub(super) fn hexadecimal(hash: digest::Digest) -> String {
    hash.as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
