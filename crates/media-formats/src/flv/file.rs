//! The tags of an FLV file that is already in memory.

use bytes::{Buf, Bytes};

use super::FlvError;

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// A body for [`super::audio`].
    Audio,
    /// A body for [`super::video`].
    Video,
    /// A body for [`super::metadata`].
    Script,
    /// An unknown kind; its body is returned all the same.
    Other(u8),
}

/// One tag of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTag {
    /// What the body is.
    pub kind: TagKind,
    /// Decoding time; wraps after 49.7 days.
    pub timestamp_ms: u32,
    /// The body, a slice of the file.
    pub body: Bytes,
}

/// Iterates over a file, tag by tag. A damaged tag is the last item.
#[derive(Clone, Debug)]
pub struct FileReader {
    rest: Bytes,
}

impl FileReader {
    /// Checks the file's header; the first tag is next.
    pub fn new(mut file: Bytes) -> Result<Self, FlvError> {
        const HEADER_BYTES: usize = 9;
        const BACK_POINTER_BYTES: usize = 4;
        if !file.starts_with(b"FLV\x01") {
            return Err(FlvError::NotFlv);
        }
        let offset = file
            .get(5..HEADER_BYTES)
            .map(|mut bytes| bytes.get_u32() as usize)
            .ok_or(FlvError::Truncated("file header"))?;
        let start = offset.max(HEADER_BYTES).saturating_add(BACK_POINTER_BYTES);
        if file.len() < start {
            return Err(FlvError::Truncated("file header"));
        }
        file.advance(start);
        Ok(Self { rest: file })
    }

    fn read_tag(&mut self) -> Result<FileTag, FlvError> {
        const SHORT: FlvError = FlvError::Truncated("tag");
        let kind = self.rest.try_get_u8().map_err(|_| SHORT)?;
        let size = self.read_u24()?;
        let low = self.read_u24()?;
        let high = self.rest.try_get_u8().map_err(|_| SHORT)?;
        self.read_u24()?;
        let size = size as usize;
        if self.rest.len() < size {
            return Err(SHORT);
        }
        let body = self.rest.split_to(size);
        // Interrupted recordings lack the back pointer after the last tag.
        self.rest.advance(self.rest.len().min(4));
        Ok(FileTag {
            kind: match kind & 0x1f {
                8 => TagKind::Audio,
                9 => TagKind::Video,
                18 => TagKind::Script,
                other => TagKind::Other(other),
            },
            timestamp_ms: u32::from(high) << 24 | low,
            body,
        })
    }

    fn read_u24(&mut self) -> Result<u32, FlvError> {
        if self.rest.len() < 3 {
            return Err(FlvError::Truncated("tag"));
        }
        let high = u32::from(self.rest.get_u8());
        Ok(high << 16 | u32::from(self.rest.get_u16()))
    }
}

impl Iterator for FileReader {
    type Item = Result<FileTag, FlvError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let tag = self.read_tag();
        if tag.is_err() {
            self.rest = Bytes::new();
        }
        Some(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"FLV\x01\x05\0\0\0\x09\0\0\0\0\
        \x12\0\0\x01\0\0\0\0\0\0\0s\0\0\0\x0c\
        \x09\0\0\x02\x02\x03\x04\x01\0\0\0vv\0\0\0\x0d\
        \x08\0\0\0\0\0\x17\0\0\0\0\0\0\0\x0b";

    fn read(file: &'static [u8]) -> Vec<Result<FileTag, FlvError>> {
        FileReader::new(Bytes::from_static(file)).unwrap().collect()
    }

    fn tag(kind: TagKind, timestamp_ms: u32, body: &'static [u8]) -> Result<FileTag, FlvError> {
        Ok(FileTag {
            kind,
            timestamp_ms,
            body: Bytes::from_static(body),
        })
    }

    #[test]
    fn walks_through_the_tags_of_a_file() {
        let expected = [
            tag(TagKind::Script, 0, b"s"),
            tag(TagKind::Video, 0x0102_0304, b"vv"),
            tag(TagKind::Audio, 23, b""),
        ];
        assert_eq!(read(FILE), expected);
    }

    #[test]
    fn reads_a_file_that_lost_its_last_back_pointer() {
        assert_eq!(read(&FILE[..FILE.len() - 3]).len(), 3);
    }

    #[test]
    fn ends_with_an_error_where_a_tag_is_cut() {
        let tags = read(&FILE[..35]);
        assert_eq!(tags.len(), 2);
        assert_eq!(tags[1], Err(FlvError::Truncated("tag")));
    }

    #[test]
    fn refuses_what_is_no_flv_file() {
        let open = |bytes: &'static [u8]| FileReader::new(Bytes::from_static(bytes)).err();
        assert_eq!(open(b"RIFF"), Some(FlvError::NotFlv));
        assert_eq!(
            open(b"FLV\x01\x05\0"),
            Some(FlvError::Truncated("file header"))
        );
        assert_eq!(
            open(b"FLV\x01\x05\xff\xff\xff\xff\0\0\0\0"),
            Some(FlvError::Truncated("file header"))
        );
    }
}
