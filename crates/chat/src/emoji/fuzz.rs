//! The body of the picture fuzz target, shared with the replay test on stable.

use std::io::Cursor;

use image::{AnimationDecoder, GenericImageView};

use super::container::{self, PictureFormat};
use super::limits::MAX_FRAMES;
use super::picture;
use super::scan::MAX_FILE_BYTES;

/// Longest side a kept picture may have, said once more so that the promise cannot move unnoticed.
const LONGEST_KEPT_SIDE: u32 = 256;

/// Treats `data` as an upload. If accepted, the result has to be a small PNG or GIF with nothing else in it.
///
/// # Panics
/// If it is not.
pub fn fuzz_picture(data: &[u8]) {
    let Ok(remade) = picture::reencode(data) else {
        return;
    };
    assert!(container::sniff(data).is_some(), "no picture was accepted");
    assert!(remade.bytes.len() <= MAX_FILE_BYTES, "too large to be kept");
    assert!(
        !container::has_stowaway(&remade.bytes),
        "something came along"
    );
    let expected = match remade.ending {
        "png" => PictureFormat::Png,
        "gif" => PictureFormat::Gif,
        other => panic!("the ending is {other}"),
    };
    assert_eq!(container::sniff(&remade.bytes), Some(expected));
    let again = image::load_from_memory(&remade.bytes).expect("what we write can be read");
    let (width, height) = again.dimensions();
    assert!((1..=LONGEST_KEPT_SIDE).contains(&width.max(height)));
    if expected == PictureFormat::Gif {
        let decoder = image::codecs::gif::GifDecoder::new(Cursor::new(&remade.bytes));
        let frames = decoder.expect("what we write can be read").into_frames();
        assert!((2..=MAX_FRAMES).contains(&frames.count()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_hold_on_the_whole_corpus_and_its_mutations() {
        let spice = b"\x00\x01\xff\xd8\xd9\xda\xc2\x21\x2c\x3b<PKRIFFVP8 LXIDAT";
        testkit::replay::replay("emoji_picture", spice, fuzz_picture);
    }
}
