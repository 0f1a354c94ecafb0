//! What is whole of a chunk, whatever became of its index. Pure: it reads, and changes nothing.

use std::io::{self, Read, Seek, SeekFrom};

use crate::crc32c::crc32c;
use crate::fragment::{BOX_BYTES, BoxHead, MoofFacts, init_of, moof_facts};
use crate::index::{Index, IndexHeader, IndexRecord};

/// An init segment of ours is smaller.
const MAX_INIT_BYTES: u64 = 1024 * 1024;
/// A part of ours is smaller.
const MAX_PART_BYTES: u64 = 512 * 1024 * 1024;
/// So many parts at the end are compared with their checksums; those before were synced long ago.
const CHECKED_PARTS: usize = 2;
/// Where nothing says how parts belong together, a segment is at least as long as this.
const SEGMENT_US: u32 = 1_000_000;

/// The index of everything whole in `media`: `index` as far as it is right, and then what else is there. `unknown` is
/// what is known of the chunk without an index. `None` if there is no whole init segment.
pub(crate) fn salvage<R: Read + Seek>(
    media: &mut R,
    media_len: u64,
    index: Option<Index>,
    unknown: impl FnOnce() -> IndexHeader,
) -> io::Result<Option<Index>> {
    let Some((init_len, timescale)) = read_init(media, media_len)? else {
        return Ok(None);
    };
    let index = index.filter(|index| index.header.init_len == init_len);
    let is_unknown = index.is_none();
    let mut index = index.unwrap_or_else(|| Index {
        header: IndexHeader {
            init_len,
            ..unknown()
        },
        records: Vec::new(),
    });
    if is_unknown && let Some((_, first)) = read_part(media, u64::from(init_len), media_len)? {
        let start_us = microseconds(first.decode_time, timescale);
        index.header.start_us = i64::try_from(start_us).unwrap_or(i64::MAX);
    }
    while index.media_len() > media_len && index.records.pop().is_some() {}
    drop_damaged(media, &mut index)?;
    adopt(media, media_len, timescale, &mut index)?;
    Ok(Some(index))
}

fn read_init<R: Read + Seek>(media: &mut R, media_len: u64) -> io::Result<Option<(u32, u32)>> {
    let bytes = read_at(media, 0, media_len.min(MAX_INIT_BYTES))?;
    Ok(init_of(&bytes))
}

/// Takes away what a power cut left without its bytes.
fn drop_damaged<R: Read + Seek>(media: &mut R, index: &mut Index) -> io::Result<()> {
    let mut good = 0;
    while good < CHECKED_PARTS.min(index.records.len()) {
        let at = index.records.len() - 1 - good;
        let end: u64 = index.records[at + 1..]
            .iter()
            .map(|record| u64::from(record.len))
            .sum();
        let record = index.records[at];
        let start = index.media_len() - end - u64::from(record.len);
        let bytes = read_at(media, start, u64::from(record.len))?;
        if record.tells_of(&bytes) {
            good += 1;
        } else {
            index.records.truncate(at);
            good = 0;
        }
    }
    Ok(())
}

/// Adds the whole parts behind those that the index knows.
fn adopt<R: Read + Seek>(
    media: &mut R,
    media_len: u64,
    timescale: u32,
    index: &mut Index,
) -> io::Result<()> {
    let is_rebuilt = index.records.is_empty();
    let mut at = index.media_len();
    let mut segment_us = 0_u32;
    while let Some((bytes, facts)) = read_part(media, at, media_len)? {
        let Ok(len) = u32::try_from(bytes.len()) else {
            break;
        };
        let duration_us = microseconds(facts.duration, timescale);
        let duration_us = u32::try_from(duration_us).unwrap_or(u32::MAX);
        let last = index.records.last().copied();
        let starts_segment =
            last.is_none() || (is_rebuilt && facts.is_sync && segment_us >= SEGMENT_US);
        segment_us = match starts_segment {
            true => duration_us,
            false => segment_us.saturating_add(duration_us),
        };
        let msn = match last {
            Some(last) => last.msn.saturating_add(u64::from(starts_segment)),
            None => index.header.first_msn,
        };
        let before_ms = last.map_or(index.header.date_ms, |last| last.arrived_ms);
        index.records.push(IndexRecord {
            len,
            starts_segment,
            is_independent: facts.is_sync,
            duration_us,
            msn,
            arrived_ms: before_ms.saturating_add(i64::from(duration_us / 1000)),
            crc32c: crc32c(&bytes),
        });
        at += u64::from(len);
    }
    Ok(())
}

fn microseconds(units: u64, timescale: u32) -> u128 {
    u128::from(units) * 1_000_000 / u128::from(timescale)
}

/// The `moof` and `mdat` here, if both are whole.
fn read_part<R: Read + Seek>(
    media: &mut R,
    at: u64,
    media_len: u64,
) -> io::Result<Option<(Vec<u8>, MoofFacts)>> {
    let moof = match read_head(media, at, media_len)? {
        Some(head) if head.is_moof() => head.len,
        _ => return Ok(None),
    };
    let mdat = match read_head(media, at.saturating_add(moof), media_len)? {
        Some(head) if head.kind == *b"mdat" => head.len,
        _ => return Ok(None),
    };
    let len = moof + mdat;
    if len > MAX_PART_BYTES || at.saturating_add(len) > media_len {
        return Ok(None);
    }
    let bytes = read_at(media, at, len)?;
    let inside = usize::try_from(moof).ok();
    let inside = inside.and_then(|moof| bytes.get(BOX_BYTES..moof));
    let facts = inside.and_then(moof_facts);
    Ok(facts.map(|facts| (bytes, facts)))
}

fn read_head<R: Read + Seek>(
    media: &mut R,
    at: u64,
    media_len: u64,
) -> io::Result<Option<BoxHead>> {
    if at.saturating_add(BOX_BYTES as u64) > media_len {
        return Ok(None);
    }
    let bytes = read_at(media, at, BOX_BYTES as u64)?;
    Ok(BoxHead::parse(&bytes))
}

/// These bytes, or as many as there are.
fn read_at<R: Read + Seek>(media: &mut R, at: u64, len: u64) -> io::Result<Vec<u8>> {
    media.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    media.by_ref().take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::fragment::samples::{fragment, init};
    use crate::index::samples::header;

    const PARTS: usize = 6;

    /// A chunk of three segments with two parts each, and its index.
    fn chunk() -> (Vec<u8>, Index) {
        let mut media = init();
        let header = IndexHeader {
            init_len: u32::try_from(media.len()).unwrap(),
            first_msn: 40,
            ..header()
        };
        let mut records = Vec::new();
        for part in 0..PARTS {
            let is_first = part % 2 == 0;
            let payload = vec![part as u8; 20 + part];
            let bytes = fragment(3000 + part as u64 * 500, is_first, &payload);
            records.push(IndexRecord {
                len: u32::try_from(bytes.len()).unwrap(),
                starts_segment: is_first,
                is_independent: is_first,
                duration_us: 500_000,
                msn: 40 + part as u64 / 2,
                arrived_ms: 1_700_000_000_000 + part as i64 * 500,
                crc32c: crc32c(&bytes),
            });
            media.extend(bytes);
        }
        (media, Index { header, records })
    }

    fn index_bytes(index: &Index) -> Vec<u8> {
        let mut bytes = index.header.to_bytes().to_vec();
        for record in &index.records {
            bytes.extend(record.to_bytes());
        }
        bytes
    }

    fn salvaged(media: &[u8], index: Option<Index>) -> Option<Index> {
        let known = IndexHeader {
            first_msn: 40,
            ..header()
        };
        let len = media.len() as u64;
        salvage(&mut Cursor::new(media), len, index, || known).unwrap()
    }

    /// How many parts are whole in so many bytes.
    fn whole_parts(index: &Index, media_len: usize) -> usize {
        let mut end = u64::from(index.header.init_len);
        let ends = index.records.iter().map(|record| {
            end += u64::from(record.len);
            end
        });
        ends.filter(|end| *end <= media_len as u64).count()
    }

    #[test]
    fn a_chunk_that_is_whole_stays_as_it_is() {
        let (media, index) = chunk();
        assert_eq!(salvaged(&media, Some(index.clone())), Some(index));
    }

    #[test]
    fn without_an_index_every_part_is_found_and_segments_begin_at_key_frames() {
        let (media, index) = chunk();
        let rebuilt = salvaged(&media, None).unwrap();
        let facts = |index: &Index| {
            let records = index.records.iter();
            let facts = records.map(|one| (one.len, one.crc32c, one.starts_segment, one.msn));
            facts.collect::<Vec<_>>()
        };
        assert_eq!(facts(&rebuilt), facts(&index));
        assert_eq!(rebuilt.duration_us(), index.duration_us());
        // Where the media begins is in the media.
        assert_eq!(rebuilt.header.start_us, 3_000_000);
    }

    #[test]
    fn parts_whose_bytes_were_not_kept_by_the_disk_are_left_out() {
        let (mut media, index) = chunk();
        let zeroes = media.len() - 60;
        media[zeroes..].fill(0);
        let left = salvaged(&media, Some(index.clone())).unwrap();
        assert!(left.records.len() < PARTS);
        assert_eq!(left.records, index.records[..left.records.len()]);
    }

    proptest! {
        #[test]
        fn any_cut_of_a_chunk_and_its_index_leaves_the_parts_that_are_whole(
            media_cut in 0_usize..2000,
            index_cut in 0_usize..400,
        ) {
            let (media, index) = chunk();
            let media = &media[..media_cut.min(media.len())];
            let told = index_bytes(&index);
            let told = Index::parse(&told[..index_cut.min(told.len())]);
            let left = salvaged(media, told);
            if media.len() < index.header.init_len as usize {
                prop_assert_eq!(left, None);
                return Ok(());
            }
            let left = left.unwrap();
            let whole = whole_parts(&index, media.len());
            prop_assert_eq!(left.records.len(), whole);
            for (one, other) in left.records.iter().zip(&index.records) {
                prop_assert_eq!((one.len, one.crc32c), (other.len, other.crc32c));
            }
        }

        #[test]
        fn whatever_is_in_the_files_no_more_is_told_than_is_there(
            media in proptest::collection::vec(any::<u8>(), 0..400),
            index in proptest::collection::vec(any::<u8>(), 0..400),
        ) {
            if let Some(left) = salvaged(&media, Index::parse(&index)) {
                prop_assert!(left.media_len() <= media.len() as u64);
            }
        }
    }
}
