//! Re-encodes uploaded pictures: decoded within a budget, scaled down, written anew.
//!
//! Still pictures become PNG, animations GIF. Nothing of the uploaded bytes is kept: no metadata, no trailing data,
//! no polyglot content. This takes up to some seconds of CPU time and belongs off the runtime.

mod animation;

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::{PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{AnimationDecoder, DynamicImage, ImageDecoder, ImageError, Limits, RgbaImage};

use super::container::{self, PictureFormat};
use super::limits::{
    MAX_ANIMATED_SIDE, MAX_DECODED_BYTES, MAX_KEPT_SIDE, MAX_PICTURE_SIDE, MAX_UPLOAD_BYTES,
    PictureError,
};

/// What a pixel of a progressive JPEG costs while it is decoded: three bytes of output, twice that of coefficients.
const PROGRESSIVE_PIXEL_BYTES: u64 = 9;
/// What a pixel of a WebP picture costs while it is decoded, with its planes and its alpha in between; measured.
const WEBP_PIXEL_BYTES: u64 = 11;

#[derive(Debug)]
pub(super) struct EncodedPicture {
    pub(super) bytes: Vec<u8>,
    pub(super) ending: &'static str,
}

/// Decodes an upload and re-encodes it.
pub(super) fn reencode(bytes: &[u8]) -> Result<EncodedPicture, PictureError> {
    if bytes.is_empty() {
        return Err(PictureError::Empty);
    }
    if bytes.len() > MAX_UPLOAD_BYTES {
        return Err(PictureError::Heavy);
    }
    let format = match container::sniff(bytes) {
        Some(format) => format,
        None if container::is_markup(bytes) => return Err(PictureError::Document),
        None => return Err(PictureError::UnknownFormat),
    };
    if container::has_stowaway(bytes) {
        return Err(PictureError::Stowaway);
    }
    match format {
        PictureFormat::Png => {
            let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits());
            still(decoder.map_err(|error| refusal(&error, png_size(bytes)))?)
        }
        PictureFormat::Jpeg => jpeg(bytes),
        PictureFormat::Gif => gif(bytes),
        PictureFormat::WebP => webp(container::checked_webp(bytes)?),
    }
}

fn jpeg(bytes: &[u8]) -> Result<EncodedPicture, PictureError> {
    if !container::is_complete_jpeg(bytes) {
        return Err(PictureError::Damaged);
    }
    let decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(|_| PictureError::Damaged)?;
    if container::is_progressive_jpeg(bytes) {
        check_cost(decoder.dimensions(), PROGRESSIVE_PIXEL_BYTES)?;
    }
    still(decoder)
}

fn gif(bytes: &[u8]) -> Result<EncodedPicture, PictureError> {
    let decoder = || {
        let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(|_| PictureError::Damaged)?;
        check_animated(decoder.dimensions())?;
        decoder
            .set_limits(limits())
            .map_err(|_| PictureError::Damaged)?;
        Ok(decoder.into_frames())
    };
    animation::reencode(decoder)
}

fn webp(bytes: &[u8]) -> Result<EncodedPicture, PictureError> {
    let open = || WebPDecoder::new(Cursor::new(bytes)).map_err(|_| PictureError::Damaged);
    let decoder = open()?;
    if !decoder.has_animation() {
        check_cost(decoder.dimensions(), WEBP_PIXEL_BYTES)?;
        return still(decoder);
    }
    check_animated(decoder.dimensions())?;
    animation::reencode(|| Ok(open()?.into_frames()))
}

fn still(mut decoder: impl ImageDecoder) -> Result<EncodedPicture, PictureError> {
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(PictureError::Damaged);
    }
    if width.max(height) > MAX_PICTURE_SIDE || decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(PictureError::TooManyPixels { width, height });
    }
    let size = Some((width, height));
    decoder
        .set_limits(limits())
        .map_err(|error| refusal(&error, size))?;
    // Cameras record their rotation here; without it a picture is upright.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| refusal(&error, size))?;
    let mut picture = DynamicImage::from(shrink(picture, MAX_KEPT_SIDE));
    picture.apply_orientation(orientation);
    EncodedPicture::png(&picture.into_rgba8())
}

impl EncodedPicture {
    fn png(picture: &RgbaImage) -> Result<Self, PictureError> {
        let mut bytes = Vec::new();
        picture
            .write_with_encoder(PngEncoder::new(&mut bytes))
            .map_err(|_| PictureError::Damaged)?;
        Ok(Self {
            bytes,
            ending: "png",
        })
    }
}

/// Scales down to `side` pixels on the longer side. Large pictures are halved roughly first, which is much faster.
fn shrink(mut picture: DynamicImage, side: u32) -> RgbaImage {
    let longest = picture.width().max(picture.height());
    if longest <= side {
        return picture.into_rgba8();
    }
    if longest > 4 * side {
        fade(&mut picture);
        picture = picture.thumbnail(2 * side, 2 * side);
        unfade(&mut picture);
    }
    let mut picture = DynamicImage::from(picture.into_rgba8());
    fade(&mut picture);
    picture = picture.resize(side, side, FilterType::CatmullRom);
    unfade(&mut picture);
    picture.into_rgba8()
}

/// Multiplies colours by their opacity, so that invisible pixels do not bleed into the edges. Layouts other than
/// the usual one are rare, and look only slightly worse without this.
fn fade(picture: &mut DynamicImage) {
    let DynamicImage::ImageRgba8(pixels) = picture else {
        return;
    };
    for pixel in pixels.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let by_alpha = |colour: u8| {
            let product = u16::from(colour) * u16::from(alpha);
            u8::try_from((product + 127) / 255).unwrap_or(u8::MAX)
        };
        pixel.0 = [by_alpha(red), by_alpha(green), by_alpha(blue), alpha];
    }
}

fn unfade(picture: &mut DynamicImage) {
    let DynamicImage::ImageRgba8(pixels) = picture else {
        return;
    };
    for pixel in pixels.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let without_alpha = |colour: u8| {
            let product = u16::from(colour) * 255 / u16::from(alpha.max(1));
            u8::try_from(product).unwrap_or(u8::MAX)
        };
        pixel.0 = [
            without_alpha(red),
            without_alpha(green),
            without_alpha(blue),
            alpha,
        ];
    }
}

/// Checks the memory cost for decoders that need more than their output and do not count it.
fn check_cost((width, height): (u32, u32), pixel_bytes: u64) -> Result<(), PictureError> {
    let cost = u64::from(width) * u64::from(height) * pixel_bytes;
    if cost > MAX_DECODED_BYTES {
        return Err(PictureError::TooManyPixels { width, height });
    }
    Ok(())
}

fn check_animated((width, height): (u32, u32)) -> Result<(), PictureError> {
    if width == 0 || height == 0 {
        return Err(PictureError::Damaged);
    }
    if width.max(height) > MAX_ANIMATED_SIDE {
        return Err(PictureError::LargeAnimation { width, height });
    }
    Ok(())
}

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_PICTURE_SIDE);
    limits.max_image_height = Some(MAX_PICTURE_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits
}

fn refusal(error: &ImageError, size: Option<(u32, u32)>) -> PictureError {
    match (error, size) {
        (ImageError::Limits(_), Some((width, height))) => {
            PictureError::TooManyPixels { width, height }
        }
        _ => PictureError::Damaged,
    }
}

/// The size in a PNG's first chunk, used only for the error message.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |at: usize| {
        let four = bytes.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_be_bytes(*four))
    };
    Some((side(16)?, side(20)?))
}

#[cfg(test)]
mod tests;
