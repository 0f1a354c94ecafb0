use super::*;

fn png_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], name, data, b"crc!"].concat()
}

fn png(parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let chunks: Vec<Vec<u8>> = parts.iter().map(|(n, d)| png_chunk(n, d)).collect();
    [PNG.to_vec(), chunks.concat()].concat()
}

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker][..], &length, data].concat()
}

fn webp_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    let padding = vec![0; data.len() % 2];
    [&name[..], &length, data, &padding].concat()
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|part| part == needle)
}

#[test]
fn a_png_keeps_its_pixels_and_loses_what_is_written_beside_them() {
    let file = png(&[
        (b"IHDR", b"size"),
        (b"eXIf", b"where it was"),
        (b"iCCP", b"colours"),
        (b"tEXt", b"who it was"),
        (b"IDAT", b"pixels"),
        (b"IEND", b""),
    ]);
    let hidden = [file, b"an archive".to_vec()].concat();
    let picture = PostImage::read(&hidden).unwrap();
    assert_eq!(picture.content_type(), "image/png");
    let expected = png(&[
        (b"IHDR", b"size"),
        (b"iCCP", b"colours"),
        (b"IDAT", b"pixels"),
        (b"IEND", b""),
    ]);
    assert_eq!(&picture.bytes()[..], expected);
}

#[test]
fn a_jpeg_keeps_its_scans_and_loses_where_it_was_taken() {
    let file = [
        vec![0xff, 0xd8],
        segment(0xe0, b"JFIF"),
        segment(0xe1, b"Exif where it was"),
        segment(0xe2, b"ICC_PROFILE"),
        segment(0xfe, b"who it was"),
        segment(0xdb, b"table"),
        segment(0xda, b"scan"),
        b"pixels".to_vec(),
        vec![0xff, 0xd9],
        b"PK archive".to_vec(),
    ]
    .concat();
    let picture = PostImage::read(&file).unwrap();
    assert_eq!(
        (picture.content_type(), picture.extension()),
        ("image/jpeg", "jpg")
    );
    for kept in [&b"JFIF"[..], b"ICC_PROFILE", b"table", b"pixels"] {
        assert!(contains(picture.bytes(), kept), "{kept:?}");
    }
    for lost in [&b"where"[..], b"who", b"PK"] {
        assert!(!contains(picture.bytes(), lost), "{lost:?}");
    }
}

#[test]
fn a_webp_says_no_longer_that_there_is_exif() {
    let body = [
        webp_chunk(b"VP8X", &[0b0000_1100, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
        webp_chunk(b"VP8 ", b"pix"),
        webp_chunk(b"EXIF", b"where it was"),
    ]
    .concat();
    let size = u32::try_from(body.len() + 4).unwrap().to_le_bytes();
    let file = [&b"RIFF"[..], &size, b"WEBP", &body].concat();
    let picture = PostImage::read(&file).unwrap();
    let bytes = picture.bytes();
    assert!(!contains(bytes, b"where") && contains(bytes, b"pix"));
    assert_eq!(bytes[20], 0);
    let size = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    assert_eq!(usize::try_from(size).unwrap() + 8, bytes.len());
}

#[test]
fn what_is_no_picture_is_refused() {
    for bytes in [&b""[..], b"<svg/>", b"<html>", b"RIFF....WAVE"] {
        assert_eq!(PostImage::read(bytes), Err(PostImageError::UnknownFormat));
    }
    for bytes in [
        PNG,
        &[0xff, 0xd8, 0xff],
        b"RIFF....WEBPVP8 \xff\xff\xff\xff",
    ] {
        assert_eq!(PostImage::read(bytes), Err(PostImageError::Damaged));
    }
    let heavy = vec![0; MAX_PICTURE_BYTES + 1];
    assert_eq!(PostImage::read(&heavy), Err(PostImageError::Heavy));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_grow(
        start in proptest::sample::select(vec![PNG, &[0xff, 0xd8, 0xff], &b"RIFF\0\0\0\0WEBP"[..], b"GIF89a"]),
        rest in proptest::collection::vec(0u8.., 0..200),
    ) {
        let bytes = [start, &rest].concat();
        if let Ok(picture) = PostImage::read(&bytes) {
            proptest::prop_assert!(picture.bytes().len() <= bytes.len());
        }
    }
}
