use image::codecs::gif::{GifEncoder, Repeat};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{Delay, ExtendedColorType, Frame, ImageEncoder, ImageFormat, Rgba};

use super::*;
use crate::emoji::limits::MAX_FRAMES;

fn picture(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let shade = |n: u32| u8::try_from(n % 251).unwrap();
        Rgba([shade(x * 7), shade(y * 5), shade(x + y), 255])
    })
}

fn encoded(picture: &RgbaImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let picture = DynamicImage::from(picture.clone());
    match format {
        ImageFormat::Jpeg => picture.to_rgb8().write_to(&mut bytes, format).unwrap(),
        _ => picture.write_to(&mut bytes, format).unwrap(),
    }
    bytes.into_inner()
}

fn gif(frames: usize, side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut bytes, 30);
    encoder.set_repeat(Repeat::Infinite).unwrap();
    for number in 0..frames {
        let colour = Rgba([u8::try_from(number % 256).unwrap(), 0, 0, 255]);
        let picture = RgbaImage::from_pixel(side, side, colour);
        let delay = Delay::from_numer_denom_ms(70, 1);
        encoder
            .encode_frame(Frame::from_parts(picture, 0, 0, delay))
            .unwrap();
    }
    drop(encoder);
    bytes
}

fn decoded(remade: &EncodedPicture) -> RgbaImage {
    image::load_from_memory(&remade.bytes).unwrap().into_rgba8()
}

fn frames_of(bytes: &[u8]) -> Vec<Frame> {
    let decoder = GifDecoder::new(Cursor::new(bytes)).unwrap();
    decoder.into_frames().collect_frames().unwrap()
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    let padding = vec![0; data.len() % 2];
    [kind, length.as_slice(), data, &padding].concat()
}

/// Frames written by hand, because the encoder supports still pictures only.
fn animated_webp(frames: usize, side: u8) -> Vec<u8> {
    let mut still = Vec::new();
    let pixels = picture(side.into(), side.into());
    WebPEncoder::new_lossless(&mut still)
        .write_image(&pixels, side.into(), side.into(), ExtendedColorType::Rgba8)
        .unwrap();
    let edge = [side - 1, 0, 0, side - 1, 0, 0];
    let frame = [[0; 6].as_slice(), &edge, &[50, 0, 0, 0], &still[12..]].concat();
    let canvas = [[0b0001_0010, 0, 0, 0].as_slice(), &edge].concat();
    let mut body = b"WEBP".to_vec();
    body.extend(chunk(b"VP8X", &canvas));
    body.extend(chunk(b"ANIM", &[0; 6]));
    for _ in 0..frames {
        body.extend(chunk(b"ANMF", &frame));
    }
    chunk(b"RIFF", &body)
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    };
    !bytes.iter().fold(!0, step)
}

/// A valid PNG that claims another size.
fn png_claiming(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&picture(4, 4), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

#[test]
fn still_pictures_become_png_whatever_they_were() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::WebP,
        ImageFormat::Gif,
    ] {
        let remade = reencode(&encoded(&picture(40, 30), format)).unwrap();
        assert_eq!(remade.ending, "png", "{format:?}");
        assert_eq!(container::sniff(&remade.bytes), Some(PictureFormat::Png));
        assert_eq!(decoded(&remade).dimensions(), (40, 30), "{format:?}");
    }
}

#[test]
fn a_png_keeps_its_pixels() {
    let mut original = picture(20, 20);
    original.put_pixel(3, 3, Rgba([10, 20, 30, 40]));
    let remade = reencode(&encoded(&original, ImageFormat::Png)).unwrap();
    assert_eq!(decoded(&remade), original);
}

#[test]
fn a_large_picture_is_scaled_down_and_keeps_its_shape() {
    for (size, small) in [
        ((300, 300), (256, 256)),
        ((1600, 400), (256, 64)),
        ((2000, 1), (256, 1)),
    ] {
        let remade = reencode(&encoded(&picture(size.0, size.1), ImageFormat::Png)).unwrap();
        assert_eq!(decoded(&remade).dimensions(), small, "{size:?}");
    }
}

#[test]
fn what_cannot_be_seen_does_not_bleed_into_the_edges() {
    for side in [512, 1400] {
        let half = RgbaImage::from_fn(side, side, |x, _| {
            if x < side / 2 + 3 {
                Rgba([255, 255, 255, 255])
            } else {
                Rgba([0, 0, 0, 0])
            }
        });
        let remade = reencode(&encoded(&half, ImageFormat::Png)).unwrap();
        for pixel in decoded(&remade).pixels().filter(|pixel| pixel[3] > 16) {
            assert!(pixel[0] > 235, "{pixel:?} at {side}");
        }
    }
}

#[test]
fn an_animated_gif_stays_one_with_its_frames_and_times() {
    let remade = reencode(&gif(5, 300)).unwrap();
    assert_eq!(remade.ending, "gif");
    let frames = frames_of(&remade.bytes);
    assert_eq!(frames.len(), 5);
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(frame.buffer().dimensions(), (256, 256));
        assert_eq!(frame.delay().numer_denom_ms(), (70, 1));
        assert_eq!(usize::from(frame.buffer().get_pixel(9, 9)[0]), number);
    }
}

#[test]
fn an_animated_webp_becomes_a_gif() {
    let remade = reencode(&animated_webp(3, 20)).unwrap();
    assert_eq!(remade.ending, "gif");
    assert_eq!(frames_of(&remade.bytes).len(), 3);
    assert_eq!(reencode(&animated_webp(1, 20)).unwrap().ending, "png");
}

#[test]
fn nothing_of_the_metadata_is_kept() {
    let mut bytes = encoded(&picture(8, 8), ImageFormat::Jpeg);
    let comment = b"\xff\xfe\x00\x11where I live...";
    bytes.splice(2..2, comment.iter().copied());
    let remade = reencode(&bytes).unwrap();
    let secret = b"where I live";
    assert!(
        !remade
            .bytes
            .windows(secret.len())
            .any(|part| part == secret)
    );
}

#[test]
fn refuses_nothing_and_too_much() {
    assert!(matches!(reencode(b""), Err(PictureError::Empty)));
    let mut heavy = encoded(&picture(8, 8), ImageFormat::Png);
    heavy.resize(MAX_UPLOAD_BYTES, 0);
    assert!(reencode(&heavy).is_ok());
    heavy.push(0);
    assert!(matches!(reencode(&heavy), Err(PictureError::Heavy)));
}

#[test]
fn refuses_documents_with_a_sentence_of_their_own() {
    for text in [
        "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        "<?xml version='1.0'?><svg onload='alert(1)'/>",
        "\u{feff} \n<svg/>",
        "<!DOCTYPE html><html><script>alert(1)</script></html>",
    ] {
        let refused = reencode(text.as_bytes());
        assert!(
            matches!(refused, Err(PictureError::Document)),
            "{text}: {refused:?}"
        );
    }
    for other in [
        "hello",
        "%PDF-1.7",
        "PK\x03\x04",
        "BM",
        "\0\0\0\u{1c}ftypavif",
    ] {
        assert!(
            matches!(reencode(other.as_bytes()), Err(PictureError::UnknownFormat)),
            "{other}"
        );
    }
}

#[test]
fn refuses_pictures_that_are_also_something_else() {
    let png = encoded(&picture(8, 8), ImageFormat::Png);
    for tail in [
        "<script>alert(1)</script>",
        "<html><body>",
        "<?php system($_GET[0]);",
        "PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        let both = [png.as_slice(), tail.as_bytes()].concat();
        assert!(
            matches!(reencode(&both), Err(PictureError::Stowaway)),
            "{tail}"
        );
    }
    let gif = b"GIF89a/*<svg onload=alert(1)>*/=1;";
    assert!(matches!(reencode(gif), Err(PictureError::Stowaway)));
}

#[test]
fn refuses_a_bomb_by_its_header() {
    for (width, height) in [(30_000, 30_000), (4097, 1), (1, 4097), (u32::MAX >> 1, 1)] {
        match reencode(&png_claiming(width, height)) {
            Err(PictureError::TooManyPixels {
                width: w,
                height: h,
            }) => assert_eq!((w, h), (width, height)),
            other => panic!("{width} x {height}: {other:?}"),
        }
    }
    let honest = png_claiming(4, 4);
    assert!(reencode(&honest).is_ok());
    assert!(matches!(
        reencode(&png_claiming(4096, 4096)),
        Err(PictureError::Damaged)
    ));
    assert!(reencode(&png_claiming(0, 0)).is_err());
}

#[test]
fn refuses_a_jpeg_that_claims_to_be_huge() {
    let mut bytes = Vec::new();
    let pixels = DynamicImage::from(picture(16, 16)).into_rgb8();
    JpegEncoder::new(&mut bytes)
        .write_image(&pixels, 16, 16, ExtendedColorType::Rgb8)
        .unwrap();
    let at = bytes
        .windows(2)
        .position(|two| two == [0xff, 0xc0])
        .unwrap();
    bytes[at + 5..at + 9].copy_from_slice(&[0x75, 0x30, 0x75, 0x30]);
    assert!(matches!(
        reencode(&bytes),
        Err(PictureError::TooManyPixels {
            width: 30_000,
            height: 30_000
        })
    ));
}

#[test]
fn refuses_formats_that_decode_into_more_than_the_budget() {
    let mut large = encoded(&picture(4, 4), ImageFormat::WebP);
    assert_eq!(large[12..16], *b"VP8L");
    large[21..25].copy_from_slice(&(2499u32 | 2499 << 14).to_le_bytes());
    assert!(matches!(
        reencode(&large),
        Err(PictureError::TooManyPixels {
            width: 2500,
            height: 2500
        })
    ));
    let mut progressive = encoded(&picture(16, 16), ImageFormat::Jpeg);
    let at = progressive
        .windows(2)
        .position(|two| two == [0xff, 0xc0])
        .unwrap();
    progressive[at + 1] = 0xc2;
    progressive[at + 5..at + 9].copy_from_slice(&[0x0b, 0xb8, 0x0b, 0xb8]);
    assert!(matches!(
        reencode(&progressive),
        Err(PictureError::TooManyPixels {
            width: 3000,
            height: 3000
        })
    ));
}

#[test]
fn refuses_animations_that_are_too_long_or_too_large() {
    assert_eq!(
        frames_of(&reencode(&gif(MAX_FRAMES, 1)).unwrap().bytes).len(),
        MAX_FRAMES
    );
    let refused = reencode(&gif(MAX_FRAMES + 1, 1));
    assert!(matches!(refused, Err(PictureError::TooManyFrames)));
    let refused = reencode(&animated_webp(MAX_FRAMES + 1, 1));
    assert!(matches!(refused, Err(PictureError::TooManyFrames)));
    let refused = reencode(&gif(2, 513));
    assert!(matches!(
        refused,
        Err(PictureError::LargeAnimation {
            width: 513,
            height: 513
        })
    ));
}

#[test]
fn refuses_a_gif_frame_far_larger_than_its_screen() {
    let mut bytes = gif(2, 4);
    let at = bytes
        .windows(5)
        .position(|five| five == [0x2c, 0, 0, 0, 0])
        .unwrap();
    bytes[at + 5..at + 9].copy_from_slice(&[0xff; 4]);
    assert!(matches!(reencode(&bytes), Err(PictureError::Damaged)));
}

#[test]
fn an_animation_is_made_smaller_until_it_fits() {
    let mut seed = 1u32;
    let noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from(seed >> 24).unwrap()
    };
    let pixels: Vec<u8> = std::iter::repeat_with(noise).take(160 * 160 * 4).collect();
    let picture = RgbaImage::from_raw(160, 160, pixels).unwrap();
    let frame = Frame::new(picture);
    let open = || {
        let frames = vec![Ok(frame.clone()), Ok(frame.clone())];
        Ok(image::Frames::new(Box::new(frames.into_iter())))
    };
    let side = |limit| {
        let remade = animation::remake_within(limit, open)?;
        assert!(remade.bytes.len() <= limit);
        Ok::<_, PictureError>(decoded(&remade).width())
    };
    assert_eq!(side(1 << 20).unwrap(), 160);
    assert_eq!(side(40_000).unwrap(), 128);
    assert_eq!(side(14_000).unwrap(), 64);
    assert!(matches!(side(2_000), Err(PictureError::HeavyAnimation)));
}

#[test]
fn refuses_every_picture_that_is_cut_off() {
    let whole = [
        encoded(&picture(12, 12), ImageFormat::Png),
        encoded(&picture(12, 12), ImageFormat::Jpeg),
        encoded(&picture(12, 12), ImageFormat::WebP),
        gif(3, 6),
        animated_webp(2, 6),
    ];
    for bytes in whole {
        assert!(reencode(&bytes).is_ok());
        for eighth in 0..8 {
            let cut = &bytes[..bytes.len() * eighth / 8];
            assert!(reencode(cut).is_err(), "{eighth}/8 of {:?}", &bytes[..4]);
        }
    }
}

#[test]
fn a_picture_of_ours_is_accepted_again() {
    for bytes in [encoded(&picture(30, 30), ImageFormat::Png), gif(4, 30)] {
        let once = reencode(&bytes).unwrap();
        let twice = reencode(&once.bytes).unwrap();
        assert_eq!(once.ending, twice.ending);
    }
}
