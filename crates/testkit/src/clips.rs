//! The committed clips, and a publisher that sends them.
//!
//! They are read by code of its own, as in [`crate::rtmp`]: what feeds the server's parsers must not share their bugs. It
//! trusts the files, because we have made them.

use std::io;
use std::path::{Path, PathBuf};

use hyper::body::Bytes;

use crate::rtmp::RtmpClient;

/// Clips with the codecs of Enhanced RTMP, and those that the end-to-end tests use, too.
const FOLDERS: [&str; 2] = ["../media/tests/clips", "../../e2e/clips"];

/// The header of the file and the size of the tag before the first, which is zero.
const FILE_HEADER: usize = 9 + 4;
const TAG_HEADER: usize = 11;
/// Behind each tag its size is repeated.
const TRAILER: usize = 4;

/// One tag of an FLV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipTag {
    /// [`ClipTag::AUDIO`], [`ClipTag::VIDEO`], or something else.
    pub kind: u8,
    pub timestamp_ms: u32,
    pub body: Bytes,
}

impl ClipTag {
    pub const AUDIO: u8 = 8;
    pub const VIDEO: u8 = 9;
}

/// The file of the clip with this name.
///
/// # Panics
/// If there is none.
pub fn clip(name: &str) -> Bytes {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = FOLDERS.map(|folder| here.join(folder).join(format!("{name}.flv")));
    let is_there = |place: &&PathBuf| place.is_file();
    let place = places.iter().find(is_there);
    let place = place.unwrap_or_else(|| panic!("no clip is called {name}: {places:?}"));
    let file = std::fs::read(place);
    Bytes::from(file.unwrap_or_else(|error| panic!("{}: {error}", place.display())))
}

/// The tags of an FLV file that is well formed.
///
/// # Panics
/// If it is not.
pub fn tags(file: &Bytes) -> Vec<ClipTag> {
    let mut tags = Vec::new();
    let mut rest = file.slice(FILE_HEADER..);
    while !rest.is_empty() {
        let header = rest.split_to(TAG_HEADER);
        let length = u32::from_be_bytes([0, header[1], header[2], header[3]]);
        tags.push(ClipTag {
            kind: header[0],
            // The highest of its bytes is the last.
            timestamp_ms: u32::from_be_bytes([header[7], header[4], header[5], header[6]]),
            body: rest.split_to(length as usize),
        });
        let _ = rest.split_to(TRAILER);
    }
    tags
}

impl RtmpClient {
    /// Sends the picture and the sound of a clip as fast as possible, with its timestamps moved by `offset_ms`.
    pub async fn send_clip(&mut self, name: &str, offset_ms: u32) -> io::Result<()> {
        self.send_clip_until(name, offset_ms, u32::MAX).await
    }

    /// As [`RtmpClient::send_clip`], but only the frames before `end_ms` of the clip.
    pub async fn send_clip_until(
        &mut self,
        name: &str,
        offset_ms: u32,
        end_ms: u32,
    ) -> io::Result<()> {
        for tag in tags(&clip(name)) {
            if tag.timestamp_ms >= end_ms {
                break;
            }
            let stamp = tag.timestamp_ms + offset_ms;
            match tag.kind {
                ClipTag::VIDEO => self.video(stamp, &tag.body).await?,
                ClipTag::AUDIO => self.audio(stamp, &tag.body).await?,
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_read_with_all_four_bytes_of_its_time() {
        let file = b"FLV\x01\x05\0\0\0\x09\0\0\0\0\
            \x09\0\0\x02\x34\x56\x78\x12\0\0\0ab\0\0\0\x0d\
            \x08\0\0\0\0\0\x01\0\0\0\0\0\0\0\x0b";
        let tag = |kind, timestamp_ms, body: &'static [u8]| ClipTag {
            kind,
            timestamp_ms,
            body: Bytes::from_static(body),
        };
        let expected = [
            tag(ClipTag::VIDEO, 0x1234_5678, b"ab"),
            tag(ClipTag::AUDIO, 1, b""),
        ];
        assert_eq!(tags(&Bytes::from_static(file)), expected);
    }

    #[test]
    fn clips_of_both_folders_are_found() {
        for name in ["plain", "hevc-opus"] {
            let tags = tags(&clip(name));
            for kind in [ClipTag::VIDEO, ClipTag::AUDIO] {
                assert!(tags.iter().any(|tag| tag.kind == kind), "{name}");
            }
        }
    }
}
