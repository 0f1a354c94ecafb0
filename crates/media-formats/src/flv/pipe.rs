//! The tags of an endless FLV that arrives in pieces, as a child process writes it.
//!
//! Stricter than the file reader: a process that writes one wrong byte is no longer trusted.

use bytes::{Buf, Bytes, BytesMut};

use super::file::{FileTag, TagKind};
use super::{FlvError, FlvError::Inconsistent};

/// Longest body of a tag; a longer one is an error at once, and is not waited for. As long as a message of a
/// publisher may be.
const MAX_BODY_BYTES: usize = 8 << 20;
/// Longest header of the whole; it has nine bytes unless somebody invents more.
const MAX_HEADER_BYTES: usize = 64;

/// Bytes of a header that says how long it is.
const SHORTEST_HEADER: usize = 9;
/// Bytes before a tag's body.
const TAG_HEADER: usize = 11;
/// Bytes of the number behind a tag, which says how long the tag was.
const BACK_POINTER: usize = 4;

/// Takes complete tags off the front of the input so far.
///
/// An incomplete tag stays where it is, at most [`PipeReader::MOST_BYTES`] of it as long as every complete tag
/// is taken.
#[derive(Debug)]
pub struct PipeReader {
    state: PipeState,
    most_body: usize,
}

impl Default for PipeReader {
    fn default() -> Self {
        Self::up_to(MAX_BODY_BYTES)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PipeState {
    #[default]
    BeforeHeader,
    BetweenTags,
    Broken(FlvError),
}

impl PipeReader {
    /// The longest tag there is, with everything around it.
    pub const MOST_BYTES: usize = TAG_HEADER + MAX_BODY_BYTES + BACK_POINTER;

    /// For tags whose bodies have at most this many bytes, within the general limit.
    pub fn up_to(body_bytes: usize) -> Self {
        Self {
            state: PipeState::default(),
            most_body: body_bytes.min(MAX_BODY_BYTES),
        }
    }

    /// The next complete tag, or `None` until more input arrives. Nothing is read after an error, which is repeated.
    ///
    /// # Errors
    /// If this is not FLV, or not as a correct program writes it.
    pub fn decode(&mut self, input: &mut BytesMut) -> Result<Option<FileTag>, FlvError> {
        if let PipeState::Broken(error) = self.state {
            return Err(error);
        }
        let tag = self.read(input);
        if let Err(error) = tag {
            self.state = PipeState::Broken(error);
        }
        tag
    }

    fn read(&mut self, input: &mut BytesMut) -> Result<Option<FileTag>, FlvError> {
        if self.state == PipeState::BeforeHeader {
            let Some(length) = header(input)? else {
                return Ok(None);
            };
            input.advance(length);
            self.state = PipeState::BetweenTags;
        }
        tag(input, self.most_body)
    }
}

/// The length of the header with the number after it, once all of it has arrived.
fn header(input: &[u8]) -> Result<Option<usize>, FlvError> {
    const MAGIC: &[u8] = b"FLV\x01";
    let seen = input.len().min(MAGIC.len());
    if input[..seen] != MAGIC[..seen] {
        return Err(FlvError::NotFlv);
    }
    let Some(mut length) = input.get(5..SHORTEST_HEADER) else {
        return Ok(None);
    };
    let length = length.get_u32() as usize;
    if !(SHORTEST_HEADER..=MAX_HEADER_BYTES).contains(&length) {
        return Err(FlvError::NotFlv);
    }
    let Some(mut pointer) = input.get(length..length + BACK_POINTER) else {
        return Ok(None);
    };
    if pointer.get_u32() != 0 {
        return Err(Inconsistent("the number behind the header"));
    }
    Ok(Some(length + BACK_POINTER))
}

fn tag(input: &mut BytesMut, most_body: usize) -> Result<Option<FileTag>, FlvError> {
    let Some(&[kind, s2, s1, s0, t2, t1, t0, t3, stream @ ..]) = input.first_chunk::<TAG_HEADER>()
    else {
        return Ok(None);
    };
    let size = u32::from_be_bytes([0, s2, s1, s0]) as usize;
    if size > most_body {
        return Err(FlvError::TooLong(size));
    }
    if stream != [0; 3] {
        return Err(Inconsistent("the stream of a tag"));
    }
    let kind = match kind {
        8 => TagKind::Audio,
        9 => TagKind::Video,
        18 => TagKind::Script,
        _ => return Err(Inconsistent("the kind of a tag")),
    };
    let length = TAG_HEADER + size;
    let Some(mut pointer) = input.get(length..length + BACK_POINTER) else {
        return Ok(None);
    };
    if pointer.get_u32() as usize != length {
        return Err(Inconsistent("the number behind a tag"));
    }
    let mut whole: Bytes = input.split_to(length).freeze();
    input.advance(BACK_POINTER);
    whole.advance(TAG_HEADER);
    Ok(Some(FileTag {
        kind,
        timestamp_ms: u32::from_be_bytes([t3, t2, t1, t0]),
        body: whole,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &[u8] = b"FLV\x01\x01\0\0\0\x09\0\0\0\0";

    fn written(tags: &[FileTag]) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for tag in tags {
            let kind = match tag.kind {
                TagKind::Audio => 8,
                TagKind::Video => 9,
                TagKind::Script => 18,
                TagKind::Other(other) => other,
            };
            let size = u32::try_from(tag.body.len()).unwrap();
            let time = tag.timestamp_ms.to_be_bytes();
            bytes.push(kind);
            bytes.extend(&size.to_be_bytes()[1..]);
            bytes.extend([time[1], time[2], time[3], time[0]]);
            bytes.extend([0; 3]);
            bytes.extend(&tag.body);
            bytes.extend((size + 11).to_be_bytes());
        }
        bytes
    }

    /// The result of reading `bytes` in pieces of these lengths, repeated, and the maximum number of bytes that waited.
    fn read(bytes: &[u8], pieces: &[usize]) -> (Vec<FileTag>, Option<FlvError>, usize) {
        let (mut reader, mut input) = (PipeReader::default(), BytesMut::new());
        let (mut tags, mut most, mut rest) = (Vec::new(), 0, bytes);
        for length in pieces.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, behind) = rest.split_at((*length).min(rest.len()));
            rest = behind;
            input.extend_from_slice(piece);
            loop {
                match reader.decode(&mut input) {
                    Ok(Some(tag)) => tags.push(tag),
                    Ok(None) => break,
                    Err(error) => return (tags, Some(error), most),
                }
            }
            most = most.max(input.len());
        }
        (tags, None, most)
    }

    fn whole(bytes: &[u8]) -> (Vec<FileTag>, Option<FlvError>) {
        let (tags, error, _) = read(bytes, &[bytes.len().max(1)]);
        (tags, error)
    }

    fn tag(kind: TagKind, timestamp_ms: u32, body: &'static [u8]) -> FileTag {
        FileTag {
            kind,
            timestamp_ms,
            body: Bytes::from_static(body),
        }
    }

    #[test]
    fn whoever_reads_may_allow_less() {
        let tag = FileTag {
            kind: TagKind::Video,
            timestamp_ms: 0,
            body: Bytes::from_static(&[0; 100]),
        };
        let bytes = written(&[tag]);
        let read = |most| {
            let mut input = BytesMut::from(&bytes[..]);
            PipeReader::up_to(most).decode(&mut input)
        };
        assert!(read(100).unwrap().is_some());
        assert_eq!(read(99), Err(FlvError::TooLong(100)));
    }

    #[test]
    fn gives_every_tag_once_and_waits_for_the_rest() {
        let tags = [
            tag(TagKind::Script, 0, b"s"),
            tag(TagKind::Video, 0x0102_0304, b"picture"),
            tag(TagKind::Audio, 23, b""),
        ];
        let bytes = written(&tags);
        assert_eq!(whole(&bytes), (tags.to_vec(), None));
        for cut in 0..bytes.len() {
            let (found, error) = whole(&bytes[..cut]);
            assert_eq!(error, None, "{cut}");
            assert!(found.len() < 3 && tags.starts_with(&found), "{cut}");
        }
    }

    #[test]
    fn believes_nothing_after_the_first_wrong_byte() {
        let good = written(&[tag(TagKind::Video, 1, b"picture")]);
        let spoilt = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            bytes.extend(&good[HEADER.len()..]);
            let (tags, error) = whole(&bytes);
            assert!(tags.is_empty());
            error
        };
        assert_eq!(spoilt(0, b'G'), Some(FlvError::NotFlv));
        assert_eq!(spoilt(3, 2), Some(FlvError::NotFlv));
        assert_eq!(spoilt(8, 8), Some(FlvError::NotFlv));
        assert_eq!(spoilt(8, 65), Some(FlvError::NotFlv));
        let last = good.len() - 1;
        for (at, byte) in [(12, 1), (13, 0x7e), (16, 3), (23, 1), (last, 0)] {
            let error = spoilt(at, byte);
            assert!(matches!(error, Some(Inconsistent(_))), "{at}: {error:?}");
        }
    }

    #[test]
    fn a_program_that_writes_something_else_is_noticed_with_its_first_byte() {
        assert_eq!(whole(b"R"), (Vec::new(), Some(FlvError::NotFlv)));
    }

    #[test]
    fn a_tag_that_is_announced_too_long_is_not_waited_for() {
        let mut bytes = HEADER.to_vec();
        bytes.extend(b"\x09\x80\0\x01\0\0\0\0\0\0\0");
        let (_, error) = whole(&bytes);
        assert_eq!(error, Some(FlvError::TooLong(MAX_BODY_BYTES + 1)));
    }

    #[test]
    fn an_error_is_repeated_whatever_comes_after_it() {
        let mut reader = PipeReader::default();
        let mut input = BytesMut::from(&b"no"[..]);
        assert_eq!(reader.decode(&mut input), Err(FlvError::NotFlv));
        let mut input = BytesMut::from(HEADER);
        assert_eq!(reader.decode(&mut input), Err(FlvError::NotFlv));
        assert_eq!(input, HEADER);
    }

    fn any_tag() -> impl Strategy<Value = FileTag> {
        let kind = prop::sample::select(vec![TagKind::Audio, TagKind::Video, TagKind::Script]);
        let body = prop::collection::vec(any::<u8>(), 0..300);
        (kind, any::<u32>(), body).prop_map(|(kind, timestamp_ms, body)| FileTag {
            kind,
            timestamp_ms,
            body: body.into(),
        })
    }

    proptest! {
        #[test]
        fn the_same_tags_come_out_however_the_bytes_are_cut(
            tags in prop::collection::vec(any_tag(), 0..20),
            pieces in prop::collection::vec(1..200usize, 1..10),
        ) {
            let (found, error, most) = read(&written(&tags), &pieces);
            prop_assert_eq!(found, tags);
            prop_assert_eq!(error, None);
            prop_assert!(most < 11 + 300 + 4, "{} bytes waited", most);
        }

        #[test]
        fn any_bytes_end_the_same_way_however_they_are_cut(
            garbage in prop::collection::vec(any::<u8>(), 0..600),
            tags in prop::collection::vec(any_tag(), 0..3),
            pieces in prop::collection::vec(1..90usize, 1..6),
        ) {
            let mut bytes = written(&tags);
            bytes.extend(garbage);
            let (found, error, _) = read(&bytes, &pieces);
            prop_assert!(found.starts_with(&tags));
            prop_assert_eq!((found, error), whole(&bytes));
        }
    }
}
