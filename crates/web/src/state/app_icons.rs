//! Icons of the installed page, drawn from the logo: square PNG files in the sizes that systems ask for.

use std::io::Cursor;
use std::sync::Arc;

use bytes::Bytes;
use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageError, ImageFormat, Rgba, RgbaImage};
use tokio::sync::Mutex;

use super::pictures::CachedPicture;
use super::placeholder::read_logo;

/// Systems cut up to a tenth off each side of a maskable icon, and its corners.
const MASKABLE_SHARE: f32 = 0.72;
/// Room around a logo on a home screen that rounds corners.
const TOUCH_SHARE: f32 = 0.84;
/// Behind a light logo with transparent parts, and behind a dark one.
const DARK: Rgba<u8> = Rgba([13, 59, 67, 255]);
const LIGHT: Rgba<u8> = Rgba([243, 247, 246, 255]);

/// A larger logo is made smaller before anything else, so that drawing needs little memory.
const WORKING_SIDE: u32 = 1024;

/// The icons of one logo.
#[derive(Debug)]
pub(crate) struct IconSet {
    pub(crate) small: CachedPicture,
    pub(crate) large: CachedPicture,
    /// Systems may cut it into their own shape.
    pub(crate) maskable: CachedPicture,
    /// For home screens that know no transparency.
    pub(crate) touch: CachedPicture,
}

/// The last icons, and the logo they were drawn from; nothing if neither it nor the built-in one can be decoded.
type CachedIcons = Option<(String, Option<Arc<IconSet>>)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct AppIcons(Arc<Mutex<CachedIcons>>);

impl AppIcons {
    /// The icons of this logo, or of `instead` if it cannot be decoded. Concurrent requests wait for the same drawing,
    /// which is finished even if the first requester has left.
    pub(crate) async fn of(
        &self,
        logo: &Arc<CachedPicture>,
        instead: Option<Bytes>,
    ) -> Option<Arc<IconSet>> {
        if let Some(icons) = cached_for(&*self.0.lock().await, logo) {
            return icons;
        }
        let drawing = tokio::spawn(self.clone().draw(Arc::clone(logo), instead)).await;
        // An error means that the server is stopping.
        drawing.unwrap_or_default()
    }

    async fn draw(self, logo: Arc<CachedPicture>, instead: Option<Bytes>) -> Option<Arc<IconSet>> {
        let mut cached = self.0.lock().await;
        if let Some(icons) = cached_for(&cached, &logo) {
            return icons;
        }
        let bytes = logo.bytes().clone();
        let drawing = tokio::task::spawn_blocking(move || {
            let drawn = draw_all(&bytes).ok();
            drawn.or_else(|| instead.and_then(|other| draw_all(&other).ok()))
        });
        let icons = drawing.await.unwrap_or_default().map(Arc::new);
        *cached = Some((logo.etag().to_owned(), icons.clone()));
        icons
    }
}

fn cached_for(cached: &CachedIcons, logo: &CachedPicture) -> Option<Option<Arc<IconSet>>> {
    let (_, icons) = cached.as_ref().filter(|(etag, _)| etag == logo.etag())?;
    Some(icons.clone())
}

fn draw_all(logo: &[u8]) -> Result<IconSet, ImageError> {
    let logo = read_logo(logo)?;
    let is_large = logo.width().max(logo.height()) > WORKING_SIDE;
    let logo = match is_large {
        true => logo.thumbnail(WORKING_SIDE, WORKING_SIDE),
        false => logo,
    };
    let logo = logo.into_rgba8();
    let clear = Rgba([0, 0, 0, 0]);
    let behind = background(&logo);
    let logo = DynamicImage::ImageRgba8(logo);
    Ok(IconSet {
        small: icon(&logo, 192, 1.0, clear)?,
        large: icon(&logo, 512, 1.0, clear)?,
        maskable: icon(&logo, 512, MASKABLE_SHARE, behind)?,
        touch: icon(&logo, 180, TOUCH_SHARE, behind)?,
    })
}

/// The whole logo in the middle of a square.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides of icons are small and positive"
)]
fn icon(
    logo: &DynamicImage,
    side: u32,
    share: f32,
    behind: Rgba<u8>,
) -> Result<CachedPicture, ImageError> {
    let inner = (side as f32 * share).round() as u32;
    let logo = logo.resize(inner, inner, FilterType::Lanczos3).into_rgba8();
    let mut canvas = RgbaImage::from_pixel(side, side, behind);
    let left = i64::from(side.saturating_sub(logo.width()) / 2);
    let top = i64::from(side.saturating_sub(logo.height()) / 2);
    imageops::overlay(&mut canvas, &logo, left, top);
    let mut png = Cursor::new(Vec::new());
    canvas.write_to(&mut png, ImageFormat::Png)?;
    let bytes = Bytes::from(png.into_inner());
    Ok(CachedPicture::new("image/png".into(), bytes))
}

/// The logo's own colour if it fills its corners, else one that it stands out from.
fn background(logo: &RgbaImage) -> Rgba<u8> {
    let (right, bottom) = (
        logo.width().saturating_sub(1),
        logo.height().saturating_sub(1),
    );
    let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)];
    if corners.iter().all(|&(x, y)| logo.get_pixel(x, y)[3] == 255) {
        return *logo.get_pixel(0, 0);
    }
    let (mut light, mut weight) = (0_u64, 0_u64);
    for pixel in logo.pixels() {
        let [red, green, blue, alpha] = pixel.0.map(u64::from);
        light += (red * 2 + green * 5 + blue) / 8 * alpha;
        weight += alpha;
    }
    match light > weight * 128 {
        true => DARK,
        false => LIGHT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> Rgba<u8>) -> Vec<u8> {
        let mut png = Cursor::new(Vec::new());
        let picture = RgbaImage::from_fn(width, height, pixel);
        picture.write_to(&mut png, ImageFormat::Png).unwrap();
        png.into_inner()
    }

    fn decoded(icon: &CachedPicture) -> RgbaImage {
        assert_eq!(icon.content_type, "image/png");
        let picture = image::load_from_memory(icon.bytes()).unwrap();
        picture.into_rgba8()
    }

    #[test]
    fn icons_are_square_and_show_the_whole_logo() {
        let red = Rgba([255, 0, 0, 255]);
        for (width, height) in [(32, 32), (600, 150), (40, 900), (3000, 750)] {
            let icons = draw_all(&png(width, height, |_, _| red)).unwrap();
            let all = [
                (&icons.small, 192),
                (&icons.large, 512),
                (&icons.maskable, 512),
                (&icons.touch, 180),
            ];
            for (icon, side) in all {
                let icon = decoded(icon);
                assert_eq!(icon.dimensions(), (side, side));
                assert_eq!(*icon.get_pixel(side / 2, side / 2), red);
            }
        }
        let wide = draw_all(&png(600, 150, |_, _| red)).unwrap();
        assert_eq!(decoded(&wide.large).get_pixel(5, 5)[3], 0, "still clear");
        assert_eq!(
            *decoded(&wide.maskable).get_pixel(0, 0),
            red,
            "its own colour"
        );
    }

    #[test]
    fn a_logo_with_clear_corners_stands_out_from_what_is_behind_it() {
        for (shade, behind) in [(255, DARK), (0, LIGHT)] {
            let dot = png(64, 64, |x, y| {
                let is_inside = (20..44).contains(&x) && (20..44).contains(&y);
                Rgba([shade, shade, shade, if is_inside { 255 } else { 0 }])
            });
            let icons = draw_all(&dot).unwrap();
            for icon in [&icons.maskable, &icons.touch] {
                assert_eq!(*decoded(icon).get_pixel(0, 0), behind);
            }
        }
    }

    #[tokio::test]
    async fn a_logo_is_drawn_once_and_the_built_in_one_takes_the_place_of_a_broken_one() {
        let icons = AppIcons::default();
        let blue = png(8, 8, |_, _| Rgba([0, 0, 255, 255]));
        let good = Arc::new(CachedPicture::new("image/png".into(), blue.clone().into()));
        let first = icons.of(&good, None).await.unwrap();
        assert!(Arc::ptr_eq(&first, &icons.of(&good, None).await.unwrap()));
        let broken = Bytes::from_static(b"GIF89a and then nonsense");
        let broken = Arc::new(CachedPicture::new("image/gif".into(), broken));
        let drawn = icons.of(&broken, Some(blue.into())).await.unwrap();
        assert_eq!(decoded(&drawn.large).get_pixel(256, 256)[2], 255);
        assert!(AppIcons::default().of(&broken, None).await.is_none());
    }
}
