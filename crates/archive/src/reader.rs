//! Reads stretches of files, block by block, without holding more of them than clients take.
//!
//! Files are read on threads that may wait for a disk. At most [`MAX_READS`] blocks are read at once; others wait for
//! their turn, and a request that does not even get its first block in time is told so.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ArchiveError;

/// Read at once, and held for a client that takes it slowly.
const BLOCK_BYTES: u64 = 256 * 1024;
/// Limit (viewers): blocks of recordings that are read at once; other requests wait for their turn.
const MAX_READS: usize = 64;
/// Limit (viewers): how long a request waits for its first block of a recording; then it gets a 503.
const PATIENCE: Duration = Duration::from_secs(5);

/// The bytes of a stretch, in order. A file that ends too early ends the stream with an error.
pub type Blocks = BoxStream<'static, io::Result<Bytes>>;

/// Hands out turns; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    turns: Arc<Semaphore>,
    patience: Duration,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(MAX_READS)),
            patience: PATIENCE,
        }
    }
}

impl Reader {
    /// Reads the first block at once, so that a file that is missing or too short is an error and not half an answer.
    pub(crate) async fn read(
        &self,
        path: PathBuf,
        range: Range<u64>,
    ) -> Result<Blocks, ArchiveError> {
        let turn = self.turn().await?;
        let wanted = range.clone();
        let open = move || -> io::Result<(Arc<File>, Bytes)> {
            let _turn = turn;
            let file = File::open(path)?;
            if file.metadata()?.len() < wanted.end {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let first = read_block(&file, &wanted)?;
            Ok((Arc::new(file), first))
        };
        let (file, first) = on_disk_thread(open).await?;
        let rest = Rest {
            file,
            left: range.start + first.len() as u64..range.end,
            turns: Arc::clone(&self.turns),
        };
        let later = stream::unfold(rest, Rest::next);
        Ok(stream::iter([Ok(first)]).chain(later).boxed())
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, ArchiveError> {
        let turn = Arc::clone(&self.turns).acquire_owned();
        match tokio::time::timeout(self.patience, turn).await {
            Ok(Ok(turn)) => Ok(turn),
            // It is never closed.
            Ok(Err(_)) | Err(_) => Err(ArchiveError::Busy),
        }
    }
}

/// What was not read yet. A file that is deleted meanwhile is read on.
struct Rest {
    file: Arc<File>,
    left: Range<u64>,
    turns: Arc<Semaphore>,
}

impl Rest {
    async fn next(mut self) -> Option<(io::Result<Bytes>, Self)> {
        if self.left.is_empty() {
            return None;
        }
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let (file, left) = (Arc::clone(&self.file), self.left.clone());
        let read = on_disk_thread(move || {
            let _turn = turn;
            read_block(&file, &left)
        });
        let block = read.await;
        match &block {
            Ok(bytes) => self.left.start += bytes.len() as u64,
            // The client must not take this for the end.
            Err(_) => self.left = 0..0,
        }
        Some((block, self))
    }
}

/// The first block of the range.
fn read_block(file: &File, range: &Range<u64>) -> io::Result<Bytes> {
    let len = range.end.saturating_sub(range.start).min(BLOCK_BYTES);
    // At most a block.
    let mut block = vec![0; len as usize];
    file.read_exact_at(&mut block, range.start)?;
    Ok(block.into())
}

async fn on_disk_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;

    use super::*;

    async fn whole(blocks: Blocks) -> io::Result<Vec<u8>> {
        let blocks: Vec<Bytes> = blocks.try_collect().await?;
        assert!(blocks.iter().all(|block| block.len() as u64 <= BLOCK_BYTES));
        Ok(blocks.concat())
    }

    fn file(len: usize) -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.mp4");
        let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        (folder, path, bytes)
    }

    #[tokio::test]
    async fn a_stretch_has_exactly_its_bytes_however_many_blocks_it_takes() {
        let (_folder, path, bytes) = file(600_000);
        let reader = Reader::default();
        for range in [
            0..600_000,
            0..1,
            5..262_149,
            262_144..262_145,
            599_999..600_000,
        ] {
            let read = reader.read(path.clone(), range.clone()).await.unwrap();
            let expected = &bytes[range.start as usize..range.end as usize];
            assert!(whole(read).await.unwrap() == expected, "{range:?}");
        }
    }

    #[tokio::test]
    async fn a_file_that_is_missing_or_too_short_is_no_half_answer() {
        let (folder, path, _) = file(1000);
        let reader = Reader::default();
        let short = reader.read(path, 0..1001).await;
        assert!(matches!(short, Err(ArchiveError::Io(_))));
        let missing = reader.read(folder.path().join("1.mp4"), 0..1).await;
        assert!(matches!(missing, Err(ArchiveError::Io(_))));
    }

    #[tokio::test]
    async fn what_is_deleted_while_it_is_read_is_read_to_its_end() {
        let (_folder, path, bytes) = file(600_000);
        let reader = Reader::default();
        let read = reader.read(path.clone(), 0..600_000).await.unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(whole(read).await.unwrap() == bytes);
    }

    #[tokio::test]
    async fn who_gets_no_turn_in_time_is_told_so() {
        let (_folder, path, _) = file(10);
        let reader = Reader {
            turns: Arc::new(Semaphore::new(1)),
            patience: Duration::from_millis(1),
        };
        let turn = reader.turn().await.unwrap();
        let refused = reader.read(path.clone(), 0..10).await;
        assert!(matches!(refused, Err(ArchiveError::Busy)));
        drop(turn);
        assert!(reader.read(path, 0..10).await.is_ok());
    }
}
