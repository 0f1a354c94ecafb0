//! The folder that keeps compiled code between two starts.
//!
//! What lies there is run as machine code of this process. So the folder and the files must belong to us and nobody else
//! may write to them, and a file is used only if it is, byte for byte, the one that was written.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::compiled::{self, EngineError};
use super::source::{Source, SourceError, sha256};

/// Compiled engines that are kept, for two versions of the program beside each other; older ones are deleted.
const KEPT: usize = 4;
/// Permissions of others that make a folder or file unusable: writing, for group and for all.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const SUFFIX: &str = "cwasm";

/// The folder.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// The folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Reading or writing failed.
    #[error("{path}: {cause}")]
    Io {
        /// Where.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// Somebody else could have put something there.
    #[error(
        "{path} {problem}: compiled code is run only from where nobody else can write; delete it or repair it with chmod and chown"
    )]
    Unsafe {
        /// Where.
        path: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// Compiling failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is nothing to compile.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Cache {
    /// Opens the folder; makes it if it does not exist.
    pub fn open(folder: &Path) -> Result<Self, CacheError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(at(folder))?;
        // The path that is checked is the one that is used: no link in between can change later.
        let folder = folder.canonicalize().map_err(at(folder))?;
        check(&folder)?;
        Ok(Self { folder })
    }

    /// The compiled engine, if it is here and whole.
    pub(super) fn find(&self, name: &str) -> Result<Option<PathBuf>, CacheError> {
        let file = self.folder.join(name);
        let record = record_of(&file);
        let (Some(code), Some(mut recorded)) = (open(&file)?, open(&record)?) else {
            return Ok(None);
        };
        let mut wanted = String::new();
        recorded.read_to_string(&mut wanted).map_err(at(&record))?;
        let is_whole = sha256(code).map_err(at(&file))? == wanted.trim_end();
        if !is_whole {
            tracing::warn!(file = %file.display(), "the compiled plugin engine is damaged: it is compiled again");
            return Ok(None);
        }
        Ok(Some(file))
    }

    /// Keeps a compiled engine: first its hash, then the code, so that code without a hash is never complete.
    pub(super) fn keep(&self, name: &str, code: &[u8]) -> Result<PathBuf, CacheError> {
        let file = self.folder.join(name);
        let record = record_of(&file);
        let hash = sha256(code).map_err(at(&file))?;
        self.write(&record, hash.as_bytes())?;
        self.write(&file, code)?;
        self.forget_old(&file);
        Ok(file)
    }

    /// Writes beside and renames: whoever reads sees the old file or the new one.
    fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), CacheError> {
        let beside = file.with_extension(format!("new-{}", std::process::id()));
        let written = || {
            let _ = fs::remove_file(&beside);
            let mut new = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&beside)?;
            new.write_all(bytes)?;
            new.sync_all()?;
            fs::rename(&beside, file)
        };
        written().map_err(at(file))
    }

    /// A failure here costs disk space and nothing else.
    fn forget_old(&self, newest: &Path) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
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
            let _ = fs::remove_file(record_of(&old));
            let _ = fs::remove_file(old);
        }
    }

    /// Where the compiled form of a component is: found, or made now, before which `compiling` is called.
    pub(super) fn provide(
        &self,
        engine: &wasmtime::Engine,
        source: &Source,
        compiling: impl FnOnce(),
    ) -> Result<PathBuf, CacheError> {
        let name = name_of(engine, source);
        if let Some(file) = self.find(&name)? {
            return Ok(file);
        }
        compiling();
        let code = compiled::compile(engine, &source.component()?)?;
        self.keep(&name, &code)
    }

    /// Compiles the engine unless it is here already; answers the file.
    pub fn compile(&self, source: &Source) -> Result<PathBuf, CacheError> {
        self.provide(&compiled::engine()?, source, || {})
    }
}

/// `engine-<component>-<wasmtime, settings and processor>.cwasm`
fn name_of(engine: &wasmtime::Engine, source: &Source) -> String {
    let fingerprint = compiled::fingerprint(engine);
    format!(
        "engine-{}-{fingerprint:016x}.{SUFFIX}",
        &source.hash()[..16]
    )
}

fn record_of(file: &Path) -> PathBuf {
    file.with_extension("sha256")
}

/// A file of the cache, or `None` when there is none. Refuses one that others could have written.
fn open(file: &Path) -> Result<Option<fs::File>, CacheError> {
    match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(file)(error)),
        Ok(_) => check(file)?,
    }
    fs::File::open(file).map(Some).map_err(at(file))
}

fn check(path: &Path) -> Result<(), CacheError> {
    let metadata = path.symlink_metadata().map_err(at(path))?;
    let problem = if metadata.is_symlink() {
        "is a link"
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        "belongs to another user"
    } else if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        "may be written by others"
    } else {
        return Ok(());
    };
    Err(CacheError::Unsafe {
        path: path.display().to_string(),
        problem,
    })
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CacheError + use<> {
    let path = path.display().to_string();
    move |cause| CacheError::Io { path, cause }
}
