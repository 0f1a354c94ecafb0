//! What is in the index beside a chunk: a header, and a record for each part. Pure: bytes in, facts out.
//!
//! All numbers are little-endian. A record is appended after the bytes it tells of, so every whole record that is found
//! later tells of bytes that were written; offsets are sums of lengths.

use jiff::Timestamp;

use crate::crc32c::crc32c;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 80;
/// Bytes of a record.
pub const RECORD_BYTES: usize = 40;
/// The most bytes of a rendition's name.
pub const RENDITION_BYTES: usize = 8;

const SUMMED_HEADER_BYTES: usize = HEADER_BYTES - 4;
const SUMMED_RECORD_BYTES: usize = RECORD_BYTES - 4;

const MAGIC: [u8; 4] = *b"RCIX";
const VERSION: u16 = 1;
const STARTS_DISCONTINUITY: u16 = 1;
const STARTS_SEGMENT: u16 = 1;
const IS_INDEPENDENT: u16 = 2;

/// What all parts of a chunk have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexHeader {
    /// The folder of the rendition: `0`, `audio`, `1`…
    pub rendition: String,
    /// Part of the names that viewers know its files by.
    pub token: u64,
    /// Bytes of the init segment, at the beginning of the chunk.
    pub init_len: u32,
    /// Counts how often recording began again, because the server or the time line did.
    pub session: u32,
    /// Media sequence number of its first segment.
    pub first_msn: u64,
    /// Where it begins on the time line of the media.
    pub start_us: i64,
    /// Wall-clock time of its first frame, in milliseconds, as playlists tell it.
    pub date_ms: i64,
    /// Where it begins in the recording.
    pub position_us: i64,
    /// The place of its first segment among all of the recording.
    pub first_ordinal: u64,
    /// Whether its time line, its parameters or its frames do not follow those of the chunk before.
    pub starts_discontinuity: bool,
}

/// One part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRecord {
    /// Bytes.
    pub len: u32,
    pub starts_segment: bool,
    /// Whether it begins with a frame that needs no other.
    pub is_independent: bool,
    pub duration_us: u32,
    /// Media sequence number of its segment.
    pub msn: u64,
    /// The wall clock when it was written, in milliseconds: the clock of chat lines.
    pub arrived_ms: i64,
    /// Of its bytes.
    pub crc32c: u32,
}

impl IndexHeader {
    /// The header; names that are too long are cut, which no folder has.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut name = [0; RENDITION_BYTES];
        for (to, from) in name.iter_mut().zip(self.rendition.bytes()) {
            *to = from;
        }
        let flags = u16::from(self.starts_discontinuity) * STARTS_DISCONTINUITY;
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[6..8].copy_from_slice(&flags.to_le_bytes());
        bytes[8..16].copy_from_slice(&name);
        bytes[16..24].copy_from_slice(&self.token.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.init_len.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.session.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.first_msn.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.start_us.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.date_ms.to_le_bytes());
        bytes[56..64].copy_from_slice(&self.position_us.to_le_bytes());
        bytes[64..72].copy_from_slice(&self.first_ordinal.to_le_bytes());
        let sum = crc32c(&bytes[..SUMMED_HEADER_BYTES]);
        bytes[SUMMED_HEADER_BYTES..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The header at the beginning of an index; `None` if it is cut, damaged or of another version.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (bytes, _) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let mut rest = Fields(bytes);
        if rest.take::<4>()? != MAGIC || u16::from_le_bytes(rest.take()?) != VERSION {
            return None;
        }
        let flags = u16::from_le_bytes(rest.take()?);
        let name: [u8; RENDITION_BYTES] = rest.take()?;
        let end = name.iter().position(|byte| *byte == 0);
        let rendition = std::str::from_utf8(&name[..end.unwrap_or(RENDITION_BYTES)]).ok()?;
        let header = Self {
            rendition: rendition.to_owned(),
            token: u64::from_le_bytes(rest.take()?),
            init_len: u32::from_le_bytes(rest.take()?),
            session: u32::from_le_bytes(rest.take()?),
            first_msn: u64::from_le_bytes(rest.take()?),
            start_us: i64::from_le_bytes(rest.take()?),
            date_ms: i64::from_le_bytes(rest.take()?),
            position_us: i64::from_le_bytes(rest.take()?),
            first_ordinal: u64::from_le_bytes(rest.take()?),
            starts_discontinuity: flags & STARTS_DISCONTINUITY != 0,
        };
        let sum = u32::from_le_bytes(*bytes.last_chunk()?);
        (sum == crc32c(&bytes[..SUMMED_HEADER_BYTES])).then_some(header)
    }

    /// Wall-clock time of its first frame.
    pub fn date(&self) -> Timestamp {
        Timestamp::from_millisecond(self.date_ms).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl IndexRecord {
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut flags = 0;
        if self.starts_segment {
            flags |= STARTS_SEGMENT;
        }
        if self.is_independent {
            flags |= IS_INDEPENDENT;
        }
        let mut bytes = [0; RECORD_BYTES];
        bytes[..4].copy_from_slice(&self.len.to_le_bytes());
        bytes[4..6].copy_from_slice(&flags.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.duration_us.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.crc32c.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.msn.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.arrived_ms.to_le_bytes());
        let sum = crc32c(&bytes[..SUMMED_RECORD_BYTES]);
        bytes[SUMMED_RECORD_BYTES..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None` if it is damaged.
    pub fn parse(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let sum = u32::from_le_bytes(*bytes.last_chunk()?);
        if sum != crc32c(&bytes[..SUMMED_RECORD_BYTES]) {
            return None;
        }
        let mut rest = Fields(bytes);
        let len = u32::from_le_bytes(rest.take()?);
        let flags = u16::from_le_bytes(rest.take()?);
        rest.take::<2>()?;
        Some(Self {
            len,
            starts_segment: flags & STARTS_SEGMENT != 0,
            is_independent: flags & IS_INDEPENDENT != 0,
            duration_us: u32::from_le_bytes(rest.take()?),
            crc32c: u32::from_le_bytes(rest.take()?),
            msn: u64::from_le_bytes(rest.take()?),
            arrived_ms: i64::from_le_bytes(rest.take()?),
        })
    }

    /// Whether these are the bytes it tells of.
    pub fn tells_of(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.len as usize && crc32c(bytes) == self.crc32c
    }
}

/// An index: as much of it as is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    pub header: IndexHeader,
    pub records: Vec<IndexRecord>,
}

impl Index {
    /// Reads up to the first record that is cut or damaged; `None` without a header.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let header = IndexHeader::parse(bytes)?;
        let (records, _) = bytes.get(HEADER_BYTES..)?.as_chunks::<RECORD_BYTES>();
        let records = records.iter().map_while(IndexRecord::parse).collect();
        Some(Self { header, records })
    }

    /// Bytes of the chunk that it tells of, with the init segment.
    pub fn media_len(&self) -> u64 {
        let parts = self.records.iter().map(|record| u64::from(record.len));
        u64::from(self.header.init_len) + parts.sum::<u64>()
    }

    /// Bytes of the index itself.
    pub fn index_len(&self) -> u64 {
        (HEADER_BYTES + RECORD_BYTES * self.records.len()) as u64
    }

    pub fn duration_us(&self) -> i64 {
        let durations = self.records.iter();
        durations.map(|record| i64::from(record.duration_us)).sum()
    }
}

/// Takes fixed fields from the front.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn header() -> IndexHeader {
        IndexHeader {
            rendition: "audio".into(),
            token: 0xfedc_ba98_7654_3210,
            init_len: 700,
            session: 3,
            first_msn: 1_700_000_000,
            start_us: 10_000_000,
            date_ms: 1_700_000_000_123,
            position_us: -20,
            first_ordinal: 9,
            starts_discontinuity: true,
        }
    }

    pub(crate) fn record(msn: u64, starts_segment: bool) -> IndexRecord {
        IndexRecord {
            len: 100,
            starts_segment,
            is_independent: starts_segment,
            duration_us: 500_000,
            msn,
            arrived_ms: 1_700_000_000_500,
            crc32c: 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::samples::{header, record};
    use super::*;

    fn bytes_of(index: &Index) -> Vec<u8> {
        let mut bytes = index.header.to_bytes().to_vec();
        for record in &index.records {
            bytes.extend(record.to_bytes());
        }
        bytes
    }

    fn index() -> Index {
        Index {
            header: header(),
            records: (0..5).map(|at| record(at / 2, at % 2 == 0)).collect(),
        }
    }

    #[test]
    fn an_index_reads_back_as_it_was_written() {
        let bytes = bytes_of(&index());
        assert_eq!(bytes.len() as u64, index().index_len());
        assert_eq!(Index::parse(&bytes), Some(index()));
    }

    #[test]
    fn sizes_and_durations_are_sums() {
        assert_eq!(index().media_len(), 700 + 5 * 100);
        assert_eq!(index().duration_us(), 2_500_000);
    }

    #[test]
    fn a_record_knows_its_bytes() {
        let told = IndexRecord {
            len: 9,
            crc32c: crc32c(b"123456789"),
            ..record(0, true)
        };
        assert!(told.tells_of(b"123456789"));
        assert!(!told.tells_of(b"123456780"));
        assert!(!told.tells_of(b"12345678"));
    }

    proptest! {
        #[test]
        fn any_cut_of_an_index_is_its_whole_records(cut in 0_usize..HEADER_BYTES + 5 * RECORD_BYTES) {
            let bytes = bytes_of(&index());
            let read = Index::parse(&bytes[..cut]);
            match cut.checked_sub(HEADER_BYTES) {
                None => prop_assert_eq!(read, None),
                Some(rest) => {
                    let whole = rest / RECORD_BYTES;
                    prop_assert_eq!(&read.unwrap().records, &index().records[..whole]);
                }
            }
        }

        #[test]
        fn a_flipped_bit_is_never_believed(bit in 0_usize..(HEADER_BYTES + 5 * RECORD_BYTES) * 8) {
            let mut bytes = bytes_of(&index());
            bytes[bit / 8] ^= 1 << (bit % 8);
            match Index::parse(&bytes) {
                None => prop_assert!(bit / 8 < HEADER_BYTES),
                Some(read) => {
                    let damaged = (bit / 8 - HEADER_BYTES) / RECORD_BYTES;
                    prop_assert_eq!(&read.records, &index().records[..damaged]);
                }
            }
        }

        #[test]
        fn what_anybody_writes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Index::parse(&bytes);
        }
    }
}
