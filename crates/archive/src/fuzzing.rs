//! The body of the fuzz target, shared with the replay test on stable.

use std::io::Cursor;

use crate::index::{Index, IndexHeader};
use crate::log::salvage::salvage;

/// What the first two bytes count is an index, the rest the media of its chunk. No more is told than is there, what is told
/// last is right, and whoever looks again finds the same.
///
/// # Panics
/// If that does not hold.
pub fn salvage_holds(input: &[u8]) {
    let Some((len, rest)) = input.split_first_chunk::<2>() else {
        return;
    };
    let len = usize::from(u16::from_le_bytes(*len)).min(rest.len());
    let (index, media) = rest.split_at(len);
    let Some(left) = look(media, Index::parse(index)) else {
        return;
    };
    let media_len = usize::try_from(left.media_len()).expect("it is no more than there is");
    assert!(media_len <= media.len(), "more is told than is there");
    if let Some(last) = left.records.last() {
        let start = media_len - last.len as usize;
        assert!(last.tells_of(&media[start..media_len]), "the last part");
    }
    let mut bytes = left.header.to_bytes().to_vec();
    for record in &left.records {
        bytes.extend(record.to_bytes());
    }
    let written = Index::parse(&bytes);
    assert_eq!(written.as_ref(), Some(&left), "it reads back as written");
    let again = look(&media[..media_len], written);
    assert_eq!(again, Some(left), "the second look");
}

fn look(media: &[u8], index: Option<Index>) -> Option<Index> {
    let unknown = || IndexHeader {
        rendition: "0".into(),
        token: 1,
        init_len: 0,
        session: 0,
        first_msn: 1,
        start_us: 0,
        date_ms: 0,
        position_us: 0,
        first_ordinal: 0,
        starts_discontinuity: false,
    };
    let len = media.len() as u64;
    salvage(&mut Cursor::new(media), len, index, unknown).expect("memory is read without errors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_is_found_in_the_whole_corpus_and_its_mutations() {
        let spice = b"RCIXftypmoovmoofmdattrunmdhd\x00\x00\x00\x08\x01\xff";
        testkit::replay::replay("recording_chunk", spice, salvage_holds);
    }
}
