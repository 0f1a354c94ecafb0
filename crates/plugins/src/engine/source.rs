//! Where the component comes from: a file that was built, or the one inside the binary.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use aws_lc_rs::digest;
use flate2::read::ZlibDecoder;

/// The component is about 25 MB; a file that is larger than this is something else and is refused.
const LARGEST: u64 = 128 * 1024 * 1024;
/// What is hashed at once.
const PIECE: usize = 256 * 1024;

/// The engine as it was built: one WebAssembly component.
#[derive(Clone)]
pub struct Source {
    bytes: Cow<'static, [u8]>,
    is_deflated: bool,
    hash: String,
}

/// The component cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error(
        "the plugin engine cannot be read from {path}: {cause}; `python3 scripts/engine.py build` makes it"
    )]
    File {
        /// Which file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// What is in the binary is broken.
    #[error("the plugin engine inside this program is damaged: {0}")]
    Damaged(std::io::Error),
}

impl Source {
    /// Reads a component from a file.
    pub fn from_file(path: &Path) -> Result<Self, SourceError> {
        let read = || {
            let mut bytes = Vec::new();
            fs::File::open(path)?
                .take(LARGEST)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|cause| SourceError::File {
            path: path.display().to_string(),
            cause,
        })?;
        Ok(Self::new(bytes.into(), false))
    }

    /// Takes the component that is part of the binary. It is inflated only when it has to be compiled, which most starts
    /// do not need.
    pub fn from_deflated(deflated: &'static [u8]) -> Self {
        Self::new(deflated.into(), true)
    }

    fn new(bytes: Cow<'static, [u8]>, is_deflated: bool) -> Self {
        let hash = hexadecimal(digest::digest(&digest::SHA256, &bytes));
        Self {
            bytes,
            is_deflated,
            hash,
        }
    }

    /// The component itself.
    pub(super) fn component(&self) -> Result<Cow<'_, [u8]>, SourceError> {
        if !self.is_deflated {
            return Ok(Cow::Borrowed(&self.bytes));
        }
        let mut component = Vec::new();
        ZlibDecoder::new(&*self.bytes)
            .take(LARGEST)
            .read_to_end(&mut component)
            .map_err(SourceError::Damaged)?;
        Ok(Cow::Owned(component))
    }

    /// SHA-256 of the form it came in, in hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Source").field(&self.hash).finish()
    }
}

/// SHA-256 of what can be read, in hexadecimal digits. It is read piece by piece: compiled code is large.
pub(super) fn sha256(mut bytes: impl Read) -> io::Result<String> {
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
