//! Animations: streamed frame by frame from the decoder to the encoder, so that only one frame is in memory.

use std::io::{self, Write};
use std::time::Duration;

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, DynamicImage, Frame, Frames, RgbaImage};

use super::{EncodedPicture, shrink};
use crate::emoji::limits::{MAX_FRAMES, MAX_KEPT_SIDE, PictureError};
use crate::emoji::scan::MAX_FILE_BYTES;

/// Tried one after the other until the animation fits into a file of the store.
const SIDES: [u32; 3] = [MAX_KEPT_SIDE, MAX_KEPT_SIDE / 2, MAX_KEPT_SIDE / 4];
/// How the encoder weighs speed (30) against colours (1); its authors' own suggestion.
const ENCODER_SPEED: i32 = 10;
/// Shortest time a frame is shown; browsers show shorter ones for longer than this.
const SHORTEST_DELAY: Duration = Duration::from_millis(20);
/// Longest time a frame is shown; a longer one is shortened to it.
const LONGEST_DELAY: Duration = Duration::from_secs(10);
/// Pixels less opaque than this vanish, the others become solid: GIF knows nothing between.
const OPAQUE_FROM: u8 = 128;

/// Writes the frames as GIF, or as PNG if there is only one.
pub(super) fn reencode<'a>(
    open: impl Fn() -> Result<Frames<'a>, PictureError>,
) -> Result<EncodedPicture, PictureError> {
    remake_within(MAX_FILE_BYTES, open)
}

pub(super) fn remake_within<'a>(
    limit: usize,
    open: impl Fn() -> Result<Frames<'a>, PictureError>,
) -> Result<EncodedPicture, PictureError> {
    for side in SIDES {
        match encode(open()?, side, limit) {
            Err(PictureError::HeavyAnimation) => {}
            outcome => return outcome,
        }
    }
    Err(PictureError::HeavyAnimation)
}

fn encode(mut frames: Frames<'_>, side: u32, limit: usize) -> Result<EncodedPicture, PictureError> {
    let first = next(&mut frames)?.ok_or(PictureError::Damaged)?;
    let Some(second) = next(&mut frames)? else {
        let picture = DynamicImage::from(first.into_buffer());
        return EncodedPicture::png(&shrink(picture, side));
    };
    let mut file = LimitedWriter::new(limit);
    let mut encoder = GifEncoder::new_with_speed(&mut file, ENCODER_SPEED);
    encoder
        .set_repeat(Repeat::Infinite)
        .map_err(|_| PictureError::Damaged)?;
    let mut upcoming = [Some(second), Some(first)];
    for count in 1.. {
        let waiting = upcoming.iter_mut().rev().find_map(Option::take);
        let frame = match waiting {
            Some(frame) => frame,
            None => match next(&mut frames)? {
                Some(frame) => frame,
                None => break,
            },
        };
        if count > MAX_FRAMES {
            return Err(PictureError::TooManyFrames);
        }
        // Writing to memory fails for one reason only: the size limit.
        encoder
            .encode_frame(reframe(frame, side))
            .map_err(|_| PictureError::HeavyAnimation)?;
    }
    drop(encoder);
    if file.is_full {
        return Err(PictureError::HeavyAnimation);
    }
    Ok(EncodedPicture {
        bytes: file.bytes,
        ending: "gif",
    })
}

fn next(frames: &mut Frames<'_>) -> Result<Option<Frame>, PictureError> {
    frames.next().transpose().map_err(|_| PictureError::Damaged)
}

fn reframe(frame: Frame, side: u32) -> Frame {
    let delay = Duration::from(frame.delay()).clamp(SHORTEST_DELAY, LONGEST_DELAY);
    let mut picture = shrink(DynamicImage::from(frame.into_buffer()), side);
    harden(&mut picture);
    Frame::from_parts(picture, 0, 0, Delay::from_saturating_duration(delay))
}

fn harden(picture: &mut RgbaImage) {
    for pixel in picture.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        pixel.0 = if alpha < OPAQUE_FROM {
            [0; 4]
        } else {
            [red, green, blue, u8::MAX]
        };
    }
}

/// A writer that fails beyond the store's file size limit, so that no time is spent on the rest.
#[derive(Debug)]
struct LimitedWriter {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl LimitedWriter {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
            is_full: false,
        }
    }
}

impl Write for LimitedWriter {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.limit {
            self.is_full = true;
            return Err(io::Error::other("the animation is too large"));
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
