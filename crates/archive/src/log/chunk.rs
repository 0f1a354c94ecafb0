//! A chunk that is written: its media, and its index.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use store::RecordingChunk;

use super::update::NewPart;
use crate::crc32c::crc32c;
use crate::description::ChunkDescription;
use crate::index::{Index, IndexHeader, IndexRecord};
use crate::timeline::{SegmentBuilder, TimelineSegment};

/// Where a chunk is on the disk.
#[derive(Clone, Debug)]
pub(crate) struct ChunkPaths {
    pub(crate) media: PathBuf,
    pub(crate) index: PathBuf,
}

impl ChunkPaths {
    /// Deletes both files, if they are there.
    pub(crate) fn delete(&self) -> io::Result<()> {
        delete(&self.index)?;
        delete(&self.media)
    }
}

fn delete(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a folder that only the server can read, and those it is in.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

/// An open chunk.
#[derive(Debug)]
pub(crate) struct ChunkFile {
    media: File,
    index: File,
    paths: ChunkPaths,
    pub(crate) row: RecordingChunk,
    pub(crate) header: IndexHeader,
    pub(crate) described: ChunkDescription,
    pub(crate) init: Bytes,
    /// Up to the end of the last record.
    media_len: u64,
    index_len: u64,
    pub(crate) duration_us: i64,
    segments: SegmentBuilder,
    /// Whether something was written since the last sync.
    is_dirty: bool,
}

impl ChunkFile {
    /// Begins a chunk with its init segment. Nothing is left of it if that fails.
    pub(crate) fn create(
        paths: ChunkPaths,
        row: RecordingChunk,
        header: IndexHeader,
        described: ChunkDescription,
        init: Bytes,
    ) -> io::Result<Self> {
        let begun = Self::begin(&paths, &header, &init);
        let (media, index) = match begun {
            Ok(files) => files,
            Err(error) => {
                let _ = paths.delete();
                return Err(error);
            }
        };
        let segments = SegmentBuilder::new(&row, &header);
        Ok(Self {
            media,
            index,
            paths,
            row,
            described,
            media_len: init.len() as u64,
            index_len: crate::index::HEADER_BYTES as u64,
            header,
            init,
            duration_us: 0,
            segments,
            is_dirty: true,
        })
    }

    fn begin(paths: &ChunkPaths, header: &IndexHeader, init: &Bytes) -> io::Result<(File, File)> {
        if let Some(folder) = paths.media.parent() {
            make_folder(folder)?;
        }
        let mut media = create_file(&paths.media)?;
        media.write_all(init)?;
        let mut index = create_file(&paths.index)?;
        index.write_all(&header.to_bytes())?;
        Ok((media, index))
    }

    /// Appends a part, and tells the segment before if this one begins another. After an error nothing of the part is
    /// there.
    pub(crate) fn append(
        &mut self,
        part: &NewPart,
        arrived_ms: i64,
    ) -> io::Result<Option<TimelineSegment>> {
        let len = u32::try_from(part.bytes.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the part is too large"))?;
        let record = IndexRecord {
            len,
            starts_segment: part.starts_segment,
            is_independent: part.is_independent,
            duration_us: part.duration_us,
            msn: part.msn,
            arrived_ms,
            crc32c: crc32c(&part.bytes),
        };
        let bytes = record.to_bytes();
        let written = self
            .media
            .write_all(&part.bytes)
            .and_then(|()| self.index.write_all(&bytes));
        if let Err(error) = written {
            self.cut_back();
            return Err(error);
        }
        self.media_len += u64::from(len);
        self.index_len += bytes.len() as u64;
        self.duration_us += i64::from(part.duration_us);
        self.is_dirty = true;
        Ok(self.segments.add(&record))
    }

    /// Takes half of a part away. What cannot be taken away now is when the server starts the next time.
    fn cut_back(&mut self) {
        let _ = self.media.set_len(self.media_len);
        let _ = self.index.set_len(self.index_len);
    }

    /// Has the disk keep what was written, and looks whether the files are still there.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.is_dirty {
            self.is_dirty = false;
            self.media.sync_data()?;
            self.index.sync_data()?;
        }
        for (path, file) in [
            (&self.paths.media, &self.media),
            (&self.paths.index, &self.index),
        ] {
            let (there, own) = (fs::metadata(path)?, file.metadata()?);
            if (there.dev(), there.ino()) != (own.dev(), own.ino()) {
                return Err(io::ErrorKind::NotFound.into());
            }
        }
        Ok(())
    }

    /// The row as it is now.
    pub(crate) fn row_now(&self) -> RecordingChunk {
        RecordingChunk {
            duration_us: self.duration_us,
            bytes: self.media_len,
            described: self.described_json(),
            ..self.row.clone()
        }
    }

    fn described_json(&self) -> String {
        serde_json::to_string(&self.described).unwrap_or_default()
    }

    /// Bytes of media and index.
    pub(crate) fn len(&self) -> u64 {
        self.media_len + self.index_len
    }

    /// Whether nothing but the init segment is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.duration_us == 0 && self.media_len == self.init.len() as u64
    }

    pub(crate) fn end_us(&self) -> i64 {
        self.row.start_us + self.duration_us
    }

    /// The last segment; the files stay.
    pub(crate) fn close(mut self) -> (RecordingChunk, Option<TimelineSegment>) {
        if let Err(error) = self.sync() {
            tracing::debug!(%error, "a chunk of the recording could not be synced at its end");
        }
        let row = RecordingChunk {
            is_closed: true,
            ..self.row_now()
        };
        (row, self.segments.finish())
    }

    /// Deletes it.
    pub(crate) fn discard(self) {
        if let Err(error) = self.paths.delete() {
            tracing::debug!(%error, "an empty chunk of the recording could not be deleted");
        }
    }
}

fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// A chunk from the disk: its index, if that can be read.
pub(crate) fn read_index(path: &Path) -> io::Result<Option<Index>> {
    let bytes = fs::read(path)?;
    Ok(Index::parse(&bytes))
}
