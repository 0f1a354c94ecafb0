//! The placeholder for a live stream without thumbnails: the logo on a dark backdrop, in the shape of a video.

use std::io::Cursor;
use std::sync::Arc;

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageError, ImageReader, Limits, Rgb, RgbImage};
use tokio::sync::Mutex;

use super::pictures::CachedPicture;

/// Size of the picture, as large as previews of links are shown at most.
const SIZE: (u32, u32) = (1280, 720);
/// The logo fills at most this many pixels in both directions.
const LOGO_PIXELS: u32 = 360;
/// Largest width and height of a logo that is drawn; one that is larger is shown by itself.
const MAX_LOGO_SIDE: u32 = 8192;
/// Memory for reading a logo; one that needs more is shown by itself.
const MAX_LOGO_MEMORY: u64 = 64 << 20;
/// Of a hundred; the backdrop is smooth, so a little more shows nothing.
const QUALITY: u8 = 85;
/// The backdrop in its middle and at its edges.
const MIDDLE: [f32; 3] = [46.0, 49.0, 66.0];
const EDGE: [f32; 3] = [16.0, 17.0, 24.0];

/// The last placeholder, and the logo it was drawn for.
type CachedPlaceholder = Option<(String, Arc<CachedPicture>)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Placeholder(Arc<Mutex<CachedPlaceholder>>);

impl Placeholder {
    /// The placeholder with this logo, or the logo alone if it cannot be decoded. Concurrent requests wait for the same
    /// drawing, which is finished even if the first requester has left.
    pub(crate) async fn with(&self, logo: &Arc<CachedPicture>) -> Arc<CachedPicture> {
        if let Some(picture) = cached_for(&*self.0.lock().await, logo) {
            return picture;
        }
        let drawing = tokio::spawn(self.clone().draw(Arc::clone(logo))).await;
        // The server is stopping.
        drawing.unwrap_or_else(|_| Arc::clone(logo))
    }

    async fn draw(self, logo: Arc<CachedPicture>) -> Arc<CachedPicture> {
        let mut cached = self.0.lock().await;
        if let Some(picture) = cached_for(&cached, &logo) {
            return picture;
        }
        let bytes = logo.bytes().clone();
        let drawn =
            tokio::task::spawn_blocking(move || draw(&bytes).map_err(|error| error.to_string()));
        let picture = match drawn.await.unwrap_or_else(|panic| Err(panic.to_string())) {
            Ok(jpeg) => Arc::new(CachedPicture::new("image/jpeg".into(), Bytes::from(jpeg))),
            Err(error) => {
                tracing::warn!("the logo cannot be drawn and is shown as it is: {error}");
                Arc::clone(&logo)
            }
        };
        *cached = Some((logo.etag().to_owned(), Arc::clone(&picture)));
        picture
    }
}

fn cached_for(cached: &CachedPlaceholder, logo: &CachedPicture) -> Option<Arc<CachedPicture>> {
    let (_, picture) = cached.as_ref().filter(|(etag, _)| etag == logo.etag())?;
    Some(Arc::clone(picture))
}

/// Decodes a logo within limits.
pub(super) fn read_logo(logo: &[u8]) -> Result<DynamicImage, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(logo)).with_guessed_format()?;
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_LOGO_SIDE);
    limits.max_image_height = Some(MAX_LOGO_SIDE);
    limits.max_alloc = Some(MAX_LOGO_MEMORY);
    reader.limits(limits);
    reader.decode()
}

fn draw(logo: &[u8]) -> Result<Vec<u8>, ImageError> {
    let logo = read_logo(logo)?
        .resize(LOGO_PIXELS, LOGO_PIXELS, FilterType::Lanczos3)
        .into_rgba8();
    let (width, height) = SIZE;
    let mut canvas =
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, backdrop)).into_rgba8();
    let left = i64::from(width.saturating_sub(logo.width()) / 2);
    let top = i64::from(height.saturating_sub(logo.height()) / 2);
    imageops::overlay(&mut canvas, &logo, left, top);
    let mut jpeg = Vec::new();
    let picture = DynamicImage::ImageRgba8(canvas).into_rgb8();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, QUALITY))?;
    Ok(jpeg)
}

/// Light in the middle, darker towards the corners.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places on the canvas and shades of a colour are small and positive"
)]
fn backdrop(x: u32, y: u32) -> Rgb<u8> {
    let (width, height) = (SIZE.0 as f32, SIZE.1 as f32);
    let across = x as f32 / width * 2.0 - 1.0;
    let down = y as f32 / height * 2.0 - 1.0;
    let distance = (across.hypot(down) / 2.0_f32.sqrt()).min(1.0);
    let shade = |middle: f32, edge: f32| (middle + (edge - middle) * distance).round() as u8;
    Rgb([0, 1, 2].map(|part| shade(MIDDLE[part], EDGE[part])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logo(width: u32, height: u32) -> Vec<u8> {
        let mut png = Cursor::new(Vec::new());
        let red = RgbImage::from_pixel(width, height, Rgb([255, 0, 0]));
        red.write_to(&mut png, image::ImageFormat::Png).unwrap();
        png.into_inner()
    }

    #[test]
    fn the_logo_stands_in_the_middle_of_a_picture_with_the_shape_of_a_video() {
        for (width, height) in [(32, 32), (600, 150), (40, 900)] {
            let drawn = image::load_from_memory(&draw(&logo(width, height)).unwrap()).unwrap();
            let drawn = drawn.into_rgb8();
            assert_eq!(drawn.dimensions(), SIZE);
            let middle = drawn.get_pixel(SIZE.0 / 2, SIZE.1 / 2);
            assert!(middle[0] > 200 && middle[1] < 60, "{middle:?}");
            let corner = drawn.get_pixel(3, 3);
            assert!(corner.0.iter().all(|part| *part < 40), "{corner:?}");
        }
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_not_drawn() {
        assert!(draw(b"GIF89a and then nonsense").is_err());
        assert!(draw(&logo(MAX_LOGO_SIDE + 1, 1)).is_err());
    }

    #[tokio::test]
    async fn one_logo_is_drawn_once_and_one_that_cannot_be_is_shown_as_it_is() {
        let placeholder = Placeholder::default();
        let good = Arc::new(CachedPicture::new("image/png".into(), logo(8, 8).into()));
        let first = placeholder.with(&good).await;
        assert_eq!(first.content_type, "image/jpeg");
        assert!(Arc::ptr_eq(&first, &placeholder.with(&good).await));
        let bad = Arc::new(CachedPicture::new(
            "image/png".into(),
            Bytes::from_static(b"no"),
        ));
        assert!(Arc::ptr_eq(&bad, &placeholder.with(&bad).await));
        assert!(Arc::ptr_eq(&bad, &placeholder.with(&bad).await));
    }
}
