//! What the last process left: makes open chunks whole and closes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use jiff::Timestamp;
use model::recording::RecordingId;
use store::RecordingChunk;

use super::chunk::{ChunkPaths, read_index};
use super::hash::init_hash;
use super::salvage::salvage;
use crate::folder::{Folder, is_rendition};
use crate::index::{Index, IndexHeader};

/// What is to be written to the database, and where the media ends.
#[derive(Debug, Default)]
pub(crate) struct RecoveredFiles {
    /// Closed, with what is whole of them.
    pub(crate) closed: Vec<RecordingChunk>,
    /// Nothing is left of them.
    pub(crate) gone: Vec<(String, u32)>,
    /// The end of the newest chunk on the time line of the media.
    pub(crate) media_end_us: Option<i64>,
}

/// Makes every chunk whole that was not closed. Blocks.
pub(crate) fn recover_files(
    folder: &Folder,
    id: &RecordingId,
    rows: &[RecordingChunk],
) -> io::Result<RecoveredFiles> {
    let mut found = RecoveredFiles::default();
    let known: BTreeMap<(&str, u32), &RecordingChunk> = rows
        .iter()
        .map(|row| ((row.rendition.as_str(), row.number), row))
        .collect();
    let mut there = numbers_there(&folder.recording(id))?;
    for row in rows.iter().filter(|row| !row.is_closed) {
        there.insert((row.rendition.clone(), row.number));
    }
    // Newest first: of each rendition only the newest one tells where the media ends.
    let mut seen = BTreeSet::new();
    for (rendition, number) in there.iter().rev() {
        let row = known.get(&(rendition.as_str(), *number)).copied();
        let paths = (
            folder.chunk(id, rendition, *number),
            folder.index(id, rendition, *number),
        );
        let (Some(media), Some(index)) = paths else {
            continue;
        };
        let paths = ChunkPaths { media, index };
        let is_open = row.is_none_or(|row| !row.is_closed);
        let index = match is_open {
            true => recover_chunk(&paths, || unknown(rendition, row))?,
            false if !seen.contains(rendition) => read_index(&paths.index).ok().flatten(),
            false => continue,
        };
        let Some(index) = index else {
            if is_open {
                found.gone.push((rendition.clone(), *number));
            }
            continue;
        };
        if seen.insert(rendition.clone()) {
            let end = index.header.start_us.saturating_add(index.duration_us());
            found.media_end_us = found.media_end_us.max(Some(end));
        }
        if is_open {
            let like = row.or_else(|| rows.iter().rfind(|row| row.rendition == *rendition));
            let hash = hash_of(&paths.media, index.header.init_len)?;
            found
                .closed
                .push(closed_row(id, *number, &index, hash, like));
        }
    }
    Ok(found)
}

/// The chunks of which a file is there, by rendition.
fn numbers_there(recording: &Path) -> io::Result<BTreeSet<(String, u32)>> {
    let mut there = BTreeSet::new();
    let renditions = match fs::read_dir(recording) {
        Ok(renditions) => renditions,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(there),
        Err(error) => return Err(error),
    };
    for rendition in renditions {
        let rendition = rendition?;
        let name = rendition.file_name().to_string_lossy().into_owned();
        if !is_rendition(&name) || !rendition.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(rendition.path())? {
            let file = file?.file_name();
            let Some((number, ending)) = file.to_str().and_then(|file| file.split_once('.')) else {
                continue;
            };
            if let ("mp4" | "idx", Ok(number)) = (ending, number.parse()) {
                there.insert((name.clone(), number));
            }
        }
    }
    Ok(there)
}

/// What a chunk without an index is taken for.
fn unknown(rendition: &str, row: Option<&RecordingChunk>) -> IndexHeader {
    IndexHeader {
        rendition: rendition.to_owned(),
        token: row.map_or(0, |row| row.token),
        init_len: 0,
        session: row.map_or(0, |row| row.session),
        first_msn: row.map_or(0, |row| row.first_ordinal),
        start_us: row.map_or(0, |row| row.start_us),
        date_ms: row.map_or(0, |row| row.date.as_millisecond()),
        position_us: row.map_or(0, |row| row.start_us),
        first_ordinal: row.map_or(0, |row| row.first_ordinal),
        starts_discontinuity: true,
    }
}

/// Cuts a chunk back to what is whole, and writes its index to match. Nothing is left of one that has no part.
fn recover_chunk(
    paths: &ChunkPaths,
    unknown: impl FnOnce() -> IndexHeader,
) -> io::Result<Option<Index>> {
    let Some(index) = whole_index(paths, unknown)?.filter(|index| !index.records.is_empty()) else {
        paths.delete()?;
        return Ok(None);
    };
    let media = OpenOptions::new().write(true).open(&paths.media)?;
    media.set_len(index.media_len())?;
    media.sync_all()?;
    let fresh = paths.index.with_extension("new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&fresh)?;
    let mut bytes = index.header.to_bytes().to_vec();
    for record in &index.records {
        bytes.extend(record.to_bytes());
    }
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&fresh, &paths.index)?;
    Ok(Some(index))
}

/// The index of all that is whole in a chunk; `None` if its media is not there. Changes nothing.
pub(crate) fn whole_index(
    paths: &ChunkPaths,
    unknown: impl FnOnce() -> IndexHeader,
) -> io::Result<Option<Index>> {
    let mut media = match File::open(&paths.media) {
        Ok(media) => media,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let index = match read_index(&paths.index) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        read => read.ok().flatten(),
    };
    let len = media.metadata()?.len();
    salvage(&mut media, len, index, unknown)
}

/// The index of a chunk that is closed, also if the file of the index is damaged or gone.
pub(crate) fn closed_index(folder: &Folder, row: &RecordingChunk) -> io::Result<Option<Index>> {
    let (id, rendition) = (&row.recording, row.rendition.as_str());
    let paths = (
        folder.chunk(id, rendition, row.number),
        folder.index(id, rendition, row.number),
    );
    let (Some(media), Some(index)) = paths else {
        return Ok(None);
    };
    if let Ok(Some(index)) = read_index(&index)
        && (index.media_len() == row.bytes || !row.is_closed)
    {
        return Ok(Some(index));
    }
    let paths = ChunkPaths { media, index };
    let whole = whole_index(&paths, || unknown(rendition, Some(row)))?;
    if whole.is_some() {
        tracing::warn!(recording = %id, rendition, number = row.number, "the index of a recording is damaged; what it said was found in the media");
    }
    Ok(whole)
}

fn hash_of(media: &Path, init_len: u32) -> io::Result<String> {
    let mut init = Vec::new();
    File::open(media)?
        .take(u64::from(init_len))
        .read_to_end(&mut init)?;
    Ok(init_hash(&init))
}

fn closed_row(
    id: &RecordingId,
    number: u32,
    index: &Index,
    init_hash: String,
    like: Option<&RecordingChunk>,
) -> RecordingChunk {
    let header = &index.header;
    let date = Timestamp::from_millisecond(header.date_ms).unwrap_or_default();
    RecordingChunk {
        recording: id.clone(),
        rendition: header.rendition.clone(),
        number,
        token: header.token,
        init_hash,
        described: like.map(|row| row.described.clone()).unwrap_or_default(),
        session: header.session,
        first_ordinal: header.first_ordinal,
        start_us: header.position_us,
        duration_us: index.duration_us(),
        date,
        bytes: index.media_len(),
        is_closed: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc32c::crc32c;
    use crate::fragment::samples::{fragment, init};
    use crate::index::IndexRecord;
    use crate::index::samples::header;

    fn id() -> RecordingId {
        RecordingId::parse("00ff00ff00ff00ff").unwrap()
    }

    /// A chunk of two parts, of which the second one has no record yet, and half of a third.
    fn leave_chunk(folder: &Folder, number: u32) {
        let media = folder.chunk(&id(), "audio", number).unwrap();
        let index = folder.index(&id(), "audio", number).unwrap();
        fs::create_dir_all(media.parent().unwrap()).unwrap();
        let init = init();
        let parts = [0, 500, 1000].map(|at| fragment(at, true, b"payload"));
        let header = IndexHeader {
            init_len: u32::try_from(init.len()).unwrap(),
            ..header()
        };
        let record = IndexRecord {
            len: u32::try_from(parts[0].len()).unwrap(),
            starts_segment: true,
            is_independent: true,
            duration_us: 500_000,
            msn: header.first_msn,
            arrived_ms: header.date_ms,
            crc32c: crc32c(&parts[0]),
        };
        let half = &parts[2][..parts[2].len() / 2];
        let bytes = [&init, &parts[0], &parts[1]].map(|bytes| bytes.as_slice());
        fs::write(media, [bytes.concat().as_slice(), half].concat()).unwrap();
        let told = [&header.to_bytes()[..], &record.to_bytes(), &[7; 5]].concat();
        fs::write(index, told).unwrap();
    }

    fn row(number: u32) -> RecordingChunk {
        RecordingChunk {
            recording: id(),
            rendition: "audio".into(),
            number,
            token: 1,
            init_hash: String::new(),
            described: "{}".into(),
            session: 0,
            first_ordinal: 0,
            start_us: 0,
            duration_us: 0,
            date: Timestamp::UNIX_EPOCH,
            bytes: 0,
            is_closed: false,
        }
    }

    #[test]
    fn an_open_chunk_is_cut_to_its_whole_parts_and_closed() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().to_owned());
        leave_chunk(&folder, 0);
        let found = recover_files(&folder, &id(), &[row(0)]).unwrap();
        let [closed] = found.closed.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((closed.duration_us, closed.is_closed), (1_000_000, true));
        let media = folder.chunk(&id(), "audio", 0).unwrap();
        assert_eq!(fs::metadata(media).unwrap().len(), closed.bytes);
        let index = folder.index(&id(), "audio", 0).unwrap();
        let index = read_index(&index).unwrap().unwrap();
        assert_eq!(index.records.len(), 2);
        assert_eq!(found.media_end_us, Some(10_000_000 + 1_000_000));
        // The second time there is nothing to do.
        let again = recover_files(&folder, &id(), &found.closed).unwrap();
        assert!(again.closed.is_empty() && again.gone.is_empty());
        assert_eq!(again.media_end_us, found.media_end_us);
    }

    #[test]
    fn a_chunk_whose_row_was_lost_is_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().to_owned());
        leave_chunk(&folder, 4);
        let found = recover_files(&folder, &id(), &[]).unwrap();
        assert_eq!(found.closed.len(), 1);
        assert_eq!(found.closed[0].number, 4);
        assert_eq!(found.closed[0].first_ordinal, header().first_ordinal);
        assert_eq!(found.closed[0].start_us, header().position_us);
    }

    #[test]
    fn a_row_whose_files_are_gone_is_forgotten_and_so_is_a_chunk_without_a_part() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().to_owned());
        let media = folder.chunk(&id(), "audio", 1).unwrap();
        fs::create_dir_all(media.parent().unwrap()).unwrap();
        fs::write(&media, init()).unwrap();
        let found = recover_files(&folder, &id(), &[row(0), row(1)]).unwrap();
        assert!(found.closed.is_empty());
        let gone = [("audio".to_owned(), 1), ("audio".to_owned(), 0)];
        assert_eq!(found.gone, gone);
        assert!(!media.try_exists().unwrap());
    }
}
